/** The daemon's Unix socket, one JSON object per line: any number of calls per connection. Needs only `node:net`. */
import { createConnection } from "node:net";
import { BellhopError, type ErrorDetail } from "../core/errors.ts";
import { toCamel, toSnake } from "../wire/casing.ts";
import { jsonLine, readLines } from "../wire/lines.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { RequestOf, ResponseOf, Verb } from "../wire/verbs/index.ts";
import { VERSION } from "../wire/version.ts";
import {
  CLIENT_LIMITS,
  type Fields,
  type Heard,
  openConnection,
  type Place,
} from "./transport/connection.ts";
import { errorFrom, lost, unreadable, whyNoConnection } from "./transport/failures.ts";

export interface CallOptions {
  /** How long the answer may take; `never` for calls that wait on purpose. */
  readonly timeoutMs?: number | "never";
}

export interface Client {
  call<V extends Verb>(verb: V, request: RequestOf<V>, options?: CallOptions): Promise<ResponseOf<V>>;
  /** Known after the first answer. */
  readonly daemonVersion: string | undefined;
  /** Resolves when the connection is over, no matter which side ended it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

/** `versionHeard` is called with the daemon's version at each answer. */
export function unixSocket(path: string, versionHeard: (version: string) => void = () => {}): Place {
  const read = (line: Buffer): Heard => {
    const said = toCamel(JSON.parse(line.toString("utf8"))) as Fields;
    if (typeof said.version === "string") versionHeard(said.version);
    if (said.type === "push") return { kind: "push", push: said };
    const to = typeof said.reqId === "number" ? said.reqId : undefined;
    if (said.ok === true) return { kind: "answer", to, answer: said.result as Fields };
    return { kind: "refusal", to, error: errorFrom(said.error as Partial<ErrorDetail> | undefined) };
  };
  return {
    name: path,
    dial(ear) {
      const socket = createConnection(path);
      let broken = (error: Error) => whyNoConnection(path, error);
      const lines = readLines((line) => ear.heard(() => read(line)), CLIENT_LIMITS.answerBytes);
      socket.on("connect", () => {
        broken = lost;
        ear.opened();
      });
      socket.on("data", (chunk: Buffer) => {
        try {
          lines.push(chunk);
        } catch (error) {
          ear.over(unreadable(error));
        }
      });
      socket.on("error", (error) => ear.over(broken(error)));
      socket.on("close", () => ear.over(lost()));
      return {
        send: (id, request) =>
          void socket.write(jsonLine({ ...(toSnake(request) as object), req_id: id, version: VERSION })),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        close: () => void socket.destroy(),
      };
    },
  };
}

/**
 * `claims` go with every call that has none of its own. Throws `daemon.not_running` if nothing listens, `daemon.blocked`
 * in a sandbox, and `daemon.unreachable` if it cannot tell.
 */
export async function connect(socketPath: string, claims?: Claims): Promise<Client> {
  let daemonVersion: string | undefined;
  const connection = await openConnection(
    unixSocket(socketPath, (version) => {
      daemonVersion = version;
    }),
  );
  const ask = async <V extends Verb>(verb: V, request: object, { timeoutMs }: CallOptions) => {
    const why = connection.lost();
    if (why !== undefined) throw why;
    try {
      return await connection.ask({ ...request, type: verb }, (answer) => answer as ResponseOf<V>, timeoutMs);
    } catch (error) {
      throw error instanceof BellhopError ? asTold(error, verb, daemonVersion) : error;
    }
  };
  return {
    async call(verb, request, options = {}) {
      if (claims === undefined || "claims" in request) return ask(verb, request, options);
      try {
        return await ask(verb, { ...request, claims }, options);
      } catch (error) {
        if (!(error instanceof BellhopError) || error.code !== "daemon.version_mismatch") throw error;
        // A daemon older than claims in every request must still understand "stop".
        return ask(verb, request, options);
      }
    },
    ended: connection.ended,
    get daemonVersion() {
      return daemonVersion;
    },
    close: () => connection.close(),
  };
}

export async function connectIfRunning(socketPath: string, claims: Claims): Promise<Client | undefined> {
  try {
    return await connect(socketPath, claims);
  } catch (error) {
    if (error instanceof BellhopError && error.code === "daemon.not_running") return undefined;
    throw error;
  }
}

export function restartAdvice(daemonVersion: string): string {
  return `The daemon is version ${daemonVersion}, this command is ${VERSION}. Restart the daemon: bellhop down && bellhop up`;
}

/** The request may have taken effect before the daemon was lost: the command that shows whether it did. */
const SEEN_WITH: Partial<Record<Verb, string>> = {
  run: "bellhop ls",
  spawn: "bellhop ls",
  restart: "bellhop ls",
  session_stop: "bellhop ls",
};

function asTold(error: BellhopError, verb: Verb, daemonVersion: string | undefined): BellhopError {
  const seenWith = SEEN_WITH[verb];
  if (error.code === "daemon.unreachable" && seenWith !== undefined)
    return new BellhopError(error.code, {
      message: error.message,
      next: `Look with "bellhop status" and "bellhop logs". It may have been done all the same: check with "${seenWith}".`,
      cause: error.cause,
    });
  // If a daemon of another version does not understand us, that is not the user's mistake.
  if (error.code === "request.malformed" && daemonVersion !== undefined && daemonVersion !== VERSION)
    return new BellhopError("daemon.version_mismatch", {
      message: `The daemon is version ${daemonVersion} and does not understand "${verb}" of version ${VERSION}: ${error.message}`,
      next: "Restart it: bellhop down && bellhop up",
    });
  return error;
}
