/**
 * Everything that is scheduled: reminders, follow-ups, expiries. One armed timer for all of them; the store and the
 * timekeeper decide what is due. It never types: what it has to say goes through accept.
 */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Instant, MessageId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { reminderStamp } from "../../core/rights/ways-in.ts";
import { nobodyTookIt, reminderNotice } from "../../core/text/notice.ts";
import { type NextByCron, nextAfter } from "../../core/time/schedule.ts";
import type { Reminder, StoreWriter, Timer } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import { BELLHOP, type Notices, saidByBellhop } from "./notices.ts";
import { isReminder } from "./reminder-idempotency.ts";
import { giveWay, isLeftOut } from "./repeating.ts";
import type { Timekeeper } from "./timekeeper.ts";

/** Nothing reports that the clock was set or that the machine slept, so a long wait is split into looks. */
const LOOK_EVERY_MS = 30_000;
const AFTER_FAILURE_MS = 2_000;
const AT_ONCE = 100;

export interface TimersParts extends Ground {
  readonly accept: Accept;
  readonly notices: Notices;
  readonly timekeeper: Timekeeper;
  readonly nextByCron: NextByCron;
}

export class Timers {
  readonly #parts: TimersParts;
  /** Monotonic: it may be hours off in wall time by now. */
  #armed: { readonly atMonotonic: number; cancel(): void } | undefined;
  #sweeping: Promise<void> | undefined;
  #closed = false;

  constructor(parts: TimersParts) {
    this.#parts = parts;
  }

  /** What expired while the daemon was down must be gone before a courier looks; reminders may come a moment later. */
  async open(): Promise<void> {
    await this.expire();
    this.touched();
  }

  /** Call if something looks overdue: afterwards it has expired, or its deadline has moved with the clock. */
  async expire(): Promise<void> {
    await this.#expire(await this.#parts.timekeeper.now());
  }

  /** A deadline was added or removed. */
  touched(): void {
    if (!this.#closed && this.#sweeping === undefined) this.#armForNext();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#disarm();
    await this.#sweeping;
  }

  /** What is still due after everything due was handled cannot be read, and must not keep the timer busy. */
  #armForNext(lookedAfter = Number.NEGATIVE_INFINITY): void {
    const { clock, store } = this.#parts.context;
    const next = earliest(store.read.nextExpiry(), store.read.nextTimer());
    if (next === undefined) this.#disarm();
    else this.#arm(next <= lookedAfter ? LOOK_EVERY_MS : Math.min(next - clock.now(), LOOK_EVERY_MS));
  }

  #arm(delayMs: number): void {
    const { clock } = this.#parts.context;
    const atMonotonic = clock.monotonic() + Math.max(0, delayMs);
    if (this.#armed !== undefined && this.#armed.atMonotonic <= atMonotonic) return;
    this.#disarm();
    const cancel = clock.after(Math.max(0, delayMs), () => {
      this.#armed = undefined;
      this.#sweeping = this.#sweep();
    });
    this.#armed = { atMonotonic, cancel };
  }

