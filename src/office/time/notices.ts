/**
 * Tells senders what they asked to be told. The debt is kept on the delivery until the notice is accepted, in the same
 * transaction, so it survives a crash. Woken by every change of state; notices themselves are never reported on.
 */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { hostOfMailbox, shownThere } from "../../core/cluster/hosts.ts";
import type { Address, Delivery, Instant, Message, MessageId, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isReminder, setterIn } from "../../core/rights/ways-in.ts";
import {
  deliveryNotice,
  expiryNotice,
  failureNotice,
  followUpNotice,
  loopNotice,
  mixedNotice,
  type Named,
  refusedReminderNotice,
} from "../../core/text/notice.ts";
import type { Item, Reminder, StoreWriter, Timer } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Submission } from "../accept/submission.ts";
import type { OfficeContext } from "../base/context.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { announceMixed } from "../typing/drafts/announcement.ts";
import { Departed } from "./departed.ts";
import { asHeardThere, whyFailed } from "./heard-there.ts";
import type { Timekeeper } from "./timekeeper.ts";

/** The sender of notices. */
export const BELLHOP: SenderIdentity = { address: "bellhop/notices", source: "bellhop" };

/** Bellhop's own messages never expire. */
export function saidByBellhop({ settings }: OfficeContext, to: Address, body: string) {
  const priority = settings().defaultPriority;
  return { to, sender: BELLHOP, body, form: { kind: "text" }, priority, timeoutMs: 0 } as const;
}

const AT_ONCE = 50;
const AFTER_FAILURE_MS = 2_000;
const LOOP_REPORT_MS = 60_000;
const MOST_LOOP_REPORTS = 1_000;
const REMINDER_REFUSED = "reminder-refused";

interface Notice extends Pick<Submission, "body">, Partial<Pick<Submission, "sender" | "afterHops">> {
  readonly command: string;
}

export interface NoticesParts extends Ground {
  readonly accept: Accept;
  readonly timekeeper: Timekeeper;
  /** A follow-up was planned. */
  scheduled(): void;
}

