import type { AgentName, SessionId } from "../../../core/message.ts";
import type { Subscription, SubscriptionOwner } from "../../../ports/store.ts";
import { choice, decodeAll, number, text } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

const COLUMNS = "agent, session_id, pattern, added_at, origin";

/** One that is there stays as it is, but for who declared it. */
export function putSubscription(connection: Connection, subscription: Subscription): void {
  connection
    .sql(
      `INSERT INTO subscriptions (${COLUMNS}) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (agent, session_id, pattern) DO UPDATE SET origin = excluded.origin`,
    )
    .run(...keyOf(subscription.owner), subscription.pattern, subscription.addedAt, subscription.origin);
}

/** Whether it was there. */
export function removeSubscription(
  connection: Connection,
  owner: SubscriptionOwner,
  pattern: string,
): boolean {
  const removed = connection
    .sql("DELETE FROM subscriptions WHERE agent = ? AND session_id = ? AND pattern = ?")
    .run(...keyOf(owner), pattern);
  return removed > 0;
}

export function allSubscriptions(connection: Connection): readonly Subscription[] {
  const rows = connection.sql(`SELECT ${COLUMNS} FROM subscriptions`).all();
  return decodeAll(connection, "subscriptions", "pattern", rows, readSubscription);
}

/** In order of their time. */
export function subscriptionsOf(connection: Connection, owner: SubscriptionOwner): readonly Subscription[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM subscriptions WHERE agent = ? AND session_id = ? ORDER BY added_at, pattern`)
    .all(...keyOf(owner));
  return decodeAll(connection, "subscriptions", "pattern", rows, readSubscription);
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

function readSubscription(row: Row): Subscription {
  const sessionId = text(row, "session_id");
  return {
    owner: sessionId === "" ? { kind: "agent", agent: text(row, "agent") } : { kind: "session", sessionId },
    pattern: text(row, "pattern"),
    addedAt: number(row, "added_at"),
    origin: choice(row, "origin", ["asked", "declared"]),
  };
}
