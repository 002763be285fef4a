/**
 * The database of Messages, read only, where it stands: never a copy, and never as if it could not change, because
 * both miss what is still in its log. Every statement is short; all wait in the thread that serves everyone.
 */
import { statSync } from "node:fs";
import { LIMITS } from "../../core/message.ts";
import { sameText } from "../../core/outside/echo.ts";
import type { Connect, Database, PreparedStatement, SqlValue } from "../../system/sqlite-driver.ts";
import { canonicalHandle } from "./handle.ts";
import { type Cursor, type MessageRow, readRow } from "./message-row.ts";
import { UnknownSchema } from "./obstacles.ts";
import { type Pair, TWINS_WITHIN_NS, type Twin, twinsIn } from "./twins.ts";

const BUSY_TIMEOUT_MS = 250;
/** Of what a person wrote; the office cuts what is longer than a message may be. */
const LONGEST = 4 * LIMITS.bodyBytes;
/** Rows before and after a message among which its twin is looked for. */
const NEIGHBOURS = 100n;
const NEIGHBOURS_WITHIN_NS = 3n * TWINS_WITHIN_NS;
const DIRECT_CHAT = 45;

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  message: ["ROWID", "guid", "text", "handle_id", "is_from_me", "date", "service"],
  handle: ["ROWID", "id"],
  chat: ["ROWID", "style"],
  chat_message_join: ["chat_id", "message_id"],
};
/** Columns that not every version of macOS has, and what stands for them there. */
const PERHAPS: Readonly<Record<string, string>> = {
  attributedBody: "NULL",
  associated_message_type: "0",
  item_type: "0",
  cache_has_attachments: "0",
  thread_originator_guid: "NULL",
  error: "0",
};

export interface Span {
  /** Rows after this one … */
  readonly after: bigint;
  /** … up to this one. */
  readonly upTo: bigint;
}

export interface Batch {
  readonly rows: readonly MessageRow[];
  /** How far they reach. */
  readonly upTo: bigint;
}

export interface OwnRow {
  readonly guid: string;
  /** What Messages says went wrong; 0 if nothing did. */
  readonly error: number;
}

export class ChatDatabase {
  readonly #database: Database;
  readonly #identity: string;
  readonly #path: string;
  readonly #handles: ReadonlySet<string>;
  readonly #columns: ReadonlySet<string>;
  /** SQLite's own, for ids that are not used again. */
  readonly #hasCounter: boolean;
  readonly #statements = new Map<string, PreparedStatement>();

