/**
 * Reports that a live session's readiness changed, that it asks something or has ended a turn; couriers look only while
 * something waits. One per live session; the screen watcher calls it. It never types and never writes.
 */
import type { Instant } from "../../core/message.ts";
import type { ReadinessKind, Signal } from "../../core/readiness/readiness.ts";
import { awaitedTurn, type SeenTurn, shownBy, stepTurn } from "../../core/readiness/seen-turn.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Onlooker } from "../presence/onlooker.ts";

/** What a session does, and what it asks. */
interface Stance {
  readonly readiness: ReadinessKind;
  /** The key of its question. */
  readonly asks: string | undefined;
}

export interface AttendanceParts {
  /** It shows a new question. */
  asked(session: LiveSession): void;
  /** The question with this key is no longer on its screen. */
  answered(session: LiveSession, key: string): void;
  /** It does something else now, or asks something else. */
  changed(session: LiveSession): void;
  /** A program without hooks was seen at work, first at this time, then idle. */
  turnEnded(session: LiveSession, began: Instant): void;
}

export class Attendance implements Onlooker {
  readonly #parts: AttendanceParts;
  readonly #session: LiveSession;
  /** So that its first state is reported too. */
  #stance: Stance = { readiness: "starting", asks: undefined };
  /** Without a limit on its beginning. */
  #turn: SeenTurn = awaitedTurn(0);
  #began: Instant = 0;

  constructor(parts: AttendanceParts, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
  }

  heard(signal: Signal): void {
    if (signal.kind === "screen") {
      const shows = shownBy(signal.reading, this.#session.queueReadiness());
      if (this.#turn.at === "awaited") this.#began = signal.at;
      this.#turn = stepTurn(this.#turn, { now: 0, shows });
      if (this.#turn.at === "ended") this.#ended();
    }
    this.#compare();
  }

  #ended(): void {
    this.#turn = awaitedTurn(0);
    if (!this.#session.record.hooked) this.#parts.turnEnded(this.#session, this.#began);
  }

  #compare(): void {
    const now = stanceOf(this.#session);
    const before = this.#stance;
    if (now.readiness === before.readiness && now.asks === before.asks) return;
    this.#stance = now;
    // A screen that cannot be read may still show it.
    if (before.asks !== undefined && (now.asks !== undefined || now.readiness !== "unknown"))
      this.#parts.answered(this.#session, before.asks);
    if (now.asks !== undefined && now.asks !== before.asks) this.#parts.asked(this.#session);
    this.#parts.changed(this.#session);
  }
}

function stanceOf(session: LiveSession): Stance {
  return { readiness: session.readiness().kind, asks: session.asks?.key };
}
