import type { PushSubscription } from "../../../core/web/push-subscription.ts";
import { NUMBER, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const PUSH_SUBSCRIPTIONS = new Table<PushSubscription>({
  name: "push_subscriptions",
  key: "webSession",
  fields: {
    webSession: ["web_session", TEXT],
    endpoint: ["endpoint", TEXT],
    publicKey: ["public_key", TEXT],
    secret: ["secret", TEXT],
    since: ["since", NUMBER],
  },
});

export const pushSubscriptionWrites = { putPushSubscription, removePushSubscription };
export const pushSubscriptionReads = { pushSubscriptions };

function putPushSubscription(connection: Connection, subscription: PushSubscription): void {
  const { webSession, endpoint } = subscription;
  removePushSubscription(connection, webSession);
  // A browser that logs in anew keeps its endpoint, and must not hear everything twice.
  connection.sql("DELETE FROM push_subscriptions WHERE endpoint = ?").run(endpoint);
  connection
    .sql(
      `INSERT INTO push_subscriptions (${PUSH_SUBSCRIPTIONS.columns}) VALUES (${PUSH_SUBSCRIPTIONS.marks})`,
    )
    .run(...PUSH_SUBSCRIPTIONS.values(subscription));
}

export function removePushSubscription(connection: Connection, webSession: string): void {
  connection.sql("DELETE FROM push_subscriptions WHERE web_session = ?").run(webSession);
}

function pushSubscriptions(connection: Connection): readonly PushSubscription[] {
  const rows = connection
    .sql(`SELECT ${PUSH_SUBSCRIPTIONS.selected} FROM push_subscriptions ORDER BY since, web_session`)
    .all();
  return PUSH_SUBSCRIPTIONS.readAll(connection, rows);
}
