/**
 * Looks at the screen of every live session for all its onlookers: when it is still, at the latest after a while, when
 * its readiness may change by itself, and as often as one of them wants. Started by the office; never types or writes.
 */
import type { Signal } from "../../core/readiness/readiness.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Onlooker } from "../presence/onlooker.ts";

/** A question stays still; work changes the screen. */
const AT_REST_MS = 700;
/** Even if the screen is never still. */
const AT_LATEST_MS = 3_000;
const LONGEST_MS = 60_000;
const SHORTEST_MS = 200;
const NEVER = Number.POSITIVE_INFINITY;

export class ScreenWatchers {
  readonly #context: OfficeContext;
  readonly #onlookers: (session: LiveSession) => readonly Onlooker[];
  readonly #attended = new Map<LiveSession, ScreenWatcher>();

  constructor(context: OfficeContext, onlookers: (session: LiveSession) => readonly Onlooker[]) {
    this.#context = context;
    this.#onlookers = onlookers;
  }

  attend(session: LiveSession): void {
    if (this.#attended.has(session)) return;
    this.#attended.set(session, new ScreenWatcher(this.#context, session, this.#onlookers(session)));
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

class ScreenWatcher {
  readonly #context: OfficeContext;
  readonly #session: LiveSession;
  readonly #onlookers: readonly Onlooker[];
  readonly #stops: readonly (() => void)[];
  #is: "waiting" | "looking" | "closed" = "waiting";
  /** First and last change since the last look. */
  #moved: { readonly first: number; readonly last: number } | undefined;
  /** When the onlookers want a look, even without a change. */
  #wantedAt = NEVER;
  /** When readiness may change by itself, unless the screen changes before. */
  #changesAt = NEVER;
  #timer: { readonly at: number; cancel(): void } | undefined;

  constructor(context: OfficeContext, session: LiveSession, onlookers: readonly Onlooker[]) {
    this.#context = context;
    this.#session = session;
    this.#onlookers = onlookers;
    this.#stops = [
      ...onlookers.map((onlooker) => this.#overhear((signal) => onlooker.heard(signal))),
      this.#overhear((signal) => this.#heard(signal)),
      session.onOutput(() => this.#hasMoved()),
    ];
    this.#hasMoved();
  }

  close(): void {
    this.#is = "closed";
    for (const stop of this.#stops) stop();
    this.#timer?.cancel();
  }

  /** The source of a signal may be typing: a failure here must not reach it. */
  #overhear(heard: (signal: Signal) => void): () => void {
    return this.#session.onSignal((signal) => {
      try {
        heard(signal);
      } catch (cause) {
        const { log } = this.#context;
        log.error("turn.unseen", { session: this.#session.record.id, cause: String(cause) });
      }
    });
  }

  /** What was typed or asked is about to be shown. */
  #heard(signal: Signal): void {
    const isAboutToShow =
      signal.kind === "handed-over" || (signal.kind === "hook" && signal.event === "permission-asked");
    if (!isAboutToShow) return;
    this.#moved = undefined;
    this.#hasMoved();
  }

  #hasMoved(): void {
    const now = this.#context.clock.monotonic();
    this.#moved = { first: this.#moved?.first ?? now, last: now };
    this.#plan();
  }

  #plan(): void {
    if (this.#is !== "waiting") return;
    const changesAt = this.#moved === undefined ? this.#changesAt : this.#restsAt(this.#moved);
    const at = Math.min(this.#wantedAt, changesAt);
    if (this.#timer?.at === at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === NEVER) return;
    const { clock } = this.#context;
    this.#timer = { at, cancel: clock.after(Math.max(0, at - clock.monotonic()), () => void this.#look()) };
  }

  #restsAt({ first, last }: { readonly first: number; readonly last: number }): number {
    const soonest = this.#onlookers.map((onlooker) => onlooker.wants?.()?.afterOutputMs ?? AT_LATEST_MS);
    return Math.min(last + AT_REST_MS, first + Math.min(AT_LATEST_MS, ...soonest));
  }

  async #look(): Promise<void> {
    this.#is = "looking";
    this.#timer = undefined;
    this.#moved = undefined;
    // Wait for a slow terminal only if an onlooker waits for what it shows.
    const isAwaited = this.#onlookers.some((onlooker) => onlooker.wants?.() !== undefined);
    const looking = isAwaited ? this.#session.observe() : this.#session.glance();
    const observation = await looking.catch((cause: unknown) => {
      const { log } = this.#context;
      log.warn("session.unseen", { session: this.#session.record.id, cause: String(cause) });
    });
    if (this.#is !== "looking") return;
    this.#is = "waiting";
    if (observation !== undefined) for (const onlooker of this.#onlookers) onlooker.seen?.(observation);
    this.#expectMore();
    this.#plan();
  }

  #expectMore(): void {
    const { clock } = this.#context;
    const now = clock.monotonic();
    const { until } = this.#session.readiness();
    const wanted = this.#onlookers.map((onlooker) => onlooker.wants?.()?.withinMs ?? NEVER);
    this.#wantedAt = now + Math.min(...wanted);
    const within = (ms: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms));
    this.#changesAt = until === undefined ? NEVER : now + within(until - clock.now());
  }
}
