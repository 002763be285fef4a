/**
 * Turns of programs without hooks, as their screens show them. What was put in at an idle composer is read when the
 * program was seen at work after that, and then seen idle. The office has it attend every live session.
 * It never types, and says nothing of a turn that nobody saw begin: such a message stays delivered.
 */
import { isTaken } from "../../core/evidence.ts";
import { type DeliveryId, LIMITS, type MessageId } from "../../core/message.ts";
import type { Signal } from "../../core/readiness/readiness.ts";
import { type Reading, showsWork } from "../../core/readiness/reading.ts";
import type { Item } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import type { StateWatch } from "../base/state-watch.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { overhear } from "../presence/overhearing.ts";
import { type Openings, settleTurn } from "../typing/openings.ts";

/** A batch at most, with room. */
const FEW = LIMITS.batch + 10;
/** Many changes of one moment are one look. */
const PAUSE_MS = 400;
const LOOK_EVERY_MS = 2_000;
/** Some begin a moment late. One that is seen idle after that has shown all of this turn that it will show. */
const SIGN_WITHIN_MS = 5_000;
/** Not even where it is never seen idle. */
const SIGN_AT_ALL_WITHIN_MS = 60_000;
const LONGEST_TURN_MS = 24 * 3_600_000;

export interface ScreenTurnsParts {
  readonly context: OfficeContext;
  readonly states: StateWatch;
  readonly openings: Openings;
}

export class ScreenTurns {
  readonly #parts: ScreenTurnsParts;
  readonly #attended = new Map<LiveSession, SessionTurns>();

  constructor(parts: ScreenTurnsParts) {
    this.#parts = parts;
  }

