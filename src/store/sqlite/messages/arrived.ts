/** What arrived last in a session. A list asks this for every session, so it is cached once it was read. */
import { ARRIVED_STATES, type SessionId } from "../../../core/message.ts";
import type { ArrivedText } from "../../../ports/store.ts";
import type { Connection } from "../connection.ts";
import { attemptedIn } from "./queue.ts";

export const MOST_ARRIVED = 4;
const LONGEST_KEPT = 500;

export function arrivedIn(connection: Connection, sessionId: SessionId): readonly ArrivedText[] {
  connection.memory.arrived ??= new Map();
  const known = connection.memory.arrived.get(sessionId) ?? readArrived(connection, sessionId);
  connection.memory.arrived.set(sessionId, known);
  return known;
}

function readArrived(connection: Connection, sessionId: SessionId): readonly ArrivedText[] {
  const items = attemptedIn(connection, sessionId, ARRIVED_STATES, MOST_ARRIVED);
  return items.map(({ message: { source, form, body } }) => ({
    source,
    form,
    body: body.slice(0, LONGEST_KEPT),
  }));
}
