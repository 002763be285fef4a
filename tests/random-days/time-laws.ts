/** The laws of time on a random day: expiries, notices, reminders, while clocks are set and machines sleep. */
import { expect } from "vitest";
import type { DeliveryState } from "../../src/core/message.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { Desk } from "../desk/desk.ts";

export interface Asked {
  readonly timeoutMs: number;
  readonly notifyOnDelivery: boolean;
  readonly notifyAfterMs?: number;
}

export type When = { readonly afterMs: number } | { readonly everyMs: number };

/** When something was requested, according to every clock. */
interface Moment {
  readonly elapsed: number;
  readonly restarts: number;
  readonly sets: number;
}

interface Letter extends Moment {
  readonly sent: SendResponse;
  readonly body: string;
  readonly asked: Asked;
  readonly by: "person" | "agent";
}

interface Reminder extends Moment {
  readonly shown: ShownReminder;
  readonly when: When;
  cancelled: boolean;
}

const TOLD: readonly DeliveryState[] = ["delivered", "read", "replied", "expired", "failed"];

export class TimeLaws {
  readonly #desk: Desk;
  readonly #letters: Letter[] = [];
  readonly #reminders: Reminder[] = [];
  /** How often an expired message had been typed when it was first seen expired. */
  readonly #typedBefore = new Map<string, number>();
  #restarts = 0;
  #sets = 0;
  #agent: "there" | "gone" = "there";

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  restarted(): void {
    this.#restarts += 1;
  }

  clockWasSet(): void {
    this.#sets += 1;
  }

  agentLeft(): void {
    this.#agent = "gone";
  }

  sent(sent: SendResponse, body: string, asked: Asked, by: Letter["by"]): void {
    this.#letters.push({ sent, body, asked, by, ...this.#now() });
  }

  reminded(shown: ShownReminder, when: When): void {
    this.#reminders.push({ shown, when, cancelled: false, ...this.#now() });
  }

  async cancel(at: number): Promise<void> {
    const reminder = this.#reminders[at % Math.max(1, this.#reminders.length)];
    if (reminder === undefined) return;
    await this.#desk.done(this.#desk.use.reminder_cancel({ id: reminder.shown.id })).then(
      () => {
        reminder.cancelled = true;
      },
      () => {},
    );
  }

  /** Repeating reminders would otherwise come forever. */
  async endRepetitions(): Promise<void> {
    const { reminders } = await this.#desk.use.reminders({});
    for (const { id, everyMs } of reminders)
      if (everyMs !== undefined) await this.#desk.done(this.#desk.use.reminder_cancel({ id }));
  }

  /** Whether a timer or a notice is still due. */
  get isOpen(): boolean {
    const { read } = this.#desk.store;
    return read.nextTimer() !== undefined || read.owing(1).length > 0;
  }

  /** After every event; `copies` says how often a message was typed or handed over. */
  check(copies: (sent: SendResponse) => number): void {
    for (const letter of this.#letters) this.#checkLetter(letter, copies);
    for (const reminder of this.#reminders) this.#checkReminder(reminder);
  }

  checkEnd(): void {
    for (const letter of this.#letters) this.#checkTold(letter);
    for (const { shown, cancelled, when } of this.#reminders) {
      if (!cancelled && "afterMs" in when) expect(this.#came(shown), `reminder ${shown.text}`).toBe(1);
    }
    const unread = this.#desk.store.read
      .deliveries({ states: ["queued"] })
      .filter(({ message, delivery }) => message.source === "bellhop" && delivery.to.startsWith("session/"))
      // A reminder stays with its conversation, which somebody may resume.
      .filter(({ message }) => message.command !== "reminder");
    expect(
      unread.map(({ message }) => message.body),
      "notices that nobody will read",
    ).toEqual([]);
  }

  #checkLetter(letter: Letter, copies: (sent: SendResponse) => number): void {
    const { sent, asked } = letter;
    const delivery = this.#desk.delivery(sent);
    const receipts = this.#desk.store.read.receiptsOf(delivery.id);
    const name = `#${sent.shortId}`;
    if (this.#sets === 0 && delivery.timeoutAt !== undefined) {
      const late = receipts.filter(
        ({ state, at }) => state === "delivering" && at > (delivery.timeoutAt ?? 0),
      );
      expect(late, `${name} was begun after its time`).toEqual([]);
    }
    if (delivery.state !== "expired") return;
    expect(receipts.at(-2)?.state, `${name} expired while it was under way`).toBe("queued");
    if (this.#isCertain(letter))
      expect(this.#passedSince(letter), `${name} expired early`).toBeGreaterThanOrEqual(asked.timeoutMs);
    const typed = copies(sent);
    if (!delivery.possibleDuplicate) expect(typed, `${name} is expired and was typed`).toBe(0);
    expect(typed, `${name} was typed after it expired`).toBe(this.#typedBefore.get(delivery.id) ?? typed);
    this.#typedBefore.set(delivery.id, typed);
  }

  #checkReminder(reminder: Reminder): void {
    const { shown, when } = reminder;
    const came = this.#came(shown);
    if ("afterMs" in when) expect(came, `${shown.text} came ${came} times`).toBeLessThanOrEqual(1);
    if (!this.#isCertain(reminder)) return;
    const passed = this.#passedSince(reminder);
    const most = "afterMs" in when ? Number(passed >= when.afterMs) : Math.floor(passed / when.everyMs);
    expect(came, `${shown.text} came early`).toBeLessThanOrEqual(most);
  }

  /** Law: an owed notice is sent once, unless its recipient is gone. */
  #checkTold({ sent, body, asked, by }: Letter): void {
    const { state } = this.#desk.delivery(sent);
    const said = (commands: readonly string[]): number =>
      this.#desk.store.read
        .deliveries({})
        .filter(({ message }) => commands.includes(message.command ?? ""))
        .filter(({ message }) => message.body.includes(`Original: "${body}"`)).length;
    const first = said(["delivery-notice", "expiry-notice", "failure-notice"]);
    const later = said(["follow-up"]);
    const owedFirst = asked.notifyOnDelivery && TOLD.includes(state) ? 1 : 0;
    const reached = ["delivered", "read", "replied"].includes(state);
    const owedLater = asked.notifyAfterMs !== undefined && reached ? 1 : 0;
    if (by === "agent" && this.#agent === "gone") {
      expect(first).toBeLessThanOrEqual(owedFirst);
      expect(later).toBeLessThanOrEqual(owedLater);
    } else expect({ body, state, first, later }).toEqual({ body, state, first: owedFirst, later: owedLater });
  }

  #came({ text }: ShownReminder): number {
    return this.#desk.store.read
      .deliveries({})
      .filter(({ message }) => message.command === "reminder")
      .filter(({ message }) => message.body.split("\n")[1] === text).length;
  }

  #now(): Moment {
    return { elapsed: this.#desk.clock.elapsed(), restarts: this.#restarts, sets: this.#sets };
  }

  #passedSince({ elapsed }: Moment): number {
    return this.#desk.clock.elapsed() - elapsed;
  }

  /** Only if the clock was set and the daemon restarted is it uncertain how much time has passed. */
  #isCertain({ restarts, sets }: Moment): boolean {
    return restarts === this.#restarts || sets === this.#sets;
  }
}