  attend(session: LiveSession): void {
    if (this.#attended.has(session)) return;
    this.#attended.set(session, new SessionTurns(this.#parts, session));
  }

  /** Its program has ended. */
  leave(session: LiveSession): void {
    this.#attended.get(session)?.close();
    this.#attended.delete(session);
  }

  close(): void {
    for (const session of [...this.#attended.keys()]) this.leave(session);
  }
}

class SessionTurns {
  readonly #parts: ScreenTurnsParts;
  readonly #session: LiveSession;
  readonly #stops: readonly (() => void)[];
  /** Handed over; the program was not seen at work since. */
  #handedOver: readonly DeliveryId[] = [];
  readonly #atWork = new Set<DeliveryId>();
  /** What a person wrote there since: the turn it begins is not ours. */
  #personsText: "none" | "stood" = "none";
  #sinceMonotonic = 0;
  #isClosed = false;
  #timer: { readonly by: "output" | "time"; cancel(): void } | undefined;

  constructor(parts: ScreenTurnsParts, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
    this.#stops = [
      overhear(session, parts.context, (signal) => this.#heard(signal)),
      // Once it is seen at work only its end is waited for, and that is a screen without output.
      session.onOutput(() => {
        if (this.#handedOver.length > 0 && this.#timer?.by === "time") this.#lookAfter(PAUSE_MS, "output");
      }),
    ];
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#timer?.cancel();
  }

  #heard(signal: Signal): void {
    // A program with hooks says it better.
    if (this.#session.record.hooked) return;
    if (signal.kind === "handed-over") this.#begun();
    if (signal.kind === "interrupted") this.#brokenOff();
    if (signal.kind !== "screen") return;
    if (signal.reading.kind !== "composer") {
      if (showsWork(signal.reading)) this.#seenAtWork();
      return;
    }
    if (this.#handedOver.length > 0) this.#heedDraft(signal.reading);
    if (showsWork(signal.reading)) this.#seenAtWork();
    // A draft over a still screen hides nothing: it may well be that of a person who wrote while the program worked.
    else if (this.#session.queueReadiness().kind === "idle") this.#seenIdle();
  }

  #begun(): void {
    const { clock } = this.#parts.context;
    // What is still here from before was given its time, and shows nothing that could be told from this turn.
    this.#handedOver = this.#items("delivering")
      .filter(({ delivery, message }) => message.form.kind === "text" && delivery.attempt?.wasBusy === false)
      .map(({ delivery }) => delivery.id);
    this.#personsText = "none";
    // A second attempt must show by itself that it was taken.
    for (const id of this.#handedOver) this.#atWork.delete(id);
    if (this.#handedOver.length === 0) return;
    this.#sinceMonotonic = clock.monotonic();
    this.#lookAfter(PAUSE_MS, "output");
  }

  /** Of a turn that was cut short hooks do not say either that what it began with was read. */
  #brokenOff(): void {
    this.#handedOver = [];
    this.#atWork.clear();
  }

  /** Also before anything has proven that it was taken: a short turn may be over by then. */
  #seenAtWork(): void {
    for (const id of this.#handedOver) this.#atWork.add(id);
    this.#handedOver = [];
  }

  #seenIdle(): void {
    if (this.#passedMs() >= SIGN_WITHIN_MS) this.#handedOver = [];
    if (this.#atWork.size > 0) void this.#ended();
  }

  /** One that was put back after the delivery stays where it is; one that is gone again may have been sent. */
  #heedDraft({ draft }: Extract<Reading, { kind: "composer" }>): void {
    if (draft.kind === "empty") {
      if (this.#personsText === "stood") this.#handedOver = [];
      return;
    }
    // Until it is proven that ours was taken, the text may be ours.
    if (this.#items("delivered").some(({ delivery }) => this.#handedOver.includes(delivery.id)))
      this.#personsText = "stood";
  }

  async #ended(): Promise<void> {
    const { context, states } = this.#parts;
    const ids = [...this.#atWork];
    this.#atWork.clear();
    const read: MessageId[] = [];
    const unproven: DeliveryId[] = [];
    try {
      await context.store.write((tx) => {
        for (const id of ids) {
          const delivery = tx.findDelivery(id);
          if (delivery?.state === "delivering") unproven.push(id);
          if (delivery?.state !== "delivered" || !isTaken(delivery.evidence)) continue;
          const note = "the agent has ended its turn, as its screen shows";
          settleTurn(tx, { delivery }, { at: context.clock.now(), evidence: "screen", note });
          read.push(delivery.messageId);
        }
      });
    } catch (cause) {
      context.log.error("turn.unrecorded", { session: this.#session.record.id, cause: String(cause) });
      for (const id of ids) this.#atWork.add(id);
      return;
    }
    for (const id of unproven) this.#atWork.add(id);
    states.changed(read);
    this.#parts.openings.lookSoon(this.#session);
  }

  #items(state: "delivering" | "delivered"): readonly Item[] {
    return this.#parts.context.store.read.attemptedIn(this.#session.record.id, [state], FEW);
  }

  #passedMs(): number {
    return this.#parts.context.clock.monotonic() - this.#sinceMonotonic;
  }

  #lookAfter(ms: number, by: "output" | "time"): void {
    this.#timer?.cancel();
    const cancel = this.#parts.context.clock.after(ms, () => void this.#look());
    this.#timer = { by, cancel };
  }

  async #look(): Promise<void> {
    const { context } = this.#parts;
    const session = this.#session;
    const passedMs = this.#passedMs();
    if (passedMs > SIGN_AT_ALL_WITHIN_MS) this.#handedOver = [];
    if (passedMs > LONGEST_TURN_MS || session.record.hooked) this.#atWork.clear();
    this.#timer = undefined;
    if (this.#handedOver.length === 0 && this.#atWork.size === 0) return;
    // What it shows is heard as a signal, as is what others read.
    await session.observe().catch((cause: unknown) => {
      context.log.warn("turn.unseen", { session: session.record.id, cause: String(cause) });
    });
    if (this.#timer === undefined && !this.#isClosed) this.#lookAfter(LOOK_EVERY_MS, "time");
  }
}
