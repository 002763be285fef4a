/** A message that was pushed over the Unix socket. */
import { toCamel } from "../wire/casing.ts";
import type { BrokerMessage, HandledBy } from "../wire/shapes/broker.ts";

type Told = Omit<BrokerMessage, "shortId" | "externalId" | "handledBy"> & {
  readonly short_id: string;
  readonly external_id: string | null;
  readonly handled_by?: readonly unknown[];
};

/** Field by field: a listener hears many, and a general renaming takes longer than all the rest. */
export function messageFrom(heard: unknown): BrokerMessage {
  const told = heard as Told;
  const { id, from, path, command, payload, body, status, state, timestamp, source, handled } = told;
  if (typeof id !== "string") throw new Error("this is no message");
  const message: { -readonly [Field in keyof BrokerMessage]: BrokerMessage[Field] } = {
    id,
    shortId: told.short_id,
    from,
    path,
    command,
    payload,
    body,
    status,
    timestamp,
    source,
    externalId: told.external_id,
  };
  if (state !== undefined) message.state = state;
  if (handled !== undefined) message.handled = handled;
  if (told.handled_by !== undefined) message.handledBy = toCamel(told.handled_by) as readonly HandledBy[];
  if (told.redelivered === true) message.redelivered = true;
  return message;
}
