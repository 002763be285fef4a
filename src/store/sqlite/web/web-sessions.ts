import type { Instant } from "../../../core/message.ts";
import type { WebSession } from "../../../core/web/web-session.ts";
import { NUMBER, SHOWN_TEXT, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { removePushSubscription } from "./push-subscriptions.ts";

const WEB_SESSIONS = new Table<WebSession>({
  name: "web_sessions",
  key: "id",
  fields: {
    id: ["id", TEXT],
    cookieDigest: ["cookie_digest", TEXT],
    keyDigest: ["key_digest", TEXT],
    browser: ["browser", SHOWN_TEXT],
    host: ["host", SHOWN_TEXT],
    loggedInAt: ["logged_in_at", NUMBER],
    seenAt: ["seen_at", NUMBER],
  },
});

export const webSessionWrites = { putWebSession, seeWebSession, removeWebSession };
export const webSessionReads = { webSessions, webSessionByCookie };

function putWebSession(connection: Connection, session: WebSession): void {
  connection
    .sql(`INSERT INTO web_sessions (${WEB_SESSIONS.columns}) VALUES (${WEB_SESSIONS.marks})`)
    .run(...WEB_SESSIONS.values(session));
}

function seeWebSession(connection: Connection, id: string, at: Instant): void {
  connection.sql("UPDATE web_sessions SET seen_at = ? WHERE id = ?").run(at, id);
}

function removeWebSession(connection: Connection, id: string): void {
  connection.sql("DELETE FROM web_sessions WHERE id = ?").run(id);
  removePushSubscription(connection, id);
}

function webSessions(connection: Connection): readonly WebSession[] {
  const rows = connection
    .sql(`SELECT ${WEB_SESSIONS.selected} FROM web_sessions ORDER BY seen_at DESC, id`)
    .all();
  return WEB_SESSIONS.readAll(connection, rows);
}

function webSessionByCookie(connection: Connection, cookieDigest: string): WebSession | undefined {
  const row = connection
    .sql(`SELECT ${WEB_SESSIONS.selected} FROM web_sessions WHERE cookie_digest = ?`)
    .get(cookieDigest);
  return WEB_SESSIONS.read(connection, row);
}
