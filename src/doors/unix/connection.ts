/** One caller on the Unix socket: lines in, one answer line for each, until it leaves. */
import type { Socket } from "node:net";
import { BellhopError } from "../../core/errors.ts";
import type { Log } from "../../ports/log.ts";
import { readLines } from "../../wire/lines.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import { Outlet } from "../caller/outlet.ts";
import { answerRequest, type Caller, readRequest, readStreamRequest, tellable } from "../caller/requests.ts";
import type { Turns } from "../caller/turns.ts";
import { failure, type Manner, success } from "./answers.ts";
import { openEnvelope, type ReqId } from "./envelope.ts";
import { UnixFollows } from "./follows.ts";
import { UnixListens } from "./listens.ts";
import { readAsked } from "./verbs.ts";

export const UNIX_LIMITS = {
  connections: 512,
  /** Requests of one connection under way at once; further ones wait their turn. */
  inFlight: 1_024,
  /** A caller with nothing under way is let go after this long, or when another needs its place. */
  idleMs: 10 * 60_000,
  /** A line that began must end within this. */
  lineMs: 30_000,
  /** A reader who lets this much pile up is gone. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread no further request is begun. */
  roomBytes: 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** Agents that one connection may follow: each is looked at again and again. */
  follows: 64,
  /** How often a caller that has ended its side is asked whether it still listens. */
  probeMs: 10_000,
  /** Time for the last words when the daemon stops. */
  farewellMs: 250,
} as const;
export type UnixLimits = { readonly [K in keyof typeof UNIX_LIMITS]: number };

export interface ConnectionSetting {
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  readonly log: Log;
  readonly version: string;
  readonly limits: UnixLimits;
  readonly turns: Turns;
  caller(): Caller;
}

export interface Connection {
  /**
   * Whether another caller may have its place: `idle` has nothing under way, `mid-line` has begun to say something or
   * does not take its answers, and `busy` waits for one or listens.
   */
  readonly standing: "idle" | "mid-line" | "busy";
  letGo(): void;
  /** Answers what is under way, takes nothing new. */
  finish(): void;
  /** Tells every open request that the daemon stops, and leaves. */
  breakAway(): void;
  readonly closed: Promise<void>;
}

type Content = ReturnType<typeof openEnvelope>["content"];

interface Said {
  readonly text: string;
  /** When it is written. */
  readonly after?: () => void;
}

/** To nobody in particular, or before anything was read from it. */
const UNASKED: Manner = { reqId: undefined, form: "enveloped" };

