/** The client library: one connection to the daemon, any number of calls on it. Needs nothing but `node:net`. */
import { createConnection, type Socket } from "node:net";
import { BellhopError, type ErrorDetail, isErrorCode } from "../core/errors.ts";
import { toCamel, toSnake } from "../wire/casing.ts";
import { jsonLine, readLines } from "../wire/lines.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { RequestOf, ResponseOf, Verb } from "../wire/verbs/index.ts";
import { VERSION } from "../wire/version.ts";

export const CLIENT_LIMITS = {
  connectMs: 5_000,
  callMs: 30_000,
  /** An answer may list a whole queue. */
  answerBytes: 64 * 1024 * 1024,
} as const;

export interface CallOptions {
  /** How long the answer may take; `never` for calls that wait on purpose. */
  readonly timeoutMs?: number | "never";
}

export interface Client {
  call<V extends Verb>(verb: V, request: RequestOf<V>, options?: CallOptions): Promise<ResponseOf<V>>;
  /** Known after the first answer. */
  readonly daemonVersion: string | undefined;
  /** Resolves when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

interface Waiting {
  readonly verb: Verb;
  resolve(result: unknown): void;
  reject(error: BellhopError): void;
}

/** `claims`: who asks, said with every call that does not say so itself. Throws `daemon.not_running` when nobody listens, `daemon.blocked` in a sandbox, `daemon.unreachable` when it cannot tell. */
export async function connect(socketPath: string, claims?: Claims): Promise<Client> {
  const socket = await dial(socketPath);
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let daemonVersion: string | undefined;
  let ended: BellhopError | undefined;
  let tellEnd: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    tellEnd = resolve;
  });

  const endWith = (error: BellhopError) => {
    ended ??= error;
    tellEnd();
    for (const [id, call] of waiting) {
      waiting.delete(id);
      call.reject(asTold(ended, call.verb));
    }
    socket.destroy();
  };

  const lines = readLines((line) => {
    const envelope = readAnswer(line);
    if (envelope.version !== undefined) daemonVersion = envelope.version;
    if (typeof envelope.reqId !== "number") {
      // Said to nobody in particular: the connection itself is refused.
      if (envelope.kind === "no") endWith(envelope.error);
      return;
    }
    const call = waiting.get(envelope.reqId);
    if (call === undefined) return;
    waiting.delete(envelope.reqId);
    if (envelope.kind === "yes") call.resolve(envelope.result);
    else call.reject(otherVersion(call.verb, envelope.error, envelope.version) ?? envelope.error);
  }, CLIENT_LIMITS.answerBytes);

  socket.on("data", (chunk: Buffer) => {
    try {
      lines.push(chunk);
    } catch (error) {
      endWith(unreachable("The daemon's answer cannot be read.", error));
    }
  });
  socket.on("error", (error) => endWith(lost(error)));
  socket.on("close", () => endWith(lost()));

  const ask = async (verb: Verb, request: object, options: CallOptions): Promise<unknown> => {
    if (ended !== undefined) throw ended;
    asked += 1;
    const reqId = asked;
    const limitMs = options.timeoutMs ?? CLIENT_LIMITS.callMs;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      waiting.set(reqId, { verb, resolve, reject });
      if (limitMs !== "never") {
        timer = setTimeout(() => {
          waiting.delete(reqId);
          reject(asTold(unreachable(`The daemon did not answer within ${limitMs / 1_000} s.`), verb));
        }, limitMs);
      }
    });
    socket.write(jsonLine({ ...(toSnake(request) as object), type: verb, req_id: reqId, version: VERSION }));
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async call<V extends Verb>(verb: V, request: RequestOf<V>, options: CallOptions = {}) {
      if (claims === undefined || "claims" in request)
        return (await ask(verb, request, options)) as ResponseOf<V>;
      try {
        return (await ask(verb, { ...request, claims }, options)) as ResponseOf<V>;
      } catch (error) {
        if (!(error instanceof BellhopError) || error.code !== "daemon.version_mismatch") throw error;
        // A daemon from before every request said who asks must still be told to stop.
        return (await ask(verb, request, options)) as ResponseOf<V>;
      }
    },
    ended: over,
    get daemonVersion() {
      return daemonVersion;
    },
    close() {
      endWith(unreachable("This side closed the connection."));
    },
  };
}

