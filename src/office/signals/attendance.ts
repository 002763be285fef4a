/**
 * Looks at every live session when its screen has come to rest, and tells who is interested that it stands otherwise
 * than before: couriers look only while something waits. The office has it attend; it never types and never writes.
 */
import type { ReadinessKind, Signal } from "../../core/readiness/readiness.ts";
import { showsWork } from "../../core/readiness/reading.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { overhear } from "../presence/overhearing.ts";

/** A question stands still; what works moves. */
const AT_REST_MS = 700;
/** Also where something never rests. */
const AT_LATEST_MS = 3_000;
const LONGEST_MS = 60_000;
const SHORTEST_MS = 200;

/** What a session does, and what it asks. */
interface Stance {
  readonly readiness: ReadinessKind;
  /** The key of its question. */
  readonly asks: string | undefined;
}

export interface AttendanceParts {
  readonly context: OfficeContext;
  /** It shows a question that it did not show before. */
  asked(session: LiveSession): void;
  /** The question with this key is no longer on its screen. */
  answered(session: LiveSession, key: string): void;
  changed(): void;
  /** A program without hooks was seen at work, and then at rest. */
  turnEnded(session: LiveSession): void;
}

export class Attendance {
  readonly #parts: AttendanceParts;
  readonly #attended = new Map<LiveSession, Attended>();

  constructor(parts: AttendanceParts) {
    this.#parts = parts;
  }

  attend(session: LiveSession): void {
    if (!this.#attended.has(session)) this.#attended.set(session, new Attended(this.#parts, session));
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

class Attended {
  readonly #parts: AttendanceParts;
  readonly #session: LiveSession;
  readonly #stops: readonly (() => void)[];
  /** What it shows at first is news too. */
  #stance: Stance = { readiness: "starting", asks: undefined };
  #work: "unseen" | "seen" = "unseen";
  #movingSince: number | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: AttendanceParts, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
    this.#stops = [
      overhear(session, parts.context, (signal) => this.#heard(signal)),
      session.onOutput(() => this.#moved()),
    ];
    this.#lookAfter(AT_REST_MS);
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#cancel?.();
  }

  #heard(signal: Signal): void {
    if (signal.kind === "screen" && showsWork(signal.reading)) this.#work = "seen";
    if (signal.kind === "hook" && signal.event === "permission-asked") this.#lookAfter(AT_REST_MS);
    this.#compare();
  }

  #moved(): void {
    const { clock } = this.#parts.context;
    this.#movingSince ??= clock.monotonic();
    const left = this.#movingSince + AT_LATEST_MS - clock.monotonic();
    this.#lookAfter(Math.min(AT_REST_MS, Math.max(0, left)));
  }

  #lookAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#cancel?.();
    this.#cancel = this.#parts.context.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { context } = this.#parts;
    this.#cancel = undefined;
    this.#movingSince = undefined;
    // What it shows is heard as a signal.
    await this.#session.glance().catch((cause: unknown) => {
      context.log.warn("session.unseen", { session: this.#session.record.id, cause: String(cause) });
    });
    if (this.#isClosed) return;
    this.#compare();
    const { until } = this.#session.readiness();
    if (until === undefined || this.#cancel !== undefined) return;
    this.#lookAfter(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, until - context.clock.now())));
  }

  #compare(): void {
    const now = stanceOf(this.#session);
    const before = this.#stance;
    if (now.readiness === before.readiness && now.asks === before.asks) return;
    this.#stance = now;
    if (now.readiness === "idle" && this.#work === "seen") {
      this.#work = "unseen";
      if (!this.#session.record.hooked) this.#parts.turnEnded(this.#session);
    }
    // A screen that cannot be read may still show it.
    if (before.asks !== undefined && (now.asks !== undefined || now.readiness !== "unknown"))
      this.#parts.answered(this.#session, before.asks);
    if (now.asks !== undefined && now.asks !== before.asks) this.#parts.asked(this.#session);
    this.#parts.changed();
  }
}

function stanceOf(session: LiveSession): Stance {
  return { readiness: session.readiness().kind, asks: session.asks?.key };
}
