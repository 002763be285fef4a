/** The client library: one connection to the daemon, any number of calls on it. Needs nothing but `node:net`. */
import { BellhopError } from "../core/errors.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { RequestOf, ResponseOf, Verb } from "../wire/verbs/index.ts";
import { VERSION } from "../wire/version.ts";
import { openConnection } from "./transport/connection.ts";
import { unixSocket } from "./transport/unix.ts";

export interface CallOptions {
  /** How long the answer may take; `never` for calls that wait on purpose. */
  readonly timeoutMs?: number | "never";
}

export interface Client {
  call<V extends Verb>(verb: V, request: RequestOf<V>, options?: CallOptions): Promise<ResponseOf<V>>;
  /** Known after the first answer. */
  readonly daemonVersion: string | undefined;
  /** Resolves when the connection is over, whoever ended it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

/** `claims`: who asks, said with every call that does not say so itself. Throws `daemon.not_running` when nobody listens, `daemon.blocked` in a sandbox, `daemon.unreachable` when it cannot tell. */
export async function connect(socketPath: string, claims?: Claims): Promise<Client> {
  let daemonVersion: string | undefined;
  const connection = await openConnection(
    unixSocket(socketPath, (version) => {
      daemonVersion = version;
    }),
  );
  const ask = async <V extends Verb>(verb: V, request: object, { timeoutMs }: CallOptions) => {
    const lost = connection.lost();
    if (lost !== undefined) throw lost;
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
        // A daemon from before every request said who asks must still be told to stop.
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

/** What was asked may have been done before the daemon went: where that is to be seen. */
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
  // A daemon of another version that does not understand us is not our user's mistake.
  if (error.code === "request.malformed" && daemonVersion !== undefined && daemonVersion !== VERSION)
    return new BellhopError("daemon.version_mismatch", {
      message: `The daemon is version ${daemonVersion} and does not understand "${verb}" of version ${VERSION}: ${error.message}`,
      next: "Restart it: bellhop down && bellhop up",
    });
  return error;
}
