/** `status`, `stop` and `attach` as the socket's callers say them: with `to` they mean one session. */
import type { Verb } from "../../wire/verbs/index.ts";
import { readVerb } from "../caller/requests.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly verb: Verb;
  readonly fields: Fields;
}

/** Of one session what they are of the daemon. */
const OF_ONE_SESSION: Partial<Record<Verb, Verb>> = {
  status: "session",
  stop: "session_stop",
  attach: "attach",
};

export function readAsked(type: unknown, fields: Fields): Asked {
  const verb = readVerb(type);
  const ofSession = OF_ONE_SESSION[verb];
  if (ofSession === undefined || fields.to === undefined) return { verb, fields };
  const { to: who, ...others } = fields;
  if (ofSession !== "attach") return { verb: ofSession, fields: { who, ...others } };
  // A viewer tells the terminal's host how large its window is.
  const { cols: _cols, rows: _rows, ...rest } = others;
  return { verb: ofSession, fields: { who, ...rest } };
}
