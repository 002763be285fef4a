/**
 * Reads what people wrote. Looks when the folder of the database changes, and every few seconds in any case: the
 * watcher is only a hint. One look at a time; each message is on disk before the next one is read.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Arrival, BridgeHealth, OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Connect } from "../../system/sqlite-driver.ts";
import { ChatDatabase, type OwnRow } from "./chat-database.ts";
import { Cursors } from "./cursors.ts";
import { pathOf } from "./handle.ts";
import { CURSORS, type Cursor, type MessageRow, type Reading, readRow } from "./message-row.ts";
import { lostPosition, type Obstacle, readingObstacle } from "./obstacles.ts";

/** Messages writes several times for each message. */
const REST_AFTER_HINT_MS = 150;
/** How long a message may be incomplete before it is passed over. */
const INCOMPLETE_MS = 3_000;
const LOOK_AGAIN_MS = 250;
/** After the store could not write. */
const TRY_AGAIN_MS = 1_000;
/** At once; also of those that are of no interest, because every look keeps everyone waiting. */
const MOST_ROWS = 100;
const WIDEST_SPAN = 2_000n;

export interface ReceivingOptions {
  readonly path: string;
  readonly handles: readonly string[];
  readonly sms: boolean;
  readonly pollMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly loadDriver: () => Promise<Connect>;
  readonly onHealth: (health: Omit<BridgeHealth, "since">) => void;
}

/** What a look found: everything was read, there is more at once, or something to wait for. */
type Look = "all" | "more" | "incomplete" | "unwritten";

class Closed extends Error {}

export class Receiving {
  readonly #options: ReceivingOptions;
  readonly #inbox: OutsideInbox;
  #connect: Connect | undefined;
  #database: ChatDatabase | undefined;
  #watcher: FSWatcher | undefined;
  #cursors: Cursors | undefined;
  readonly #incomplete = new Map<Cursor, { readonly rowid: bigint; readonly since: number }>();
  #isClosed = false;
  /** Something may have changed since the last look began. */
  #isHinted = false;
  #endRest = () => {};
  #endWait = () => {};

  constructor(inbox: OutsideInbox, options: ReceivingOptions) {
    this.#inbox = inbox;
    this.#options = options;
  }

  /** Resolves after the first look; goes on until it is closed. */
  async start(): Promise<void> {
    try {
      this.#cursors = Cursors.read(this.#inbox);
    } catch (error) {
      this.#tell(lostPosition(error instanceof Error ? error.message : String(error)));
      return;
    }
    const first = await this.#look();
    void this.#goOn(first);
  }

  close(): void {
    this.#isClosed = true;
    this.#endWait();
    this.#endRest();
    this.#drop();
  }

  /** Undefined while the database cannot be read. */
  newest(): bigint | undefined {
    return this.#reading((database) => database.newest());
  }

  ownRow(
    said: { readonly handle: string; readonly essence: string; readonly after: bigint },
    known: ReadonlySet<string>,
  ): OwnRow | undefined {
    return this.#reading((database) => database.ownRow(said, known));
  }