  /** Throws what `readingObstacle` can explain. */
  constructor(connect: Connect, path: string, handles: readonly string[]) {
    this.#path = path;
    this.#handles = new Set(handles);
    this.#identity = identityOf(path);
    this.#database = connect(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      this.#database.exec("PRAGMA query_only = ON");
      this.#database.exec("PRAGMA trusted_schema = OFF");
      for (const [table, needed] of Object.entries(NEEDED)) this.#check(table, needed);
      this.#columns = this.#columnsOf("message");
      this.#hasCounter = this.#columnsOf("sqlite_sequence").has("seq");
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Whether the file at the path is still the one that was opened. Throws if there is none. */
  isCurrent(): boolean {
    return identityOf(this.#path) === this.#identity;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** The highest id that a message ever had: ids are not used again, also if the newest messages are deleted. */
  newest(): bigint {
    const { newest } = this.#one("SELECT max(ROWID) AS newest FROM message");
    const counter = this.#hasCounter
      ? this.#one("SELECT seq FROM sqlite_sequence WHERE name = 'message'").seq
      : undefined;
    return [newest, counter].reduce<bigint>(
      (most, id) => (typeof id === "bigint" && id > most ? id : most),
      0n,
    );
  }

  /** The rows of our people, oldest first. */
  rows(cursor: Cursor, span: Span, most: number): Batch {
    const people = this.#peopleIn(span);
    if (people.size === 0) return { rows: [], upTo: span.upTo };
    const rows = this.#all(
      `${this.#select()} WHERE m.ROWID > ? AND m.ROWID <= ? AND m.is_from_me = ? AND m.handle_id IN (${marks(people.size)})
       GROUP BY m.ROWID ORDER BY m.ROWID LIMIT ?`,
      span.after,
      span.upTo,
      cursor === "self" ? 1n : 0n,
      ...people.keys(),
      BigInt(most),
    );
    const last = rows[most - 1]?.rowid;
    return {
      rows: rows.flatMap((row) => messageRow(row, cursor, people) ?? []),
      upTo: typeof last === "bigint" ? last : span.upTo,
    };
  }

  /** The pair that a message belongs to, in the chat with oneself. */
  pairOf(guid: string): Pair | undefined {
    const [found] = this.#all(
      `SELECT m.ROWID AS rowid, m.date AS date, min(j.chat_id) AS chat FROM message m
       JOIN chat_message_join j ON j.message_id = m.ROWID WHERE m.guid = ? GROUP BY m.ROWID`,
      guid,
    );
    const { rowid, date, chat } = found ?? {};
    if (typeof rowid !== "bigint" || typeof date !== "bigint" || typeof chat !== "bigint") return undefined;
    const pairs = twinsIn(this.#neighbours(chat, rowid, date));
    return pairs.find(({ first, second }) => first === guid || second === guid);
  }

  /** What was sent to this person in these words after that row, except for rows that are known already. */
  ownRow(
    said: { readonly handle: string; readonly essence: string; readonly after: bigint },
    known: ReadonlySet<string>,
  ): OwnRow | undefined {
    const span = { after: said.after, upTo: this.newest() };
    const found = this.rows("self", span, LIMITS.batch).rows.find(
      (row) => row.handle === said.handle && !known.has(row.guid) && essenceOfRow(row) === said.essence,
    );
    if (found === undefined) return undefined;
    const { error } = this.#one(
      `SELECT ${this.#column("error")} AS error FROM message m WHERE m.guid = ?`,
      found.guid,
    );
    return { guid: found.guid, error: Number(error) };
  }

  #neighbours(chat: bigint, rowid: bigint, date: bigint): readonly Twin[] {
    const where = `WHERE m.ROWID IN (SELECT message_id FROM chat_message_join WHERE chat_id = ? AND message_id BETWEEN ? AND ?)
      AND m.date BETWEEN ? AND ?`;
    const values = [
      ...[chat, rowid - NEIGHBOURS, rowid + NEIGHBOURS],
      ...[date - NEIGHBOURS_WITHIN_NS, date + NEIGHBOURS_WITHIN_NS],
    ];
    // In most chats one side writes at a time: their bodies need not be read.
    const { sides } = this.#one(
      `SELECT count(DISTINCT m.is_from_me) AS sides FROM message m ${where}`,
      ...values,
    );
    if (sides !== 2n) return [];
    const rows = this.#all(`${this.#select()} ${where} GROUP BY m.ROWID ORDER BY m.ROWID`, ...values);
    return rows.flatMap((row) => {
      const found = messageRow(row, row.is_from_me === 1n ? "self" : "inbound", "anyone");
      const essence = found === undefined ? undefined : essenceOfRow(found);
      return found === undefined || essence === undefined ? [] : { ...found, essence };
    });
  }

  /** Which of the rows' handles are our people's. One person has several: one for each service. */
  #peopleIn({ after, upTo }: Span): ReadonlyMap<bigint, string> {
    const people = new Map<bigint, string>();
    const rows = this.#all(
      `SELECT DISTINCT m.handle_id AS rowid, h.id AS id FROM message m JOIN handle h ON h.ROWID = m.handle_id
       WHERE m.ROWID > ? AND m.ROWID <= ?`,
      after,
      upTo,
    );
    for (const { rowid, id } of rows) {
      const handle = typeof id === "string" ? canonicalHandle(id) : undefined;
      if (handle !== undefined && this.#handles.has(handle) && typeof rowid === "bigint")
        people.set(rowid, handle);
    }
    return people;
  }

  #select(): string {
    const body = this.#column("attributedBody");
    return `SELECT m.ROWID AS rowid, m.guid AS guid, m.handle_id AS handle, m.is_from_me AS is_from_me, m.date AS date,
      m.service AS service,
      CASE WHEN length(m.text) <= ${LONGEST} THEN m.text END AS text,
      CASE WHEN length(${body}) <= ${LONGEST} THEN ${body} END AS body,
      length(m.text) > ${LONGEST} OR length(${body}) > ${LONGEST} AS is_too_long,
      ${this.#column("associated_message_type")} AS association, ${this.#column("item_type")} AS item_type,
      ${this.#column("cache_has_attachments")} AS has_attachments,
      ${this.#column("thread_originator_guid")} AS answers,
      min(c.ROWID) AS chat, count(c.ROWID) AS chats, sum(c.style = ${DIRECT_CHAT}) AS direct_chats
      FROM message m LEFT JOIN chat_message_join j ON j.message_id = m.ROWID LEFT JOIN chat c ON c.ROWID = j.chat_id`;
  }

  #column(name: keyof typeof PERHAPS): string {
    return this.#columns.has(name) ? `m.${name}` : (PERHAPS[name] ?? "NULL");
  }

  #check(table: string, needed: readonly string[]): void {
    const columns = this.#columnsOf(table);
    const missing = needed.find((name) => !columns.has(name));
    if (missing === undefined) return;
    throw new UnknownSchema(`The database of Messages has no column "${missing}" in its table "${table}".`);
  }

  #columnsOf(table: string): ReadonlySet<string> {
    const rows = this.#all("SELECT name FROM pragma_table_info(?)", table);
    return new Set(rows.map(({ name }) => String(name)));
  }

  #one(sql: string, ...values: SqlValue[]): Readonly<Record<string, unknown>> {
    return this.#all(sql, ...values)[0] ?? {};
  }

  #all(sql: string, ...values: SqlValue[]): readonly Readonly<Record<string, unknown>>[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      // Dates are nanoseconds, which a number cannot hold.
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values) as Readonly<Record<string, unknown>>[];
  }
}

