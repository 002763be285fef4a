/** The daemon's Unix socket, one JSON object per line: any number of calls per connection. Needs only `node:net`. */
import { createConnection } from "node:net";
import { BellhopError, type ErrorDetail } from "../core/errors.ts";
import { snakeKey, toCamel, toSnake } from "../wire/casing.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { RequestOf, ResponseOf, Verb } from "../wire/verbs/index.ts";
import { VERSION } from "../wire/version.ts";
import {
  CLIENT_LIMITS,
  type Fields,
  type Heard,
  openConnection,
  type Place,
  type Request,
  type TransportEar,
} from "./transport/connection.ts";
import { errorFrom, lost, unreadable, whyNoConnection } from "./transport/failures.ts";
import { lineTexts } from "./transport/line-texts.ts";
import { beginsWithPush, PushedLines } from "./transport/pushed-lines.ts";

export interface CallOptions {
  /** How long the answer may take; `never` for calls that wait on purpose. */
  readonly timeoutMs?: number | "never";
  /** Only the ids of what was sent, for a caller that reads no more: once the daemon has said that it can be brief. */
  readonly brief?: boolean;
}

export interface Client {
  call<V extends Verb>(verb: V, request: RequestOf<V>, options?: CallOptions): Promise<ResponseOf<V>>;
  /** For an answer of which little is needed: `read` gets it with the wire's own names. */
  ask<V extends Verb, Answer>(
    verb: V,
    request: Omit<RequestOf<V>, "claims">,
    read: (answer: Fields) => Answer,
    options?: CallOptions,
  ): Promise<Answer>;
  /** Known after the first answer. */
  readonly daemonVersion: string | undefined;
  /** Resolves when the connection is over, no matter which side ended it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

/** `heard` is called with each line, with the wire's own names. */
export function unixSocket(path: string, heard: (said: Fields) => void = () => {}): Place {
  const read = (line: string): Heard => {
    const said = JSON.parse(line) as Fields;
    heard(said);
    if (said.type === "push") return { kind: "push", push: said };
    const to = typeof said.req_id === "number" ? said.req_id : undefined;
    if (said.ok === true) return { kind: "answer", to, answer: said.result as Fields };
    return { kind: "refusal", to, error: errorFrom(toCamel(said.error) as Partial<ErrorDetail> | undefined) };
  };
  const written = writing();
  return {
    name: path,
    named: (answer) => toCamel(answer) as Fields,
    dial(ear) {
      const socket = createConnection(path);
      let broken = (error: Error) => whyNoConnection(path, error);
      const textOf = lineTexts(CLIENT_LIMITS.answerBytes);
      socket.on("connect", () => {
        broken = lost;
        ear.opened();
      });
      socket.on("data", (chunk: Buffer) => {
        try {
          hearLines(textOf(chunk), ear, read);
        } catch (error) {
          ear.over(unreadable(error));
        }
      });
      socket.on("error", (error) => ear.over(broken(error)));
      socket.on("close", () => ear.over(lost()));
      // What is asked in one turn of the event loop is written at once.
      let waiting = "";
      const write = (): void => {
        socket.write(waiting);
        waiting = "";
      };
      return {
        send(id, request) {
          if (waiting === "") process.nextTick(write);
          waiting += written(id, request);
        },
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        close: () => void socket.destroy(),
      };
    },
  };
}

function hearLines(text: string, ear: TransportEar, read: (line: string) => Heard): void {
  for (let at = 0; at < text.length; ) {
    if (ear.pushed !== undefined && beginsWithPush(text, at)) {
      const pushes = new PushedLines(text, at);
      at = pushes.end;
      ear.pushed(pushes);
    } else {
      const end = text.indexOf("\n", at);
      const line = text.slice(at, end).trim();
      at = end + 1;
      // An empty line only asks whether we are there.
      if (line !== "") ear.heard(() => read(line));
    }
  }
}

/**
 * `claims` go with every call that has none of its own. Throws `daemon.not_running` if nothing listens, `daemon.blocked`
 * in a sandbox, and `daemon.unreachable` if it cannot tell.
 */
export async function connect(socketPath: string, claims?: Claims): Promise<Client> {
  let daemonVersion: string | undefined;
  let canBeBrief = false;
  const connection = await openConnection(
    unixSocket(socketPath, ({ version, can_be_brief: saysSo }) => {
      if (typeof version === "string") daemonVersion = version;
      if (saysSo === true) canBeBrief = true;
    }),
  );
  const ask = <Answer>(
    request: Request & { readonly type: Verb },
    read: (answer: Fields) => Answer,
    { timeoutMs, brief }: CallOptions,
  ): Promise<Answer> => {
    const why = connection.lost();
    if (why !== undefined) return Promise.reject(why);
    const { type, fields, claims: claimed } = request;
    const asked = brief === true && canBeBrief ? { type, fields, claims: claimed, brief } : request;
    return connection.ask(asked, read, timeoutMs).catch((error: unknown) => {
      throw error instanceof BellhopError ? asTold(error, request.type, daemonVersion) : error;
    });
  };
  const client: Client = {
    async call(verb, request, options = {}) {
      type Answer = ResponseOf<typeof verb>;
      const read = (answer: Fields): Answer => toCamel(answer) as Answer;
      try {
        return await client.ask(verb, request, read, options);
      } catch (error) {
        const isTooOld = error instanceof BellhopError && error.code === "daemon.version_mismatch";
        if (!isTooOld || claims === undefined || "claims" in request) throw error;
        // A daemon older than claims in every request must still understand "stop".
        return ask({ type: verb, fields: request as unknown as Fields }, read, options);
      }
    },
    ask: (verb, request, read, options = {}) =>
      ask(
        {
          type: verb,
          fields: request as unknown as Fields,
          claims: "claims" in request ? undefined : claims,
        },
        read,
        options,
      ),
    ended: connection.ended,
    get daemonVersion() {
      return daemonVersion;
    },
    close: () => connection.close(),
  };
  return client;
}

const BRIEF = ',"brief":true';

/** One line for each request. The claims of a connection stay the same, so their text is kept. */
function writing(): (id: number, request: Request) => string {
  let known: Request["claims"];
  let claimed = "";
  return (id, { type, fields, claims, brief }) => {
    if (claims !== known) {
      known = claims;
      claimed = claims === undefined ? "" : `,"claims":${JSON.stringify(toSnake(claims))}`;
    }
    const said = fieldsInSnake(fields);
    return `{${said}${said === "" ? "" : ","}"type":"${type}","req_id":${id},"version":"${VERSION}"${brief === true ? BRIEF : ""}${claimed}}\n`;
  };
}

/** The fields of an object as JSON has them: plain values, which most are, without a copy of them under other names. */
export function fieldsInSnake(fields: Fields): string {
  let text = "";
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined) continue;
    if (
      value !== null &&
      typeof value !== "string" &&
      typeof value !== "number" &&
      typeof value !== "boolean"
    )
      return JSON.stringify(toSnake(fields)).slice(1, -1);
    text += `${text === "" ? "" : ","}${JSON.stringify(snakeKey(key))}:${JSON.stringify(value)}`;
  }
  return text;
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
