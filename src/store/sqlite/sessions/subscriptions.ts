import type { AgentName, SessionId } from "../../../core/message.ts";
import type { Subscription, SubscriptionOwner } from "../../../ports/store.ts";
import { choice, NUMBER, TEXT } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { Table } from "../table.ts";

/** The owner is in one of two columns; the other is empty. */
interface StoredSubscription extends Omit<Subscription, "owner"> {
  readonly agent: AgentName | "";
  readonly sessionId: SessionId | "";
}

const SUBSCRIPTIONS = new Table<StoredSubscription>({
  name: "subscriptions",
  key: "pattern",
  fields: {
    agent: ["agent", TEXT],
    sessionId: ["session_id", TEXT],
    pattern: ["pattern", TEXT],
    addedAt: ["added_at", NUMBER],
    origin: ["origin", choice(["asked", "declared"])],
  },
});
const SELECT = `SELECT ${SUBSCRIPTIONS.selected} FROM subscriptions`;

export const subscriptionReads = { subscriptions, subscriptionsAfter, subscriptionsOf };
export const subscriptionWrites = { putSubscription, removeSubscription };

/** An existing one changes only its origin. */
function putSubscription(connection: Connection, { owner, ...rest }: Subscription): void {
  const [agent, sessionId] = keyOf(owner);
  connection
    .sql(
      `INSERT INTO subscriptions (${SUBSCRIPTIONS.columns}) VALUES (${SUBSCRIPTIONS.marks})
       ON CONFLICT (agent, session_id, pattern) DO UPDATE SET origin = excluded.origin`,
    )
    .run(...SUBSCRIPTIONS.values({ agent, sessionId, ...rest }));
}

/** Returns whether it existed. */
function removeSubscription(connection: Connection, owner: SubscriptionOwner, pattern: string): boolean {
  const removed = connection
    .sql("DELETE FROM subscriptions WHERE agent = ? AND session_id = ? AND pattern = ?")
    .run(...keyOf(owner), pattern);
  return removed > 0;
}

function subscriptions(connection: Connection): readonly Subscription[] {
  return read(connection, connection.sql(SELECT).all());
}

const AFTER = `${SELECT} WHERE (agent, session_id, pattern) > (?, ?, ?)
  ORDER BY agent, session_id, pattern LIMIT 0 + ?`;

function subscriptionsAfter(
  connection: Connection,
  after: Subscription | undefined,
  limit: number,
): readonly Subscription[] {
  const key = after === undefined ? ["", "", ""] : [...keyOf(after.owner), after.pattern];
  return read(connection, connection.sql(AFTER).all(...key, limit));
}

/** In the order in which they were added. */
function subscriptionsOf(connection: Connection, owner: SubscriptionOwner): readonly Subscription[] {
  const rows = connection
    .sql(`${SELECT} WHERE agent = ? AND session_id = ? ORDER BY added_at, pattern`)
    .all(...keyOf(owner));
  return read(connection, rows);
}

export function moveSubscriptions(connection: Connection, from: AgentName, to: AgentName): void {
  connection.sql("UPDATE OR REPLACE subscriptions SET agent = ? WHERE agent = ?").run(to, from);
}

export function removeSubscriptionsOf(
  connection: Connection,
  agent: AgentName,
  sessions: readonly SessionId[],
): void {
  connection.sql("DELETE FROM subscriptions WHERE agent = ?").run(agent);
  for (const session of sessions)
    connection.sql("DELETE FROM subscriptions WHERE agent = '' AND session_id = ?").run(session);
}

function keyOf(owner: SubscriptionOwner): readonly [agent: string, session: string] {
  return owner.kind === "agent" ? [owner.agent, ""] : ["", owner.sessionId];
}

function read(connection: Connection, rows: readonly Row[]): readonly Subscription[] {
  return SUBSCRIPTIONS.readAll(connection, rows).map(({ agent, sessionId, ...rest }) => ({
    owner: sessionId === "" ? { kind: "agent", agent } : { kind: "session", sessionId },
    ...rest,
  }));
}
