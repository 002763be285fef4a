/** The connection to a host: one line each way, then frames. A host that is gone does not come back. */
import { connect, type Socket } from "node:net";
import { BellhopError, isErrorCode } from "../core/errors.ts";
import type { Size } from "../screens/same-drawing.ts";
import { FirstLine } from "../wire/first-line.ts";
import { encodeControl, encodeFrame, FRAME_LIMITS, type Frame, FrameReader } from "../wire/host/frames.ts";
import {
  HOST_VERSION,
  type HostHello,
  type HostWelcome,
  type ViewerHears,
  type ViewerSays,
} from "../wire/host/host.ts";

export const CONNECTION_LIMITS = { dialMs: 5_000, welcomeBytes: 64 * 1024 } as const;

export interface HostPlace {
  readonly agent: string;
  readonly socket: string;
  readonly token: string;
}

export type Welcome = Extract<HostWelcome, { readonly ok: true }>;

export interface HostEar {
  /** Called before anything else. */
  welcomed(connection: HostConnection): void;
  drawn(bytes: Buffer): void;
  told(message: ViewerHears): void;
  /** Called once, unless we closed the connection ourselves. */
  over(error: BellhopError): void;
}

export interface HostConnection {
  readonly welcome: Welcome;
  keys(bytes: Buffer): void;
  say(message: ViewerSays): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** A read-only window's size does not count. */
export type Coming = { readonly may: "look" } | Size;

/** Throws `terminal.gone` if nothing listens, or the host's own refusal. */
export function dialHost(
  { agent, socket: path, token }: HostPlace,
  coming: Coming,
  ear: HostEar,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const hello: HostHello = { type: "attach", versions: [HOST_VERSION], token, ...coming };
    let state: "greeting" | "open" | "over" = "greeting";
    const first = new FirstLine(CONNECTION_LIMITS.welcomeBytes);
    const timer = setTimeout(() => end(silent(agent)), CONNECTION_LIMITS.dialMs);
    const end = (error: BellhopError): void => {
      const was = state;
      state = "over";
      clearTimeout(timer);
      socket.destroy();
      if (was === "greeting") reject(error);
      else if (was === "open") ear.over(error);
    };
    const reader = new FrameReader((frame) => {
      if (state === "open") hear(frame, ear);
    });
    const greeted = (chunk: Buffer): void => {
      const answer = first.push(chunk);
      if (answer.kind === "too-long") throw strange();
      if (answer.kind === "partial") return;
      const welcome = readWelcome(answer.line);
      if (!welcome.ok) throw refusal(welcome.error);
      if (welcome.version !== HOST_VERSION) throw otherVersion(welcome.version);
      clearTimeout(timer);
      state = "open";
      const closed = (): void => {
        state = "over";
      };
      ear.welcomed(connectionOver(socket, welcome, closed));
      resolve();
      reader.push(answer.rest);
    };
    socket.on("connect", () => socket.write(`${JSON.stringify(hello)}\n`));
    socket.on("data", (chunk: Buffer) => {
      try {
        if (state === "greeting") greeted(chunk);
        else reader.push(chunk);
      } catch (error) {
        // After a broken frame, nothing that follows can be trusted to start a new one.
        if (error instanceof BellhopError) end(state === "greeting" ? error : strange());
        else throw error;
      }
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const hasHungUp = state === "greeting" && HUNG_UP.includes(error.code);
      end(hasHungUp ? hungUp(agent) : whyNot(agent, error));
    });
    socket.on("close", () => end(state === "greeting" ? hungUp(agent) : gone(agent)));
  });
}

function connectionOver(socket: Socket, welcome: Welcome, closed: () => void): HostConnection {
  return {
    welcome,
    keys(bytes) {
      for (let at = 0; at < bytes.length; at += FRAME_LIMITS.payloadBytes)
        socket.write(encodeFrame("data", bytes.subarray(at, at + FRAME_LIMITS.payloadBytes)));
    },
    say: (message) => void socket.write(encodeControl(message)),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close() {
      closed();
      // The last keys must arrive, but a host that hangs must not delay us.
      socket.end();
      socket.unref();
    },
  };
}

function hear({ kind, payload }: Frame, ear: HostEar): void {
  if (kind === "data") ear.drawn(payload);
  else {
    const told = parsed(payload);
    if (told !== null && typeof told === "object" && "type" in told) ear.told(told as ViewerHears);
  }
}

function readWelcome(line: Buffer): HostWelcome {
  const told = parsed(line) as Partial<Welcome> | null;
  if (told === null || typeof told !== "object" || typeof told.ok !== "boolean") throw strange();
  if (told.ok && (typeof told.cols !== "number" || typeof told.rows !== "number" || told.state === undefined))
    throw strange();
  return told as HostWelcome;
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return null;
  }
}

function refusal(
  error: Partial<Extract<HostWelcome, { readonly ok: false }>["error"]> | undefined,
): BellhopError {
  const {
    code = "",
    message = "The terminal refused and gave no reason.",
    next = "Try again.",
  } = error ?? {};
  return new BellhopError(isErrorCode(code) ? code : "request.malformed", { message, next });
}

function otherVersion(version: number): BellhopError {
  return new BellhopError("daemon.version_mismatch", {
    message: `This terminal speaks version ${version} of the attach protocol; this bellhop speaks version ${HOST_VERSION}.`,
    next: "Use the bellhop that started it, or stop and start the session.",
  });
}

const HUNG_UP: readonly (string | undefined)[] = ["ECONNRESET", "EPIPE"];
const NOBODY_THERE: readonly (string | undefined)[] = ["ENOENT", "ECONNREFUSED", "ENOTSOCK"];

function whyNot(agent: string, error: NodeJS.ErrnoException): BellhopError {
  if (NOBODY_THERE.includes(error.code))
    return gone(agent, {
      message: "The terminal is gone: its host has ended or can no longer be reached.",
      cause: error,
    });
  return new BellhopError("terminal.unreadable", {
    message: `The terminal cannot be reached (${error.code ?? error.message}).`,
    next: 'Check with "bellhop ls" whether it is still running.',
    cause: error,
  });
}

/** Nothing listens there: the host has ended, or its socket file was removed or replaced. */
export function isUnheard(error: BellhopError): boolean {
  return NOBODY_THERE.includes((error.cause as NodeJS.ErrnoException | undefined)?.code);
}

function gone(
  agent: string,
  { message = "The terminal is gone: its host has ended.", cause }: { message?: string; cause?: Error } = {},
): BellhopError {
  return new BellhopError("terminal.gone", {
    message,
    cause,
    next: `Messages for the agent stay queued. Start it again with "bellhop restart ${agent}".`,
  });
}

function silent(agent: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `The host of "${agent}" did not answer within ${CONNECTION_LIMITS.dialMs / 1_000} s.`,
    next: `Try again. If that does not help, restart it with "bellhop restart ${agent}" or stop it with "bellhop stop ${agent}".`,
  });
}

/** It hung up before it had said anything. */
function hungUp(agent: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `The host of "${agent}" hung up at once: it has too many connections, or it is ending.`,
    next: "Try again in a moment, or when somebody has detached.",
  });
}

function strange(): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: "The terminal's answer cannot be read.",
    next: "Use the bellhop that started it, or stop and start the session.",
  });
}