  #disarm(): void {
    this.#armed?.cancel();
    this.#armed = undefined;
  }

  async #sweep(): Promise<void> {
    let lookedAfter: Instant | undefined;
    try {
      const now = await this.#parts.timekeeper.now();
      await this.#expire(now);
      await this.#fire(now);
      lookedAfter = now;
    } catch (cause) {
      // The disk failed: nothing was sent, and nothing is lost.
      this.#parts.context.log.error("timers.failed", { cause: String(cause) });
    }
    this.#sweeping = undefined;
    if (this.#closed) return;
    if (lookedAfter === undefined) this.#arm(AFTER_FAILURE_MS);
    else this.#armForNext(lookedAfter);
  }

  async #expire(now: Instant): Promise<void> {
    const { context, states } = this.#parts;
    for (;;) {
      const due = context.store.read.expiring(now, AT_ONCE);
      if (due.length === 0) return;
      context.checkpoint("expiry.due");
      await context.store.write((tx) => {
        for (const { delivery } of due) expire(tx, delivery.id, now);
      });
      context.checkpoint("expiry.recorded");
      for (const { delivery } of due)
        context.log.info("delivery.expired", { delivery: delivery.id, to: delivery.to });
      states.changed(due.map(({ message }) => message.id));
    }
  }

  async #fire(now: Instant): Promise<void> {
    const { context } = this.#parts;
    for (;;) {
      const due = context.store.read.timers({ dueBy: now, limit: AT_ONCE });
      if (due.length === 0) return;
      for (const timer of due) {
        if (this.#closed) return;
        context.checkpoint("timer.due");
        const outcome = await this.#say(timer, now).catch((cause: unknown) => this.#giveUp(timer, cause));
        context.checkpoint("timer.fired");
        context.log.info(outcome === "left-out" ? "timer.left_out" : "timer.fired", {
          timer: timer.id,
          kind: timer.work.kind,
          lateMs: now - timer.dueAt,
        });
      }
    }
  }

  /** One that can never be sent must not block the others; after a disk error it is tried again. */
  async #giveUp(timer: Timer, cause: unknown): Promise<void> {
    const { context } = this.#parts;
    if (!(cause instanceof BellhopError) || cause.code.startsWith("store.")) throw cause;
    context.log.error("timer.given_up", { timer: timer.id, cause: cause.message });
    await context.store.write((tx) => tx.removeTimer(timer.id));
  }

  /** The message and the timer's change are one transaction: a crash leaves both or neither. */
  async #say(timer: Timer, now: Instant): Promise<"said" | "left-out"> {
    const { notices, nextByCron } = this.#parts;
    const next = nextAfter(timer.repeat, timer.dueAt, now, nextByCron);
    const moveOn: MoveOn = (tx, change) => {
      // Cancelled, or moved with the clock, between the look and this commit.
      if (tx.timer(timer.id)?.dueAt !== timer.dueAt) throw new TimerMoved();
      // Written again, so that a timer of an earlier run counts by this run's clock from now on.
      tx.removeTimer(timer.id);
      if (next !== undefined) tx.putTimer({ ...timer, ...change, dueAt: next });
    };
    try {
      if (isReminder(timer)) return await this.#remind(timer, moveOn);
      if (timer.work.kind === "follow-up")
        await notices.followUp(timer.work, (tx) => moveOn(tx, { fired: timer.fired + 1 }));
    } catch (error) {
      if (!(error instanceof TimerMoved)) throw error;
    }
    return "said";
  }

  async #remind(reminder: Reminder, moveOn: MoveOn): Promise<"said" | "left-out"> {
    const { accept, context, neighbours, notices, states } = this.#parts;
    const { work } = reminder;
    const to = this.#reminderAddress(work);
    const refusal = accept.refusal({ to, sender: setterOf(work) }) ?? neighbours.lacking(to);
    if (refusal !== undefined) {
      context.log.warn("reminder.refused", { timer: reminder.id, to });
      await notices.reminderRefused(work, { to, why: refusal.message }, (tx, lastMessage) =>
        moveOn(tx, lastMessage === undefined ? {} : { work: { ...work, lastMessage } }),
      );
      return "left-out";
    }
    if (isLeftOut(context.store.read, work, accept.reached({ to, sender: BELLHOP }))) {
      await context.store.write((tx) => moveOn(tx, {}));
      return "left-out";
    }
    let gaveWay: readonly MessageId[] = [];
    const body = reminderNotice(work.text, this.#otherSetter(work));
    await accept.accept(
      { ...saidByBellhop(context, to, body), ...reminderStamp(work.setBy, body) },
      {
        with: (tx, message) => {
          moveOn(tx, { fired: reminder.fired + 1, work: { ...work, lastMessage: message.id } });
          gaveWay = giveWay(tx, work, message, message.createdAt);
        },
      },
    );
    if (gaveWay.length > 0) states.changed(gaveWay);
    return "said";
  }

  /** The session while it lives, else the agent that has it now. */
  #reminderAddress({ to, sessionId }: Extract<Timer["work"], { kind: "reminder" }>): string {
    const { directory, context } = this.#parts;
    if (sessionId === undefined) return to;
    const mailbox = sessionAddress(sessionId);
    if (directory.takerOfMailbox(mailbox) !== undefined) return mailbox;
    const agent = context.store.read.session(sessionId)?.agent;
    return agent === undefined ? to : agentAddress(agent);
  }

  /** A reminder to oneself does not name its setter. */
  #otherSetter({ to, sessionId, setBy, setBySession }: Extract<Timer["work"], { kind: "reminder" }>) {
    const own = setBy === to || (setBySession !== undefined && setBySession === sessionId);
    if (own) return undefined;
    return { name: splitAddress(setBy).rest, ...present({ id: setBySession }) };
  }
}

/** Who was allowed to write there when it was set may not be so when it is due. */
function setterOf({ setBy }: Reminder["work"]): SenderIdentity {
  return { address: setBy, source: splitAddress(setBy).kind === "agent" ? "agent" : "script" };
}

/** Sets the next time, or removes the timer; with other changes. */
type MoveOn = (tx: StoreWriter, change: Partial<Pick<Reminder, "fired" | "work">>) => void;

class TimerMoved extends Error {
  override readonly name = "TimerMoved";
}

function expire(tx: StoreWriter, id: string, now: Instant): void {
  const delivery = tx.findDelivery(id);
  if (delivery?.state !== "queued" || delivery.timeoutAt === undefined || delivery.timeoutAt > now) return;
  const held = delivery.hold === undefined ? "" : ` (held: ${delivery.hold.reason})`;
  const note = `${nobodyTookIt(delivery.timeoutMs)}${held}`;
  tx.moveDelivery(id, { at: now, state: "expired", note }, { hold: null });
}

function earliest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