  #reading<Result>(read: (database: ChatDatabase) => Result): Result | undefined {
    if (this.#database === undefined) return undefined;
    try {
      return read(this.#database);
    } catch {
      // The next look finds out why.
      return undefined;
    }
  }

  async #goOn(first: Look): Promise<void> {
    let look = first;
    while (!this.#isClosed) {
      // Others come in between, also while there is more.
      await (look === "more" ? this.#pause(0) : this.#rest(this.#restMs(look)));
      if (this.#isClosed) return;
      look = await this.#look();
    }
  }

  #restMs(look: Look): number {
    if (look === "incomplete") return LOOK_AGAIN_MS;
    return look === "unwritten" ? TRY_AGAIN_MS : this.#options.pollMs;
  }

  async #rest(ms: number): Promise<void> {
    if (!this.#isHinted) await this.#pause(ms);
    if (this.#isHinted) await this.#pause(REST_AFTER_HINT_MS);
  }

  #pause(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#endRest = () => {
        cancel();
        resolve();
      };
    });
  }

  #hint(): void {
    if (this.#isHinted) return;
    this.#isHinted = true;
    this.#endRest();
  }

  /** Never rejects. */
  async #look(): Promise<Look> {
    this.#isHinted = false;
    try {
      const database = await this.#open();
      const look = await this.#read(database);
      this.#options.onHealth({ state: "connected" });
      return look;
    } catch (error) {
      if (error instanceof Closed) return "all";
      if (error instanceof Unwritten) {
        this.#options.log.warn("imessage.not_written", { cause: error.message });
        return "unwritten";
      }
      this.#drop();
      this.#tell(readingObstacle(error, this.#options.path));
      return "all";
    }
  }

  async #open(): Promise<ChatDatabase> {
    const { path, handles, loadDriver } = this.#options;
    if (this.#database?.isCurrent() === false) this.#drop();
    this.#connect ??= await this.#unlessClosed(loadDriver);
    this.#database ??= new ChatDatabase(this.#connect, path, handles);
    this.#watcher ??= this.#hints(path);
    return this.#database;
  }

  #drop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#database?.close();
    this.#database = undefined;
  }

  #hints(path: string): FSWatcher | undefined {
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith(basename(path))) this.#hint();
      });
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      // No watcher is available: polling is enough.
      return undefined;
    }
  }

  async #read(database: ChatDatabase): Promise<Look> {
    const newest = database.newest();
    const cursors = await this.#cursorsIn(newest);
    const horizon = least(newest, ...CURSORS.map((cursor) => cursors.at(cursor) + WIDEST_SPAN));
    const batches = CURSORS.map((cursor) =>
      database.rows(cursor, { after: cursors.at(cursor), upTo: horizon }, MOST_ROWS),
    );
    const upTo = least(...batches.map((batch) => batch.upTo));
    const rows = batches
      .flatMap((batch) => batch.rows)
      .filter(({ rowid }) => rowid <= upTo)
      .sort((one, other) => (one.rowid < other.rowid ? -1 : 1));
    const waiting = new Set<Cursor>();
    for (const row of rows) {
      if (waiting.has(row.cursor)) continue;
      if ((await this.#readOne(row, database, cursors)) === "incomplete") waiting.add(row.cursor);
    }
    for (const cursor of CURSORS) if (!waiting.has(cursor)) cursors.passed(cursor, upTo);
    await this.#writeDue(cursors);
    if (waiting.size > 0) return "incomplete";
    return upTo < newest ? "more" : "all";
  }

  /** The first start begins at the newest message, and so does one with another database: its ids begin anew. */
  async #cursorsIn(newest: bigint): Promise<Cursors> {
    const { clock, log } = this.#options;
    if (this.#cursors !== undefined && this.#cursors.furthest() <= newest) return this.#cursors;
    if (this.#cursors !== undefined)
      log.warn("imessage.other_database", { at: `${this.#cursors.furthest()}`, newest: `${newest}` });
    this.#cursors = await this.#written(() => Cursors.startingAt(newest, clock.now(), this.#inbox));
    return this.#cursors;
  }

  async #readOne(row: MessageRow, database: ChatDatabase, cursors: Cursors): Promise<"read" | "incomplete"> {
    const { cursor, rowid } = row;
    const reading = readRow(row, { sms: this.#options.sms, since: cursors.since });
    if (reading.kind === "incomplete" && this.#mayStillComplete(row)) return "incomplete";
    this.#incomplete.delete(cursor);
    if (reading.kind === "message") {
      const arrival = arrivalOf(row, reading.text, database);
      await this.#written(() => this.#inbox.take(arrival, cursors.over(cursor, rowid)));
      cursors.wrote(cursor, rowid);
      return "read";
    }
    if (reading.kind !== "skip") this.#passOver(row, reading);
    cursors.passed(cursor, rowid);
    return "read";
  }

  /** Rows without a text are common: receipts, and messages that were taken back. */
  #passOver({ cursor, rowid }: MessageRow, { kind, why }: Extract<Reading, { readonly why: string }>): void {
    const { log } = this.#options;
    const fields = { cursor, rowid: `${rowid}`, why };
    if (kind === "unreadable") log.warn("imessage.unreadable", fields);
    else log.info("imessage.incomplete", fields);
  }

  #mayStillComplete({ cursor, rowid }: MessageRow): boolean {
    const now = this.#options.clock.monotonic();
    const known = this.#incomplete.get(cursor);
    if (known?.rowid === rowid) return now - known.since < INCOMPLETE_MS;
    this.#incomplete.set(cursor, { rowid, since: now });
    return true;
  }

  async #writeDue(cursors: Cursors): Promise<void> {
    const due = cursors.due();
    if (due === undefined) return;
    await this.#written(() => this.#inbox.keep(due));
    cursors.wroteBoth();
  }

  async #written<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#unlessClosed(write);
    } catch (error) {
      if (error instanceof Closed) throw error;
      throw new Unwritten(error instanceof Error ? error.message : String(error));
    }
  }

  /** Whoever closes it does not wait for the disk. */
  #unlessClosed<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Closed());
      this.#endWait = () => reject(new Closed());
      Promise.resolve().then(work).then(resolve, reject);
    });
  }

  #tell({ state, error }: Obstacle): void {
    if (!this.#isClosed) this.#options.onHealth({ state, error });
  }
}

function least(...ids: readonly bigint[]): bigint {
  return ids.reduce((one, other) => (other < one ? other : one));
}

class Unwritten extends Error {}

function arrivalOf(row: MessageRow, text: string, database: ChatDatabase): Arrival {
  const { guid, handle, cursor, answers } = row;
  const answered = answers === undefined ? undefined : database.pairOf(answers);
  return {
    // The second of two twins comes in under the id of the first: whoever takes it knows that it is the same.
    externalId: database.pairOf(guid)?.first ?? guid,
    path: pathOf(handle),
    from: handle,
    text,
    mayBeEcho: cursor,
    ...(answers === undefined
      ? {}
      : { answers: [...new Set([answers, ...(answered === undefined ? [] : Object.values(answered))])] }),
  };
}
