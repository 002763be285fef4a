/** Reads a mailbox for as long as the bridge is open: connects, catches up, waits for more, and connects again. */
import { backoffMs } from "../../core/time/backoff.ts";
import type { BridgeHealth, OutsideInbox } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { rest } from "../../system/resting.ts";
import { abortable } from "./abortable.ts";
import { readArrival } from "./arrival.ts";
import type { EmailSettings } from "./config.ts";
import type { Correspondence } from "./correspondence.ts";
import {
  CURSOR_LIMITS,
  type Cursor,
  decodeCursor,
  encodeCursor,
  firstCursor,
  moved,
  renumbered,
} from "./cursor.ts";
import { type FetchedMail, ImapSession, idDigest } from "./imap-session.ts";
import { type Letter, readLetter } from "./letter.ts";
import { messageIdOf } from "./message-ids.ts";
import { imapTrouble } from "./trouble.ts";

const RETRY = { firstMs: 1_000, longestMs: 60_000 } as const;
/** What a person must mend is tried seldom: providers lock out who tries a wrong password often. */
const RETRY_REFUSED_MS = 10 * 60_000;
/** Mails in memory at once. */
const BATCH = 10;

export interface ReceivingTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly pollMs: number;
  /** Reads what was kept; rejects while it cannot be read. */
  remembered(): Promise<Correspondence>;
  changed(state: BridgeHealth["state"], error?: string): void;
}

interface Reading {
  readonly session: ImapSession;
  readonly correspondence: Correspondence;
}

/** Where the inbox cannot write, the connection is not to blame. */
class UnwrittenError extends Error {}

export class Receiving {
  readonly #settings: EmailSettings;
  readonly #tools: ReceivingTools;
  readonly #inbox: OutsideInbox;
  readonly #closing = new AbortController();
  readonly #cursorKey: string;
  #running: Promise<void> | undefined;

  constructor(settings: EmailSettings, inbox: OutsideInbox, tools: ReceivingTools) {
    this.#settings = settings;
    this.#inbox = inbox;
    this.#tools = tools;
    const { user, host, mailbox } = settings.imap;
    // Another account or mailbox has other numbers.
    this.#cursorKey = `cursor ${JSON.stringify([user, host, mailbox])}`;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the bridge was closed"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const closing = this.#closing.signal;
    for (let attempt = 0; !closing.aborted; attempt += 1) {
      let isRefused = false;
      try {
        await this.#listen(() => {
          attempt = 0;
        });
      } catch (error) {
        if (closing.aborted) return;
        const trouble = this.#troubleOf(error);
        isRefused = trouble.state === "refused";
        this.#tools.log.warn(`email.${trouble.state}`, { error: trouble.error });
        this.#tools.changed(trouble.state, trouble.error);
      }
      await rest(this.#tools.clock, isRefused ? RETRY_REFUSED_MS : backoffMs(RETRY, attempt), closing);
    }
  }

  #troubleOf(error: unknown): ReturnType<typeof imapTrouble> {
    if (!(error instanceof UnwrittenError)) return imapTrouble(error, this.#settings.imap);
    return {
      state: "down",
      error: `Mail waits at the server, because it cannot be written down: ${error.message}.`,
    };
  }

  /** Rejects when the connection ends. `caughtUp`: all that was there has been read. */
  async #listen(caughtUp: () => void): Promise<never> {
    const correspondence = await this.#tools.remembered().catch(unwritten);
    const session = await ImapSession.open(this.#settings.imap, this.#tools.clock, this.#closing.signal);
    try {
      let cursor = await this.#resume(session);
      for (;;) {
        cursor = await this.#readOn({ session, correspondence }, cursor);
        caughtUp();
        this.#connected();
        await session.quiet(this.#tools.pollMs);
      }
    } finally {
      session.close();
    }
  }

  #connected(): void {
    const { authservId } = this.#settings;
    const hint =
      'Nobody\'s mail is believed: set bridges.email.authserv_id to the first word after "Authentication-Results:" in a mail that your provider delivered.';
    this.#tools.changed("connected", authservId === undefined ? hint : undefined);
  }

  async #resume(session: ImapSession): Promise<Cursor> {
    const { uidValidity, lastUid } = session;
    const before = decodeCursor(this.#inbox.kept(this.#cursorKey));
    if (before?.uidValidity === uidValidity) return before;
    const newest = await session.newest(before === undefined ? CURSOR_LIMITS.seen : CURSOR_LIMITS.searched);
    const now = { uidValidity, newest, lastUid };
    if (before === undefined) return await this.#keep(session, firstCursor(now));
    const { cursor, lost } = renumbered(before, now);
    const log = { before: before.uidValidity, now: uidValidity, from: cursor.uid };
    if (lost) this.#tools.log.warn("email.renumbered_unknown", log);
    else this.#tools.log.info("email.renumbered", log);
    return await this.#keep(session, cursor);
  }

  async #readOn(reading: Reading, from: Cursor): Promise<Cursor> {
    const { session } = reading;
    let cursor = from;
    const uids = await session.after(cursor.uid);
    for (let at = 0; at < uids.length; at += BATCH) {
      for (const mail of await session.fetch(uids.slice(at, at + BATCH))) {
        cursor = await this.#take(reading, cursor, mail);
        // To catch up may take long.
        this.#connected();
      }
    }
    return cursor;
  }

  /** Whatever a mail is, the cursor moves past it, or it would stand before all others for ever. */
  async #take(
    { session, correspondence }: Reading,
    cursor: Cursor,
    { uid, source }: FetchedMail,
  ): Promise<Cursor> {
    const letter = source === undefined ? undefined : await this.#letter(uid, source);
    if (letter === undefined) return await this.#keep(session, moved(cursor, uid, undefined));
    const id = messageIdOf(letter.fields);
    const next = moved(cursor, uid, id === undefined ? undefined : idDigest(id));
    const { address, authservId } = this.#settings;
    const read = readArrival(letter, {
      address,
      ...(authservId === undefined ? {} : { authservId }),
    });
    if (read.kind === "dropped") {
      this.#tools.log.info("email.dropped", { uid, why: read.why });
      return await this.#keep(session, next);
    }
    const remembered = read.remember === undefined ? {} : correspondence.remember(read.remember);
    const keep = { ...remembered, [this.#cursorKey]: encodeCursor(next) };
    await this.#written(session, this.#inbox.take(read.arrival, keep));
    return next;
  }

  async #letter(uid: number, source: Buffer): Promise<Letter | undefined> {
    try {
      return await readLetter(source);
    } catch (error) {
      this.#tools.log.warn("email.unreadable", { uid, error: String(error) });
      return undefined;
    }
  }

  async #keep(session: ImapSession, cursor: Cursor): Promise<Cursor> {
    await this.#written(session, this.#inbox.keep({ [this.#cursorKey]: encodeCursor(cursor) }));
    return cursor;
  }

  async #written(session: ImapSession, writing: Promise<unknown>): Promise<void> {
    await abortable(session.ended, writing.catch(unwritten));
  }
}

function unwritten(error: unknown): never {
  throw new UnwrittenError(error instanceof Error ? error.message : String(error));
}
