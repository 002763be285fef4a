/** One caller on the Unix socket: lines in, one answer line for each, until it leaves. */
import type { Socket } from "node:net";
import { BellhopError } from "../../core/errors.ts";
import { malformed, readLines } from "../../wire/lines.ts";
import { cutOffAfterFarewell, type Leaving } from "../caller/closing.ts";
import { Outlet } from "../caller/outlet.ts";
import { Pump } from "../caller/pump.ts";
import { tellable } from "../caller/requests.ts";
import type { Turns } from "../caller/turns.ts";
import { UnixAnswering, type UnixSetting } from "./answering.ts";
import { failure } from "./answers.ts";
import { type Manner, type OpenedEnvelope, openEnvelope } from "./envelope.ts";

export interface ConnectionSetting extends UnixSetting {
  readonly turns: Turns;
}

/** For a refusal that does not answer a request. */
const UNASKED: Manner = { reqId: undefined, form: "enveloped" };

export class UnixConnection implements Leaving {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #setting: ConnectionSetting;
  readonly #rested: () => void;
  readonly #outlet: Outlet;
  readonly #answering: UnixAnswering;
  readonly #pump: Pump<OpenedEnvelope>;
  readonly #lines = readLines((line) => this.#pump.take(line));
  #lineTimer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;

  /** `rested` is called whenever nothing is under way any more. */
  constructor(socket: Socket, setting: ConnectionSetting, rested: () => void) {
    const { limits, log, turns } = setting;
    this.#socket = socket;
    this.#setting = setting;
    this.#rested = rested;
    this.#outlet = new Outlet({
      ...limits,
      socket,
      isOpen: () => !socket.writableEnded,
      overflow: (bytes) => {
        log.warn("unix.backlog", { bytes });
        socket.destroy();
      },
    });
    this.#answering = new UnixAnswering({
      ...setting,
      outlet: this.#outlet,
      followOver: (error, manner) => {
        this.#refuse(error, manner);
        this.#leaveIfDone();
      },
    });
    this.#pump = new Pump({
      inFlight: limits.inFlight,
      inFlightBytes: Number.POSITIVE_INFINITY,
      withoutRoom: "piles-up",
      outlet: this.#outlet,
      turns,
      intake: { pause: () => this.#read("pause"), resume: () => this.#read("resume") },
      open: openEnvelope,
      carryOut: (opened) => this.#answering.carryOut(opened),
      answered: () => {
        this.#leaveIfDone();
        if (!this.#isBusy) this.#rested();
      },
    });
    this.#hear();
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#end();
        resolve();
      });
    });
  }

  /**
   * Whether another caller may have its place: `idle` has nothing under way, `mid-line` has begun a line or does not
   * read its answers, and `busy` waits for an answer or listens.
   */
  get standing(): "idle" | "mid-line" | "busy" {
    const isStuck = this.#pump.standing === "stuck" && !this.#answering.hasStreams;
    if (this.#isBusy && !isStuck) return "busy";
    return isStuck || this.#lines.pending ? "mid-line" : "idle";
  }

  letGo(): void {
    this.#socket.destroy();
  }

  /** Answers what is under way and accepts nothing new. */
  finish(): void {
    this.#answering.closeStreams();
    this.#stopTaking();
  }

  /** Tells every open request that the daemon is stopping, and closes. */
  breakAway(): void {
    for (const manner of this.#pump.abandon()) this.#refuse(stopping(), manner);
    this.#endOutput();
    // While paused, we would not notice that the caller leaves.
    this.#socket.resume();
    cutOffAfterFarewell(this.#setting.limits.farewellMs, () => this.#socket.destroy());
  }

  get #isBusy(): boolean {
    return this.#pump.standing !== "at-rest" || this.#answering.hasStreams;
  }

  #hear(): void {
    const socket = this.#socket;
    const { idleMs, probeMs } = this.#setting.limits;
    socket.on("data", (chunk: Buffer) => {
      if (!this.#pump.isTaking) return;
      this.#feed(() => this.#lines.push(chunk));
      this.#armLineTimer();
    });
    socket.on("end", () => {
      if (this.#pump.isTaking) this.#feed(() => this.#lines.end());
      this.#stopTaking();
      // It may still listen or be gone: only a write can tell, and readers skip an empty line.
      this.#probeTimer = setInterval(() => this.#outlet.write("\n"), probeMs).unref();
    });
    socket.setTimeout(idleMs, () => {
      if (this.standing !== "busy") socket.destroy();
    });
    // A caller that vanishes is not an error for us; `close` follows.
    socket.on("error", () => {});
  }

  #end(): void {
    this.#pump.end();
    clearTimeout(this.#lineTimer);
    clearInterval(this.#probeTimer);
    this.#answering.closeStreams();
  }

  #read(how: "pause" | "resume"): void {
    this.#socket[how]();
    this.#armLineTimer();
  }

  #feed(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#breakOff(error);
    }
  }

  /** After a line without a valid end, nothing that follows can be trusted to begin one. */
  #breakOff(error: unknown): void {
    this.#refuse(tellable(error, this.#setting.log, "?"));
    this.#stopTaking();
  }

  #armLineTimer(): void {
    const { lineMs } = this.#setting.limits;
    // Only the caller can be too slow: while we do not read, the delay is ours.
    if (!this.#pump.isTaking || !this.#lines.pending || this.#socket.isPaused()) {
      clearTimeout(this.#lineTimer);
      this.#lineTimer = undefined;
    } else if (this.#lineTimer === undefined) {
      this.#lineTimer = setTimeout(() => this.#breakOff(lineTooSlow(lineMs)), lineMs).unref();
    }
  }

  #refuse(error: BellhopError, manner: Manner = UNASKED): void {
    this.#outlet.write(failure(this.#setting.version, manner, error));
  }

  #stopTaking(): void {
    this.#pump.finish();
    clearTimeout(this.#lineTimer);
    this.#leaveIfDone();
  }

  #leaveIfDone(): void {
    if (!this.#pump.isTaking && !this.#isBusy && !this.#socket.writableEnded) this.#endOutput();
  }

  #endOutput(): void {
    this.#outlet.flush();
    this.#socket.end();
  }
}

function lineTooSlow(lineMs: number): BellhopError {
  return malformed(`A line was not finished within ${lineMs / 1_000} s.`, "End each request with a newline.");
}

function stopping(): BellhopError {
  return new BellhopError("daemon.stopping", {
    message: "The daemon stopped before it could answer; the request may or may not have been carried out.",
    next: 'Start it with "bellhop up" and look with "bellhop queue" and "bellhop ls".',
  });
}
