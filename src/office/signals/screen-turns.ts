/**
 * Turns of programs without hooks, as their screens show them: what was typed at an idle composer is `read` once its
 * turn was seen to begin and to end. One per live session; the screen watcher calls it. It never types, and says
 * nothing of a turn that was not seen to begin: such a message stays `delivered`.
 */
import { isTaken } from "../../core/evidence.ts";
import { type DeliveryId, LIMITS, type MessageId } from "../../core/message.ts";
import type { Signal } from "../../core/readiness/readiness.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import {
  awaitedTurn,
  type SeenTurn,
  shownBy,
  stepTurn,
  type TurnLook,
} from "../../core/readiness/seen-turn.ts";
import type { Item } from "../../ports/store.ts";
import { recordTurnEnd } from "../delivery/ledger.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { LooksWanted, Onlooker } from "../presence/onlooker.ts";
import type { Openings } from "../typing/openings.ts";

/** A batch at most, with a margin. */
const FEW = LIMITS.batch + 10;
/** Once it was seen at work, only its end is awaited, and that is a screen without output. */
const END: LooksWanted = { withinMs: 2_000 };
const BEGINNING: LooksWanted = { ...END, afterOutputMs: 400 };
const TURN = { beginsWithinMs: 5_000, signWithinMs: 60_000, longestMs: 24 * 3_600_000 } as const;

export interface ScreenTurnsParts extends Ground {
  readonly openings: Openings;
}

/** What was handed over, and its turn. An ended one stays here until it is recorded. */
interface HandedOver {
  readonly ids: readonly DeliveryId[];
  readonly turn: SeenTurn;
}

export class ScreenTurns implements Onlooker {
  readonly #parts: ScreenTurnsParts;
  readonly #session: LiveSession;
  #open: readonly HandedOver[] = [];
  #is: "watching" | "recording" = "watching";

  constructor(parts: ScreenTurnsParts, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
  }

  wants(): LooksWanted | undefined {
    if (this.#open.length === 0) return undefined;
    return this.#open.some(({ turn }) => turn.at === "awaited") ? BEGINNING : END;
  }

  heard(signal: Signal): void {
    // Hooks report it better. For an interrupted turn, hooks do not report `read` either.
    if (this.#session.record.hooked || signal.kind === "interrupted") this.#open = [];
    else if (signal.kind === "handed-over") this.#handedOver();
    else if (signal.kind === "screen" && this.#open.length > 0) this.#looked(signal.reading);
  }

  #handedOver(): void {
    const ids = this.#items("delivering")
      .filter(({ delivery, message }) => message.form.kind === "text" && delivery.attempt?.wasBusy === false)
      .map(({ delivery }) => delivery.id);
    // An earlier one that is still awaited has had its time, and could not be told from this turn.
    const before = this.#open.filter(({ turn }) => turn.at !== "awaited");
    const turn = awaitedTurn(this.#parts.context.clock.monotonic());
    // A second attempt must show by itself that it was taken.
    this.#open = ids.length === 0 ? before : [...without(before, ids), { ids, turn }];
  }

  /** Even before it is proven that it was taken: a short turn may be over by then. */
  #looked(reading: Reading): void {
    const shows = shownBy(reading, this.#session.queueReadiness());
    const now = this.#parts.context.clock.monotonic();
    this.#open = this.#open
      .map(({ ids, turn }) => {
        const draft = turn.at === "awaited" ? this.#draft(reading, ids) : undefined;
        return { ids, turn: stepTurn(turn, { now, shows, draft }, TURN) };
      })
      .filter(({ turn }) => turn.at !== "lost");
    if (shows === "idle") void this.#record();
  }

  /** Until it is proven that ours was taken, the text in the composer may be ours. */
  #draft(reading: Reading, ids: readonly DeliveryId[]): TurnLook["draft"] {
    if (reading.kind !== "composer") return undefined;
    if (reading.draft.kind === "empty") return "empty";
    return this.#items("delivered").some(({ delivery }) => ids.includes(delivery.id)) ? "persons" : undefined;
  }

  async #record(): Promise<void> {
    const { context, states, openings } = this.#parts;
    const ended = this.#open.filter(({ turn }) => turn.at === "ended").flatMap(({ ids }) => ids);
    if (ended.length === 0 || this.#is === "recording") return;
    this.#is = "recording";
    const read: MessageId[] = [];
    const unproven: DeliveryId[] = [];
    try {
      await context.store.write((tx) => {
        for (const id of ended) {
          const delivery = tx.findDelivery(id);
          if (delivery?.state === "delivering") unproven.push(id);
          if (delivery?.state !== "delivered" || !isTaken(delivery.evidence)) continue;
          const note = "the agent has ended its turn, as its screen shows";
          recordTurnEnd(tx, { delivery }, { at: context.clock.now(), evidence: "screen", note });
          read.push(delivery.messageId);
        }
      });
    } catch (cause) {
      context.log.error("turn.unrecorded", { session: this.#session.record.id, cause: String(cause) });
      return;
    } finally {
      this.#is = "watching";
    }
    const settled = ended.filter((id) => !unproven.includes(id));
    this.#open = this.#open.flatMap((one) => (one.turn.at === "ended" ? without([one], settled) : [one]));
    states.changed(read);
    openings.lookSoon(this.#session);
  }

  #items(state: "delivering" | "delivered"): readonly Item[] {
    return this.#parts.context.store.read.attemptedIn(this.#session.record.id, [state], FEW);
  }
}

function without(open: readonly HandedOver[], ids: readonly DeliveryId[]): readonly HandedOver[] {
  return open
    .map((one) => ({ ...one, ids: one.ids.filter((id) => !ids.includes(id)) }))
    .filter((one) => one.ids.length > 0);
}
