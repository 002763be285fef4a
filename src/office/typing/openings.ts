/**
 * Whether a text sent by reference was opened. The end of a turn does not tell: a witness must have seen it opened,
 * which is the read tool's hook, the program's session file, or `bellhop read` by that agent. Until then it is
 * `delivered`. Called by signals, screen turns and the use-case of `read`. It never types or claims more than was seen.
 */
import { type Address, type Instant, LIMITS, type MessageId, type SessionId } from "../../core/message.ts";
import { showsTextOf } from "../../core/text/prompt.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";

/** Deliveries that a session may have open at once, with a margin. */
const RECENT = LIMITS.batch + 100;
/** Session files are written a moment after the hook, some later than others. */
const LOOKS_AFTER_MS = [500, 3_000] as const;
/** After a day, a text is no longer looked for at the end of every turn. */
const LATEST_MS = 24 * 3_600_000;

export class Openings {
  readonly #parts: Ground;
  readonly #looking = new Map<LiveSession, () => void>();

  constructor(parts: Ground) {
    this.#parts = parts;
  }

  /** The agent's read tool opened this file. */
  async told(sessionId: SessionId, path: string): Promise<void> {
    const items = this.#unopened(sessionId).filter((item) => this.#filesOf(item).includes(path));
    await this.#record(items, "its read tool opened the file");
  }

  /** `bellhop read`; counts for the reader's own deliveries. */
  async readBy(reader: { address: Address; sessionId: SessionId | undefined }, id: MessageId): Promise<void> {
    const mine = this.#parts.context.store.read
      .deliveriesOf(id)
      .filter(({ to, attempt }) => to === reader.address || attempt?.sessionId === reader.sessionId)
      .map((delivery) => ({ delivery }))
      .filter(isByReference);
    await this.#record(mine, "read with bellhop read");
  }

  /** A turn has ended: the session file may tell. */
  lookSoon(session: LiveSession): void {
    if (this.#unopened(session.record.id).length > 0) this.#lookAfter(session, 0);
  }

  /** Its program has ended. */
  leave(session: LiveSession): void {
    this.#looking.get(session)?.();
    this.#looking.delete(session);
  }

  close(): void {
    for (const session of [...this.#looking.keys()]) this.leave(session);
  }

  #lookAfter(session: LiveSession, look: number): void {
    this.leave(session);
    const afterMs = LOOKS_AFTER_MS[look];
    if (afterMs === undefined) return;
    const { clock, log } = this.#parts.context;
    const cancel = clock.after(afterMs, () => {
      this.#looking.delete(session);
      this.#look(session)
        .then((open) => {
          if (open > 0 && !this.#looking.has(session)) this.#lookAfter(session, look + 1);
        })
        .catch((cause: unknown) =>
          log.error("opening.unseen", { session: session.record.id, cause: String(cause) }),
        );
    });
    this.#looking.set(session, cancel);
  }

  /** Returns how many are still not known to be opened. */
  async #look({ record, facts }: LiveSession): Promise<number> {
    const { transcripts, clock } = this.#parts.context;
    const items = this.#unopened(record.id).filter((item) => startOf(item) > clock.now() - LATEST_MS);
    if (items.length === 0) return 0;
    const sought = items.map((item) => ({
      id: item.delivery.id,
      files: this.#filesOf(item),
      shows: (text: string) => showsTextOf(text, item.message),
    }));
    const seen = await transcripts.opened(record.program, facts, sought, Math.min(...items.map(startOf)));
    const opened = items.filter(({ delivery }) => seen.has(delivery.id));
    await this.#record(opened, "its session file shows that it opened the file");
    return items.length - opened.length;
  }

  #unopened(sessionId: SessionId): readonly Item[] {
    return this.#parts.context.store.read.attemptedIn(sessionId, ["delivered"], RECENT).filter(isByReference);
  }

  /** The batch's file, and the message's own. */
  #filesOf({ delivery, message }: Item): readonly string[] {
    const { file } = delivery.attempt ?? {};
    return [...(file === undefined ? [] : [file]), this.#parts.context.files.absolute(message.file)];
  }

  async #record(items: readonly Pick<Item, "delivery">[], note: string): Promise<void> {
    if (items.length === 0) return;
    const { context, states } = this.#parts;
    const read: MessageId[] = [];
    await context.store.write((tx) => {
      read.length = 0;
      for (const { delivery } of items) {
        if (tx.findDelivery(delivery.id)?.state !== "delivered") continue;
        tx.moveDelivery(delivery.id, { at: context.clock.now(), state: "read", note });
        read.push(delivery.messageId);
      }
    });
    states.changed(read);
  }
}

export function isByReference({ delivery }: Pick<Item, "delivery">): boolean {
  return delivery.attempt?.file !== undefined;
}

function startOf({ delivery }: Item): Instant {
  return delivery.attempt?.startedAt ?? 0;
}
