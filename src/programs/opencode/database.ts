/** Reads a conversation from OpenCode's database, as lines, newest first. It never writes there. */
import { statSync } from "node:fs";
import {
  type Connect,
  type Database,
  loadDriver,
  type PreparedStatement,
} from "../../system/sqlite-driver.ts";
import { parseJson } from "../transcripts/line.ts";
import { type BackwardsLine, TooFarBack } from "../transcripts/lines-backwards.ts";
import { conversationLines, type MessageRow } from "./transcript/rows.ts";

const MESSAGES_AT_ONCE = 20;
const BUSY_MS = 500;
/** Of different homes of OpenCode. */
const MOST_OPEN = 4;

const QUERY = `
  SELECT id, time_created AS at, data,
    (SELECT json_group_array(json(data)) FROM (SELECT data FROM part WHERE message_id = message.id ORDER BY id)) AS parts
  FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT ? OFFSET ?`;

interface Opened {
  readonly file: string;
  readonly inode: number;
  readonly database: Database;
  readonly messages: PreparedStatement;
}

let connect: Promise<Connect> | undefined;
/** A statement keeps its files open until it is collected, so each database is opened only once. */
let opened: readonly Opened[] = [];

/** `path`: the database and, behind a `#`, the conversation. */
export async function* linesInDatabase(path: string, mostBytes: number): AsyncGenerator<BackwardsLine, void> {
  const [, file = "", conversation = ""] = /^(\/.+)#(\w+)$/s.exec(path) ?? [];
  if (file === "") throw new Error("it does not name a conversation of OpenCode");
  connect ??= loadDriver();
  // Held as a whole as long as it is read: a database that nobody holds is closed under its statement.
  const known = openedAt(file, await connect);
  const lines = conversationLines();
  let bytes = 0;
  for (let offset = 0; ; offset += MESSAGES_AT_ONCE) {
    const rows = known.messages.all(conversation, MESSAGES_AT_ONCE, offset).flatMap(rowIn);
    for (const row of rows) {
      const text = JSON.stringify(lines(row));
      bytes += Buffer.byteLength(text);
      if (bytes > mostBytes) throw new TooFarBack(mostBytes);
      yield { text, state: "whole" };
    }
    if (rows.length < MESSAGES_AT_ONCE) return;
  }
}

function openedAt(file: string, connectTo: Connect): Opened {
  const { ino: inode } = statSync(file);
  const known = opened.find((each) => each.file === file && each.inode === inode);
  if (known !== undefined) return known;
  const database = connectTo(file, { readOnly: true, busyTimeoutMs: BUSY_MS });
  const messages = database.prepare(QUERY);
  const added = { file, inode, database, messages };
  opened = [added, ...opened.filter((each) => each.file !== file)].slice(0, MOST_OPEN);
  return added;
}

function rowIn(row: unknown): readonly MessageRow[] {
  const { id, at, data, parts } = row as Readonly<Record<string, unknown>>;
  if (typeof id !== "string") return [];
  return [{ id, at: Number(at), data: parseJson(String(data)), parts: parseJson(String(parts)) }];
}