function messageRow(
  row: Readonly<Record<string, unknown>>,
  cursor: Cursor,
  people: ReadonlyMap<bigint, string> | "anyone",
): MessageRow | undefined {
  const { rowid, guid, date, handle, text, body, answers, chat, chats } = row;
  const person = people === "anyone" ? "" : people.get(handle as bigint);
  if (typeof rowid !== "bigint" || typeof guid !== "string" || guid === "" || person === undefined)
    return undefined;
  return {
    rowid,
    guid,
    cursor,
    handle: person,
    date: typeof date === "bigint" ? date : 0n,
    service: String(row.service),
    text: typeof text === "string" ? text : undefined,
    body: body instanceof Uint8Array ? body : undefined,
    isTooLong: row.is_too_long === 1n,
    association: Number(row.association ?? 0),
    itemType: Number(row.item_type ?? 0),
    hasAttachments: row.has_attachments === 1n,
    answers: typeof answers === "string" && answers !== "" ? answers : undefined,
    chat: typeof chat === "bigint" ? chat : undefined,
    isDirect: chats === 0n ? undefined : row.direct_chats === chats,
  };
}

function essenceOfRow(row: MessageRow): string | undefined {
  const reading = readRow({ ...row, isDirect: true }, { sms: true, since: 0 });
  return reading.kind === "message" ? sameText(reading.text) : undefined;
}

/** Which file it is. Only asked for, never opened: closing it would drop SQLite's locks in this process. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

function marks(count: number): string {
  return Array.from({ length: count }, () => "?").join(",");
}
