/** Writes rows into a `chat.db` as the Messages app does. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { Connect, Database, SqlValue } from "../../../system/sqlite-driver.ts";
import { attributedBody } from "./attributed-body.ts";

const APPLE_EPOCH_MS = 978_307_200_000;
const BUSY_TIMEOUT_MS = 5_000;
const [DIRECT, GROUP] = [45, 43];

/** A message as it gets into the database. */
export interface Written {
  readonly text?: string;
  /** The person in whose chat it stands. */
  readonly from: string;
  readonly isFromMe?: boolean;
  readonly service?: string;
  /** The identifier of a group chat. */
  readonly group?: string;
  readonly guid?: string;
  readonly answers?: string;
  readonly atMs?: number;
  /** In `text`, as older versions of macOS wrote it. */
  readonly isPlain?: boolean;
  readonly joins?: "at once" | "never" | { readonly afterMs: number };
  readonly bodyBase64?: string;
  readonly columns?: Readonly<Record<string, string | number>>;
}

export interface RowsOptions {
  readonly path: string;
  readonly schema: string;
  readonly connect: Connect;
  readonly clock: Clock;
}

export class Rows {
  readonly #options: RowsOptions;
  #open: Database | undefined;

  constructor(options: RowsOptions) {
    this.#options = options;
  }

  get database(): Database {
    if (this.#open !== undefined) return this.#open;
    const { path, schema, connect } = this.#options;
    const database = connect(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    this.#open = database;
    database.exec("PRAGMA journal_mode = WAL");
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'message'").get();
    if (table === undefined) database.exec(schema);
    return database;
  }

  /** Until the next thing is written: files can be replaced. */
  close(): void {
    this.#open?.close();
    this.#open = undefined;
  }

  /** The message first, and in a transaction of its own what says to which chat it belongs. Returns the guid. */
  write(row: Written): string {
    const { text, from, service = "iMessage", group, joins = "at once" } = row;
    const guid = row.guid ?? randomUUID().toUpperCase();
    const date = BigInt((row.atMs ?? this.#options.clock.now()) - APPLE_EPOCH_MS) * 1_000_000n + 123n;
    const chat = this.#chat(group ?? from, group === undefined ? DIRECT : GROUP);
    const message = this.#insert("message", {
      guid,
      handle_id: this.#handle(from, service),
      ...{ service, is_from_me: row.isFromMe === true ? 1 : 0, date, is_finished: 1 },
      text: row.isPlain === true ? (text ?? null) : null,
      ...(row.isPlain === true || text === undefined ? {} : { attributedBody: attributedBody(text) }),
      ...(row.answers === undefined
        ? {}
        : { thread_originator_guid: row.answers, thread_originator_part: "0:0:5" }),
      ...row.columns,
      ...(row.bodyBase64 === undefined ? {} : { attributedBody: Buffer.from(row.bodyBase64, "base64") }),
    });
    const join = () =>
      void this.#insert("chat_message_join", { chat_id: chat, message_id: message, message_date: date });
    if (joins === "at once") join();
    else if (joins !== "never") this.#options.clock.after(joins.afterMs, join);
    return guid;
  }

  #handle(id: string, service: string): bigint {
    return (
      this.#rowid("SELECT ROWID AS id FROM handle WHERE id = ? AND service = ?", id, service) ??
      this.#insert("handle", { id, service, country: "us" })
    );
  }

  #chat(identifier: string, style: number): bigint {
    const guid = `any;${style === DIRECT ? "-" : "+"};${identifier}`;
    return (
      this.#rowid("SELECT ROWID AS id FROM chat WHERE guid = ?", guid) ??
      this.#insert("chat", {
        ...{ guid, style, state: 3, chat_identifier: identifier, service_name: "iMessage" },
      })
    );
  }

  #rowid(sql: string, ...values: SqlValue[]): bigint | undefined {
    const found = this.database.prepare(sql).get(...values) as { readonly id: number } | undefined;
    return found === undefined ? undefined : BigInt(found.id);
  }

  #insert(table: string, columns: Readonly<Record<string, SqlValue>>): bigint {
    const names = Object.keys(columns);
    const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    return BigInt(this.database.prepare(sql).run(...Object.values(columns)).lastInsertRowid);
  }
}
