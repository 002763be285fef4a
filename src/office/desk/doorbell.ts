/**
 * The last rung of the ladder: tells the person that messages wait for a program into which nothing can get, and how to
 * take them. Looks when a delivery changes. It types nothing and moves no delivery: what waits stays queued until
 * somebody takes it, or a way in opens after all. Each message rings once, and again after a day; the receipt is
 * written first, so that a restart does not ring again.
 */
import { splitAddress } from "../../core/address.ts";
import { isShut, isWorthARing, ringLine, ringsAt } from "../../core/doorbell.ts";
import type { Address, Instant } from "../../core/message.ts";
import { waysInOf } from "../../core/rights/ways-in.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Paging } from "./paging.ts";
import type { Telling } from "./telling.ts";

/** Messages that come together ring together. */
const GATHER_MS = 1_000;
/** Of one mailbox, the first that wait; those behind them ring when these are gone. */
const MOST_LOOKED_AT = 100;
const NOTE = "the person was told that it waits: no way in is open";

export interface DoorbellParts extends Ground {
  readonly telling: Pick<Telling, "tell">;
  readonly paging: Pick<Paging, "waiting">;
}

export class Doorbell {
  readonly #parts: DoorbellParts;
  #armed: { readonly at: Instant; cancel(): void } | undefined;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: DoorbellParts) {
    this.#parts = parts;
  }

  /** Call when a delivery may wait for something new. */
  look(): void {
    this.#lookAt(this.#parts.context.clock.now() + GATHER_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#armed?.cancel();
    await this.#working;
  }

  #lookAt(at: Instant): void {
    const { clock } = this.#parts.context;
    if (this.#isClosed || (this.#armed !== undefined && this.#armed.at <= at)) return;
    this.#armed?.cancel();
    const cancel = clock.after(Math.max(0, at - clock.now()), () => {
      this.#armed = undefined;
      this.#working = (this.#working ?? Promise.resolve()).then(() => this.#work());
    });
    this.#armed = { at, cancel };
  }

  async #work(): Promise<void> {
    const { directory, context } = this.#parts;
    try {
      const waiting = new Set(context.store.read.mailboxesWithQueued());
      for (const session of waiting.size === 0 ? [] : directory.all()) {
        for (const mailbox of directory.mailboxesOf(session).filter((each) => waiting.has(each)))
          await this.#workOn(session, mailbox);
      }
    } catch (cause) {
      context.log.error("person.unrung", { cause: String(cause) });
    }
  }

  async #workOn(session: LiveSession, mailbox: Address): Promise<void> {
    const { clock, store } = this.#parts.context;
    const items = store.read.deliveries({
      mailboxes: [mailbox],
      states: ["queued"],
      forTerminals: true,
      limit: MOST_LOOKED_AT,
    });
    const due: Item[] = [];
    for (const item of items) {
      const at = this.#ringsAt(session, item);
      if (at === undefined) continue;
      if (at <= clock.now()) due.push(item);
      else this.#lookAt(at);
    }
    if (due.length > 0) await this.#ring(session, mailbox, due);
  }

  #ringsAt(session: LiveSession, { delivery, message }: Item): Instant | undefined {
    if (!isWorthARing(message)) return undefined;
    const { store, settings } = this.#parts.context;
    const { program, hooked } = session.record;
    const ways = waysInOf(message, delivery.anyWayIn === true, settings().personBy);
    const shut = isShut(ways, {
      program,
      hooked,
      allowed: settings().transports(program),
      hasInbox: session.profile.inbox,
    });
    return ringsAt(delivery, store.read.receiptsOf(delivery.id), shut);
  }

  async #ring(session: LiveSession, mailbox: Address, items: readonly Item[]): Promise<void> {
    const { context, states, telling, paging } = this.#parts;
    const at = context.clock.now();
    const rung = await context.store.write((tx) =>
      items.filter(({ delivery }) => {
        const isStill = tx.findDelivery(delivery.id)?.state === "queued";
        if (isStill)
          tx.appendReceipt(delivery.id, { at, state: "queued", transport: "doorbell", note: NOTE });
        return isStill;
      }),
    );
    const [first] = rung;
    if (first === undefined) return;
    states.changed(rung.map(({ message }) => message.id));
    const line = ringLine(rung.length, splitAddress(mailbox).rest);
    const id = `${session.record.id}.waiting.${first.delivery.id}.${at}`;
    // The people at its terminal see it there; the others are told like of everything that needs them.
    if (context.settings().notify.includes("tmux")) await this.#announce(session, `[bellhop] ${line}`);
    telling.tell({ id, text: line, session: session.record.id });
    paging.waiting(session, id, line);
    context.log.info("person.rung", { session: session.record.id, messages: rung.length });
  }

  async #announce({ terminal, record }: LiveSession, line: string): Promise<void> {
    const { log } = this.#parts.context;
    const outcome = await terminal
      .announce(line)
      .catch((cause: unknown) => ({ kind: "unknown", cause }) as const);
    if (outcome.kind !== "shown") log.warn("person.unrung", { session: record.id, kind: outcome.kind });
  }
}