export function restartAdvice(daemonVersion: string): string {
  return `The daemon is version ${daemonVersion}, this command is ${VERSION}. Restart the daemon: bellhop down && bellhop up`;
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(unreachable(`No daemon answered on ${path}.`));
    }, CLIENT_LIMITS.connectMs);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(whyNoConnection(path, error));
    });
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}

export function whyNoConnection(path: string, error: NodeJS.ErrnoException): BellhopError {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return new BellhopError("daemon.not_running", {
        message: "The daemon is not running.",
        next: 'Start it with "bellhop up".',
        cause: error,
      });
    // Not the file's mode, which is EACCES: the system call itself is forbidden. Codex's sandbox does that to every
    // command that its rules do not let out, and they know plain words only.
    case "EPERM":
      return new BellhopError("daemon.blocked", {
        message:
          "This agent's sandbox does not let the command reach Bellhop's daemon (EPERM). Nothing was sent.",
        next: `Run it again as one plain command with the text in single quotes: bellhop send NAME 'TEXT'. No pipe, no variable, no "&&", nothing before or after it. If that is blocked too, a person must run "bellhop hooks install codex".`,
        cause: error,
      });
    default:
      return unreachable(`Cannot reach the daemon on ${path} (${error.code ?? error.message}).`, error);
  }
}

type Answer = { readonly reqId: unknown; readonly version: string | undefined } & (
  | { readonly kind: "yes"; readonly result: unknown }
  | { readonly kind: "no"; readonly error: BellhopError }
);

function readAnswer(line: Buffer): Answer {
  const raw = toCamel(JSON.parse(line.toString("utf8"))) as Record<string, unknown>;
  const version = typeof raw.version === "string" ? raw.version : undefined;
  if (raw.ok === true) return { reqId: raw.reqId, version, kind: "yes", result: raw.result };
  return {
    reqId: raw.reqId,
    version,
    kind: "no",
    error: errorFrom(raw.error as Partial<ErrorDetail> | undefined),
  };
}

export function errorFrom(detail: Partial<ErrorDetail> | undefined): BellhopError {
  const code = detail?.code !== undefined && isErrorCode(detail.code) ? detail.code : "internal.bug";
  return new BellhopError(code, {
    message: detail?.message ?? "The daemon refused and gave no reason.",
    next: detail?.next ?? 'Look at "bellhop logs".',
    ...(detail?.candidates === undefined ? {} : { candidates: detail.candidates }),
  });
}

/** A daemon of another version that does not understand us is not our user's mistake. */
function otherVersion(
  verb: Verb,
  error: BellhopError,
  version: string | undefined,
): BellhopError | undefined {
  if (error.code !== "request.malformed" || version === undefined || version === VERSION) return undefined;
  return new BellhopError("daemon.version_mismatch", {
    message: `The daemon is version ${version} and does not understand "${verb}" of version ${VERSION}: ${error.message}`,
    next: "Restart it: bellhop down && bellhop up",
  });
}

function lost(cause?: unknown): BellhopError {
  return unreachable("The daemon closed the connection before it answered.", cause);
}

/** What was asked may have been done before the daemon went: where that is to be seen. */
const SEEN_WITH: Partial<Record<Verb, string>> = {
  run: "bellhop ls",
  spawn: "bellhop ls",
  restart: "bellhop ls",
  session_stop: "bellhop ls",
};

function asTold(error: BellhopError, verb: Verb): BellhopError {
  const seenWith = SEEN_WITH[verb];
  if (error.code !== "daemon.unreachable" || seenWith === undefined) return error;
  return new BellhopError(error.code, {
    message: error.message,
    next: `Look with "bellhop status" and "bellhop logs". It may have been done all the same: check with "${seenWith}".`,
    cause: error.cause,
  });
}

export function unreachable(message: string, cause?: unknown): BellhopError {
  return new BellhopError("daemon.unreachable", {
    message,
    next: 'Look with "bellhop status" and "bellhop logs". A message may have been accepted: check with "bellhop queue".',
    cause,
  });
}
