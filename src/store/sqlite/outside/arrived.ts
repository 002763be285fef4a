/** Where messages came from, and what bridges keep. */
import type { Address, MessageId } from "../../../core/message.ts";
import { BRIDGE_NAMES, type BridgeName } from "../../../core/outside/places.ts";
import type { Kept } from "../../../ports/bridge.ts";
import type { Keeper, Origin } from "../../../ports/outside-store.ts";
import { choice, json, optional, TEXT, text } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

export const BRIDGE = choice(BRIDGE_NAMES);
const IDS = json((value): value is readonly string[] => isTexts(value));

const ORIGINS = new Table<Origin>({
  name: "origins",
  key: "message_id",
  fields: {
    messageId: ["message_id", TEXT],
    bridge: ["bridge", BRIDGE],
    path: ["path", TEXT],
    externalId: ["external_id", TEXT],
    answerable: ["answerable", TEXT],
    thread: ["thread", optional(TEXT)],
    topic: ["topic", optional(TEXT)],
    button: ["button", optional(TEXT)],
    answers: ["answers", IDS],
  },
});

export const arrivedReads = { bridgeKept, origin, arrivedAs, hasArrivedFrom };
export const arrivedWrites = { keepForBridge, putOrigin };

function bridgeKept(connection: Connection, bridge: Keeper, key: string): string | undefined {
  const row = connection.sql("SELECT value FROM bridge_kept WHERE bridge = ? AND key = ?").get(bridge, key);
  return row === undefined ? undefined : text(row, "value");
}

function keepForBridge(connection: Connection, bridge: Keeper, kept: Kept): void {
  for (const [key, value] of Object.entries(kept)) {
    if (value === null)
      connection.sql("DELETE FROM bridge_kept WHERE bridge = ? AND key = ?").run(bridge, key);
    else
      connection
        .sql("INSERT OR REPLACE INTO bridge_kept (bridge, key, value) VALUES (?, ?, ?)")
        .run(bridge, key, value);
  }
}

function origin(connection: Connection, messageId: MessageId): Origin | undefined {
  const row = connection.sql(`SELECT ${ORIGINS.selected} FROM origins WHERE message_id = ?`).get(messageId);
  return ORIGINS.read(connection, row);
}

function arrivedAs(connection: Connection, bridge: BridgeName, externalId: string): MessageId | undefined {
  const row = connection
    .sql("SELECT message_id FROM origins WHERE bridge = ? AND external_id = ?")
    .get(bridge, externalId);
  return row === undefined ? undefined : text(row, "message_id");
}

function hasArrivedFrom(connection: Connection, path: Address): boolean {
  return connection.sql("SELECT 1 FROM origins WHERE path = ? LIMIT 1").get(path) !== undefined;
}

function putOrigin(connection: Connection, one: Origin): void {
  connection
    .sql(`INSERT INTO origins (${ORIGINS.columns}) VALUES (${ORIGINS.marks})`)
    .run(...ORIGINS.values(one));
}

/** With its message: until then the same arrival is known. */
export function forgetOrigin(connection: Connection, messageId: MessageId): void {
  connection.sql("DELETE FROM origins WHERE message_id = ?").run(messageId);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