export class Notices {
  readonly #parts: NoticesParts;
  readonly #departed: Departed;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #cancelRetry: (() => void) | undefined;
  readonly #reported = new Map<string, number>();

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.#departed = new Departed(parts);
  }

  /** Call when something may be owed. Calls at the same moment share one look. */
  look(): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    if (!this.#departed.areLeaving && this.#parts.context.store.read.owing(1).length === 0) return;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#running;
  }

  async followUp(
    { deliveryId, afterMs }: Extract<Timer["work"], { kind: "follow-up" }>,
    moveOn: (tx: StoreWriter) => void,
  ): Promise<void> {
    const { store } = this.#parts.context;
    const delivery = store.read.findDelivery(deliveryId);
    const message = delivery === undefined ? undefined : store.read.message(delivery.messageId);
    const to = message === undefined ? undefined : this.#senderOf(message);
    if (delivery === undefined || message === undefined || to === undefined) return store.write(moveOn);
    const body = followUpNotice(this.#recipientOf(delivery, message), message.body, afterMs);
    const notice = { body, command: "follow-up", ...asHeardThere(store.read, delivery, message) };
    await this.#send(to, notice, this.#whileThere(message, to, moveOn));
  }

  /** Tells whoever set it, and the owner, that a reminder was not sent; again only once it was sent in between. */
  async reminderRefused(
    { setBy, setBySession, text, lastMessage }: Reminder["work"],
    { to, why }: { readonly to: Address; readonly why: string },
    moveOn: (tx: StoreWriter, told?: MessageId) => void,
  ): Promise<void> {
    const { context } = this.#parts;
    const { read } = context.store;
    const last = lastMessage === undefined ? undefined : read.message(lastMessage);
    if (last?.source === "bellhop" && last.command === REMINDER_REFUSED) return context.store.write(moveOn);
    const setter = { name: splitAddress(setBy).rest, ...present({ id: setBySession }) };
    const notice = { body: refusedReminderNotice(setter, to, text, why), command: REMINDER_REFUSED };
    const teller = this.#senderOf({
      source: "agent",
      from: setBy,
      ...present({ fromSession: setBySession }),
    });
    const [first = context.owner, ...others] = new Set([teller ?? context.owner, context.owner]);
    await this.#send(first, notice, moveOn);
    for (const other of others) this.#tellAside(other, notice);
  }

  /** Tells the owner that agents kept answering each other; for each pair at most once a minute. */
  reportLoop(message: Message, reason: string): void {
    const { context } = this.#parts;
    const pair = `${message.from} ${message.to}`;
    const now = context.clock.monotonic();
    if (now - (this.#reported.get(pair) ?? Number.NEGATIVE_INFINITY) < LOOP_REPORT_MS) return;
    if (this.#reported.size >= MOST_LOOP_REPORTS) this.#reported.clear();
    this.#reported.set(pair, now);
    context.log.warn("loop.stopped", { message: message.id, from: message.from, to: message.to, reason });
    this.#tellAside(context.owner, { body: loopNotice(message, reason), command: "loop-notice" });
  }

  /** Tells the owner, the sender and the terminal that a message and text that was there became one prompt. */
  reportMixed(sessionId: SessionId, items: readonly Item[]): void {
    const { context, directory } = this.#parts;
    const session = directory.get(sessionId);
    const first = items[0];
    if (session !== undefined && first !== undefined)
      void announceMixed(context, session, first.message.shortId);
    for (const { message, delivery } of items) {
      context.log.warn("delivery.mixed", { delivery: delivery.id, session: sessionId });
      const body = mixedNotice(this.#recipientOf(delivery, message), message.body, message.shortId);
      for (const to of new Set([context.owner, this.#senderOf(message) ?? context.owner]))
        this.#tellAside(to, { body, command: "mixed-notice" });
    }
  }

  /** Not owed and not awaited. */
  #tellAside(to: Address, notice: { readonly body: string; readonly command: string }): void {
    const { log } = this.#parts.context;
    this.#send(to, notice, () => {}).catch((cause) => log.error("notices.failed", { cause: String(cause) }));
  }

  /** A session has ended: its notices are dropped. */
  async sessionGone({ record }: LiveSession): Promise<void> {
    this.#departed.left(record.id);
    this.look();
  }

  /** Call after the sessions that ended while the daemon was down are recorded. */
  async dropUnreadable(): Promise<void> {
    await this.#departed.dropForAll();
  }

  async #run(): Promise<void> {
    const { context } = this.#parts;
    do {
      this.#again = false;
      try {
        await this.#departed.dropForLeaving();
        await this.#tellAll();
      } catch (cause) {
        // It stays owed: a full disk may have room in a moment.
        context.log.error("notices.failed", { cause: String(cause) });
        this.#cancelRetry ??= context.clock.after(AFTER_FAILURE_MS, () => {
          this.#cancelRetry = undefined;
          this.look();
        });
      }
    } while (this.#again && !this.#closed);
    this.#running = undefined;
  }

  async #tellAll(): Promise<void> {
    const { read } = this.#parts.context.store;
    for (;;) {
      const owing = read.owing(AT_ONCE);
      if (owing.length === 0) return;
      for (const item of owing) {
        if (this.#closed) return;
        await this.#tell(item);
      }
    }
  }

  async #tell({ delivery, message }: Item): Promise<void> {
    const { context, scheduled, timekeeper } = this.#parts;
    const owes = delivery.owes;
    if (owes === undefined) return;
    const to = this.#tellerOf(message);
    const after = isDelivered(delivery) && to !== undefined ? owes.afterMs : undefined;
    // A clock change must be noticed before the deadline is written, or the deadline would be moved by mistake.
    const now = timekeeper.deadlineIn(0);
    const settle = (tx: StoreWriter): void => {
      if (tx.findDelivery(delivery.id)?.owes === undefined) throw new NothingToTell();
      tx.updateDelivery(delivery.id, { owes: null });
      if (after === undefined) return;
      const deliveredAt = Math.min(this.#deliveredAt(tx, delivery) ?? now, now);
      tx.putTimer(followUpTimer(context.ids.message(), delivery, after, deliveredAt));
    };
    context.checkpoint("notice.owed");
    const notice = owes.onDelivery && to !== undefined ? this.#wording(delivery, message) : undefined;
    if (to !== undefined && notice !== undefined)
      await this.#send(
        to,
        { ...notice, ...asHeardThere(context.store.read, delivery, message) },
        this.#whileThere(message, to, settle),
      );
    else await unlessTold(context.store.write(settle));
    context.checkpoint("notice.told");
    if (after !== undefined) scheduled();
  }

  #wording(delivery: Delivery, message: Message) {
    const recipient = this.#recipientOf(delivery, message);
    if (isDelivered(delivery))
      return { body: deliveryNotice(recipient, message.body), command: "delivery-notice" };
    if (delivery.state === "expired") {
      const body = expiryNotice(recipient, message.body, delivery.timeoutMs);
      return { body, command: "expiry-notice" };
    }
    if (delivery.state === "failed") {
      const { context, neighbours } = this.#parts;
      const why = whyFailed(context.store.read, neighbours, delivery);
      return { body: failureNotice(recipient, message.body, why), command: "failure-notice" };
    }
    return undefined;
  }

  async #send(
    to: Address,
    { body, ...notice }: Notice,
    also: (tx: StoreWriter, notice: MessageId) => void,
  ): Promise<void> {
    const { accept, context } = this.#parts;
    const said = { ...saidByBellhop(context, to, body), ...notice };
    await unlessTold(accept.accept(said, { with: (tx, { id }) => also(tx, id) }));
  }

  /** The session may end until the last moment: then nothing happens, and the next look finds it gone. */
  #whileThere(original: Message, to: Address, change: (tx: StoreWriter) => void) {
    return (tx: StoreWriter): void => {
      if (this.#tellerOf(original) !== to) throw new NothingToTell();
      change(tx);
    };
  }

  /** The sender; of a reminder, who set it, else the owner: it is owed a notice only if another host refused it. */
  #tellerOf(message: Message): Address | undefined {
    if (message.source !== "bellhop" || !isReminder(message)) return this.#senderOf(message);
    const setter = this.#senderOf({ source: "agent", from: setterIn(message.payload) });
    return setter ?? this.#parts.context.owner;
  }

  /** Where the sender can be told; undefined if it is gone or reads nothing. */
  #senderOf(message: Pick<Message, "source" | "from" | "fromSession">): Address | undefined {
    const { directory, context } = this.#parts;
    if (message.source === "bellhop") return undefined;
    if (message.fromSession !== undefined)
      return this.#departed.has(message.fromSession) ? undefined : sessionAddress(message.fromSession);
    const { kind, rest } = splitAddress(message.from);
    if (kind === "person") return message.from;
    if (kind !== "agent" || !directory.knows(message.from)) return undefined;
    // An agent that never had a program reads its mailbox by hand.
    const isMailbox = !context.store.read.sessionsOf(rest).some(({ identity }) => identity !== undefined);
    return isMailbox || directory.takerOf(rest) !== undefined ? agentAddress(rest) : undefined;
  }

  #recipientOf(delivery: Delivery, message: Message): Named {
    const { directory, context } = this.#parts;
    const host = hostOfMailbox(delivery.to);
    if (host !== undefined) return { name: shownThere(message.to, host) };
    const { kind, rest } = splitAddress(delivery.to);
    const id = delivery.attempt?.sessionId ?? (kind === "session" ? rest : undefined);
    const taker =
      id === undefined
        ? directory.takerOfMailbox(delivery.to)?.record
        : (directory.get(id)?.record ?? context.store.read.session(id));
    return taker === undefined ? { name: rest } : { name: taker.agent, id: taker.id };
  }

  #deliveredAt(tx: StoreWriter, delivery: Delivery): Instant | undefined {
    return tx.receiptsOf(delivery.id).find(isDelivered)?.at;
  }
}

class NothingToTell extends Error {
  override readonly name = "NothingToTell";
}

async function unlessTold(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof NothingToTell)) throw error;
  }
}

function isDelivered({ state }: Pick<Delivery, "state">): boolean {
  return state === "delivered" || state === "read" || state === "replied";
}

function followUpTimer(id: string, delivery: Delivery, afterMs: number, deliveredAt: Instant): Timer {
  return {
    id,
    dueAt: deliveredAt + afterMs,
    createdAt: deliveredAt,
    fired: 0,
    counts: "elapsed",
    work: { kind: "follow-up", deliveryId: delivery.id, afterMs },
  };
}
