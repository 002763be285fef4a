/** One connection to a mailbox, which is only looked at: nothing in it is marked, moved or deleted. */
import { createHash } from "node:crypto";
import type { ImapFlow } from "imapflow";
import type { Clock } from "../../ports/clock.ts";
import { abortable } from "./abortable.ts";
import type { EmailSettings } from "./config.ts";
import type { Listed } from "./cursor.ts";
import { LETTER_LIMITS } from "./letter.ts";
import { messageIdOf } from "./message-ids.ts";

export interface FetchedMail {
  readonly uid: number;
  /** Undefined if it was gone before it could be fetched. */
  readonly source?: Buffer;
}

const CONNECT_MS = 30_000;
const GREETING_MS = 15_000;
/** For one command; a server that was away is noticed by the next poll. */
const COMMAND_MS = 60_000;
/** Longer than a poll: the library would end IDLE to see whether the server is there. */
const SOCKET_MS = 10 * 60_000;
/** The ends of a mail's fields and of a mail itself: more than a server may send in one piece. */
const MOST_RESPONSE_BYTES = 32 * 1024 * 1024;

export class ImapSession {
  readonly #client: ImapFlow;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #hasNews = true;
  #wake: () => void = () => {};
  /** As the mailbox was when it was opened. */
  uidValidity = "";
  lastUid = 0;

  private constructor(client: ImapFlow, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    client.on("error", (error: Error) => this.#fail(error));
    client.on("close", () => this.#fail(new Error("the server closed the connection")));
    client.on("exists", () => {
      this.#hasNews = true;
      this.#wake();
    });
  }

  /** Aborted with the reason once the connection has ended. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  static async open(imap: EmailSettings["imap"], clock: Clock, closing: AbortSignal): Promise<ImapSession> {
    const { ImapFlow } = await import("imapflow");
    closing.throwIfAborted();
    const client = new ImapFlow({
      host: imap.host,
      port: imap.port,
      secure: imap.security === "tls",
      ...(imap.security === "tls" ? {} : { doSTARTTLS: imap.security === "starttls" }),
      ...(imap.ca === undefined ? {} : { tls: { ca: imap.ca } }),
      auth: { user: imap.user, pass: imap.password },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: GREETING_MS,
      socketTimeout: SOCKET_MS,
      maxLiteralSize: 2 * LETTER_LIMITS.bytes,
      maxResponseSize: MOST_RESPONSE_BYTES,
    });
    const session = new ImapSession(client, clock);
    const close = (): void => session.close();
    closing.addEventListener("abort", close);
    session.ended.addEventListener("abort", () => closing.removeEventListener("abort", close));
    try {
      await session.#within(() => client.connect());
      const mailbox = await session.#within(() => client.mailboxOpen(imap.mailbox, { readOnly: true }));
      session.uidValidity = String(mailbox.uidValidity);
      session.lastUid = Number(mailbox.uidNext) - 1;
      if (!Number.isSafeInteger(session.lastUid))
        throw new Error("the server does not number its mails (UIDNEXT)");
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** The newest mails up to those that were there at first, in order, by their ids. */
  async newest(count: number): Promise<readonly Listed[]> {
    const uids = (await this.#search(`1:${Math.max(1, this.lastUid)}`)).slice(-count);
    if (uids.length === 0) return [];
    const mails = await this.#within(() =>
      this.#client.fetchAll(uids.join(","), { uid: true, headers: ["message-id"] }, { uid: true }),
    );
    return mails
      .filter(({ uid }) => uids.includes(uid))
      .sort((one, other) => one.uid - other.uid)
      .map(({ uid, headers }) => ({ uid, ...listedId(headers) }));
  }

  /** In order. */
  async after(uid: number): Promise<readonly number[]> {
    this.#hasNews = false;
    // "n:*" always names the last mail too, however low its number is.
    return (await this.#search(`${uid + 1}:*`)).filter((found) => found > uid);
  }

  /** In the order of `uids`. */
  async fetch(uids: readonly number[]): Promise<readonly FetchedMail[]> {
    const query = { uid: true, source: { start: 0, maxLength: LETTER_LIMITS.bytes } };
    const mails = await this.#within(() => this.#client.fetchAll(uids.join(","), query, { uid: true }));
    return uids.map((uid) => {
      const source = mails.find((mail) => mail.uid === uid)?.source;
      return source === undefined ? { uid } : { uid, source };
    });
  }

  /** Until something may have come, at the latest after `pollMs`. */
  async quiet(pollMs: number): Promise<void> {
    if (this.#hasNews) return;
    const waiting = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const cancel = this.#clock.after(pollMs, () => this.#wake());
    // It ends with the next command. Whether the server can do it or not, the poll comes.
    this.#client.idle().catch(() => {});
    try {
      await abortable(this.ended, waiting);
    } finally {
      cancel();
    }
  }

  close(): void {
    this.#fail(new Error("the connection was closed"));
  }

  #fail(reason: Error): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(reason);
    this.#client.close();
  }

  async #search(uid: string): Promise<readonly number[]> {
    const found = await this.#within(() => this.#client.search({ uid }, { uid: true }));
    if (found === false || found === undefined) throw new Error("the server does not search the mailbox");
    return found.filter((one) => Number.isSafeInteger(one)).sort((one, other) => one - other);
  }

  async #within<Value>(command: () => Promise<Value>): Promise<Value> {
    this.ended.throwIfAborted();
    const cancel = this.#clock.after(COMMAND_MS, () => this.#fail(new Error("the server does not answer")));
    try {
      return await abortable(this.ended, command());
    } finally {
      cancel();
    }
  }
}

/** Short, because a cursor has several of them. */
export function idDigest(messageId: string): string {
  return createHash("sha256").update(messageId).digest("hex").slice(0, 16);
}

function listedId(headers: Buffer | undefined): { readonly id?: string } {
  const value = /^message-id:(.*)$/isu.exec(headers?.toString("latin1").trim() ?? "")?.[1];
  const id = value === undefined ? undefined : messageIdOf([{ name: "message-id", value }]);
  return id === undefined ? {} : { id: idDigest(id) };
}
