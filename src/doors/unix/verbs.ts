/** `status`, `stop` and `attach` as the socket's callers use them: with `to` they refer to one session. */
import type { Verb } from "../../wire/verbs/index.ts";
import { readVerb } from "../caller/requests.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface VerbRequest {
  readonly verb: Verb;
  readonly fields: Fields;
}

/** The verb for one session, by the verb for the daemon. */
const OF_ONE_SESSION: Partial<Record<Verb, Verb>> = {
  status: "session",
  stop: "session_stop",
  attach: "attach",
};

export function readVerbRequest(type: unknown, fields: Fields): VerbRequest {
  const verb = readVerb(type);
  const ofSession = OF_ONE_SESSION[verb];
  if (ofSession === undefined || fields.to === undefined) return { verb, fields };
  const { to: who, ...others } = fields;
  if (ofSession !== "attach") return { verb: ofSession, fields: { who, ...others } };
  // A viewer tells its window's size to the terminal's host.
  const { cols: _cols, rows: _rows, ...rest } = others;
  return { verb: ofSession, fields: { who, ...rest } };
}
