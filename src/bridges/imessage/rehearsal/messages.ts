/**
 * A Messages app of one's own: it owns a `chat.db`, and sends what an `osascript` of its own hands it. For tests, and
 * for trying the bridge without a Mac.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../ports/clock.ts";
import { loadDriver } from "../../../system/sqlite-driver.ts";
import { Rows, type Written } from "./rows.ts";
import { SCHEMA } from "./schema.ts";

/** What becomes of messages that are to be sent. */
export interface Manners {
  readonly isAway?: boolean;
  /** The words of the next failure. */
  readonly fails?: string | undefined;
  /** Never answers, before or after it has written the message. */
  readonly hangs?: "before" | "after" | undefined;
  /** The person is the owner of this Mac: everything is there twice. */
  readonly isSelf?: boolean;
  readonly writesNothing?: boolean;
  readonly rowAfterMs?: number;
  /** Of the row that is written. */
  readonly error?: number;
}

/** What `osascript` was given. */
export interface Script {
  readonly script: string;
  readonly args: readonly string[];
  readonly environment: readonly string[];
}

export interface MessagesRehearsalOptions {
  readonly clock: Clock;
  /** Everything of it is there. */
  readonly folder: string;
  /** The file `osascript.mjs`. */
  readonly osascript: string;
  readonly schema?: string;
}

export class MessagesRehearsal {
  readonly chatDb: string;
  /** The folder with its `osascript`, for a PATH. */
  readonly bin: string;
  readonly rows: Rows;
  readonly scripts: Script[] = [];
  /** What was sent and is in the database. */
  readonly sent: { readonly to: string; readonly guid: string; readonly text: string }[] = [];
  readonly #server: Server;
  #manners: Manners = {};

  private constructor(folder: string, rows: Rows) {
    this.chatDb = databaseIn(folder);
    this.bin = join(folder, "bin");
    this.rows = rows;
    this.#server = createServer({ allowHalfOpen: true }, (connection) => {
      let request = "";
      connection.setEncoding("utf8").on("data", (text: string) => {
        request += text;
      });
      connection.on("error", () => {});
      connection.on("end", () => {
        void this.#send(JSON.parse(request) as Script).then((end) => connection.end(JSON.stringify(end)));
      });
    });
  }

  static async start(options: MessagesRehearsalOptions): Promise<MessagesRehearsal> {
    const { clock, folder, osascript, schema = SCHEMA } = options;
    const [path, connect] = [databaseIn(folder), await loadDriver()];
    mkdirSync(join(folder, "Messages"), { recursive: true });
    const messages = new MessagesRehearsal(folder, new Rows({ path, schema, connect, clock }));
    const socket = join(folder, "app.sock");
    mkdirSync(messages.bin);
    const words = [process.execPath, osascript, socket].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    writeFileSync(join(messages.bin, "osascript"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
    chmodSync(join(messages.bin, "osascript"), 0o755);
    await new Promise<void>((resolve, reject) => {
      messages.#server.once("error", reject).listen(socket, resolve);
    });
    // It makes the file, as the app does when it starts.
    void messages.rows.database;
    return messages;
  }

  behaves(manners: Manners): void {
    this.#manners = { ...this.#manners, ...manners };
  }

  /** The owner writes to themselves, on another device: it is there twice. */
  ownerSays(handle: string, text: string, answers?: string): void {
    const row: Written = { text, from: handle, ...(answers === undefined ? {} : { answers }) };
    this.rows.write({ ...row, isFromMe: true });
    this.rows.write(row);
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    this.rows.close();
  }

  /** What `osascript` prints and returns. */
  async #send(script: Script): Promise<{ readonly status: number; readonly stderr: string }> {
    this.scripts.push(script);
    const [dash, to = "", text = ""] = script.args;
    const failure = (words: string) => ({ status: 1, stderr: `128:183: execution error: ${words}\n` });
    if (dash !== "-") return { status: 2, stderr: `osascript: ${dash}: No such file or directory\n` };
    const { isAway, fails, hangs, rowAfterMs } = this.#manners;
    if (isAway === true) return failure("Messages got an error: Application isn’t running. (-600)");
    if (fails !== undefined) {
      this.behaves({ fails: undefined });
      return failure(fails);
    }
    if (hangs === "before") return new Promise(() => {});
    const writing = sleep(rowAfterMs ?? 0).then(() => this.#writeSent(to, text));
    if (rowAfterMs === undefined) await writing;
    if (this.#manners.hangs === "after") return new Promise(() => {});
    return { status: 0, stderr: "" };
  }

  #writeSent(to: string, text: string): void {
    const { writesNothing, error, isSelf } = this.#manners;
    if (writesNothing === true) return;
    const columns = error === undefined ? {} : { columns: { error } };
    const guid = this.rows.write({ text, from: to, isFromMe: true, ...columns });
    this.sent.push({ to, guid, text });
    if (isSelf === true) this.rows.write({ text, from: to });
  }
}

function databaseIn(folder: string): string {
  return join(folder, "Messages", "chat.db");
}