/** `rested` is told each time that nothing is under way any more. */
export function serveConnection(
  socket: Socket,
  setting: ConnectionSetting,
  rested: () => void = () => {},
): Connection {
  const { limits, log, version, turns } = setting;
  const underWay = new Set<Manner>();
  /** Who began to follow flat is told so how it ends. */
  const flatFollows = new Set<ReqId>();
  /** What the caller has said and is not begun yet: the rest of a chunk at most. */
  const waiting: Buffer[] = [];
  let taking = true;
  let lineTimer: NodeJS.Timeout | undefined;
  let probeTimer: NodeJS.Timeout | undefined;
  /** Requests without a `req_id` can be told apart by their order only. */
  let ordered: Promise<void> = Promise.resolve();

  const outlet = new Outlet({
    ...limits,
    socket,
    isOpen: () => !socket.writableEnded,
    overflow: (bytes) => {
      log.warn("unix.backlog", { bytes });
      socket.destroy();
    },
  });
  const listens = new UnixListens({ streams: setting.streams, outlet, most: limits.listens });
  const follows = new UnixFollows({
    streams: setting.streams,
    outlet,
    most: limits.follows,
    over: (reqId, error) => {
      refuse(error, { reqId, form: flatFollows.delete(reqId) ? "flat" : "enveloped" });
      leaveIfDone();
    },
  });
  const write = (text: string) => void outlet.write(text);
  const refuse = (error: BellhopError, manner: Manner = UNASKED) => write(failure(version, manner, error));
  const isBusy = () => underWay.size > 0 || waiting.length > 0 || listens.size > 0 || follows.size > 0;
  /** Nothing goes on before the caller reads. */
  const isStuck = () =>
    !outlet.hasRoom && waiting.length > 0 && underWay.size === 0 && listens.size === 0 && follows.size === 0;
  const leaveIfDone = () => {
    if (!taking && !isBusy() && !socket.writableEnded) socket.end();
  };
  const stopTaking = () => {
    taking = false;
    clearTimeout(lineTimer);
    leaveIfDone();
  };

  const answer = async (line: Buffer): Promise<void> => {
    const { reqId, form, content } = openEnvelope(line);
    const entry: Manner = { reqId, form };
    underWay.add(entry);
    const said = carryOut(content, entry);
    if (reqId === undefined) {
      ordered = Promise.all([ordered, said]).then(([, { text }]) => write(text));
      await ordered;
    } else {
      const { text, after } = await said;
      write(text);
      after?.();
    }
    underWay.delete(entry);
  };

  const carryOut = async (content: Content, manner: Manner): Promise<Said> => {
    let verb = "?";
    try {
      if (content.kind === "unreadable") throw content.error;
      if (content.type === "listen") return await listen(content.fields(), manner);
      if (content.type === "unlisten") {
        const { request } = readStreamRequest("unlisten", content.fields(), setting.caller());
        return { text: success(version, manner, listens.close(request.listen)) };
      }
      if (content.type === "follow") return await follow(content.fields(), manner);
      if (content.type === "unfollow") {
        const { request } = readStreamRequest("unfollow", content.fields(), setting.caller());
        return { text: success(version, manner, follows.close(request.follow)) };
      }
      const asked = readAsked(content.type, content.fields());
      verb = asked.verb;
      const ask = readRequest(asked.verb, asked.fields, setting.caller());
      const result = await answerRequest(setting.useCases, asked.verb, ask);
      return { text: success(version, manner, result, asked.verb) };
    } catch (error) {
      return { text: failure(version, manner, tellable(error, log, verb)) };
    }
  };
  const listen = async (fields: Readonly<Record<string, unknown>>, manner: Manner) => {
    const { request } = readStreamRequest("listen", fields, setting.caller());
    const opened = await listens.open(manner.reqId, request);
    return { text: success(version, manner, await opened.opened), after: () => opened.begin() };
  };
  const follow = async (fields: Readonly<Record<string, unknown>>, manner: Manner) => {
    const { request, claims } = readStreamRequest("follow", fields, setting.caller());
    const { begin, ...whom } = await follows.open(manner.reqId, request, claims);
    if (manner.reqId !== undefined && manner.form === "flat") flatFollows.add(manner.reqId);
    return { text: success(version, manner, whom), after: begin };
  };

  const canBegin = () => underWay.size < limits.inFlight && outlet.hasRoom;
  const serve = () => {
    const line = canBegin() ? waiting.shift() : undefined;
    if (line !== undefined)
      void answer(line).then(() => {
        goOn();
        leaveIfDone();
        if (!isBusy()) rested();
      });
    if (waiting.length > 0) return canBegin() ? "more" : "done";
    goOn();
    return "done";
  };
  /** Serves what waits, in its turn; nothing further is read before that has begun. */
  const goOn = () => {
    if (!canBegin()) socket.pause();
    else if (waiting.length > 0) turns.join(serve);
    else socket.resume();
    armLineTimer();
  };
  const lines = readLines((line) => waiting.push(line));

  /** After a line that cannot be delimited nothing that follows can be trusted to begin one. */
  const breakOff = (error: unknown) => {
    refuse(tellable(error, log, "?"));
    stopTaking();
  };
  const feed = (step: () => void) => {
    try {
      step();
    } catch (error) {
      breakOff(error);
    }
  };
  const armLineTimer = () => {
    // Only the caller can be too slow: while we do not read, it is not its doing.
    if (!taking || !lines.pending || socket.isPaused()) {
      clearTimeout(lineTimer);
      lineTimer = undefined;
    } else if (lineTimer === undefined) {
      lineTimer = setTimeout(() => breakOff(lineTooSlow(limits.lineMs)), limits.lineMs).unref();
    }
  };

  socket.on("data", (chunk: Buffer) => {
    if (!taking) return;
    feed(() => lines.push(chunk));
    if (waiting.length > 0) socket.pause();
    goOn();
  });
  socket.on("end", () => {
    if (taking) feed(() => lines.end());
    goOn();
    stopTaking();
    // It may listen still, or be gone: only a write can tell, and readers skip an empty line.
    probeTimer = setInterval(() => write("\n"), limits.probeMs).unref();
  });
  socket.on("drain", goOn);
  socket.setTimeout(limits.idleMs, () => {
    if (!isBusy() || isStuck()) socket.destroy();
  });
  // A caller who vanishes is no event of ours; `close` follows.
  socket.on("error", () => {});

  return {
    get standing() {
      if (isBusy() && !isStuck()) return "busy";
      return isStuck() || lines.pending ? "mid-line" : "idle";
    },
    letGo: () => void socket.destroy(),
    finish() {
      listens.closeAll();
      follows.closeAll();
      stopTaking();
    },
    breakAway() {
      taking = false;
      for (const manner of [...underWay, ...waiting.splice(0).map(openEnvelope)]) refuse(stopping(), manner);
      socket.end();
      // A peer that does not read would keep the last words, and us, for ever.
      setTimeout(() => socket.destroy(), limits.farewellMs).unref();
    },
    closed: new Promise((resolve) => {
      socket.once("close", () => {
        taking = false;
        waiting.length = 0;
        turns.leave(serve);
        clearTimeout(lineTimer);
        clearInterval(probeTimer);
        listens.closeAll();
        follows.closeAll();
        resolve();
      });
    }),
  };
}

function lineTooSlow(lineMs: number): BellhopError {
  return new BellhopError("request.malformed", {
    message: `A line was not finished within ${lineMs / 1_000} s.`,
    next: "End each request with a newline.",
  });
}

function stopping(): BellhopError {
  return new BellhopError("daemon.stopping", {
    message: "The daemon stopped before it could answer; the request may or may not have been carried out.",
    next: 'Start it with "bellhop up" and look with "bellhop queue" and "bellhop ls".',
  });
}
