/**
 * How soon and how often the person is told what one session asks. A session that goes on asking, in other words each
 * time, is one that waits, not many.
 */
import type { Instant } from "../../core/message.ts";
import type { LiveSession } from "../presence/live-session.ts";

/** Someone who is there has this long to answer in the terminal. */
const IF_PRESENT_MS = 20_000;
/** Of one session, unless somebody answers from outside. */
const LIMIT = { pages: 5, windowMs: 5 * 60_000 } as const;

interface Asking {
  /** Since when it asks, or was told last. */
  readonly since: Instant;
  readonly isTold: boolean;
  /** What it asked is gone, and it asked something else in the same moment. */
  readonly goesOn: boolean;
}

interface Paged {
  readonly at: readonly Instant[];
  /** When the person was told that there is more. */
  readonly saidOften?: Instant;
}

export type PageTurn =
  | { readonly kind: "now" }
  /** `isNews`: the person does not know yet that there is more. */
  | { readonly kind: "later"; readonly inMs: number; readonly isNews: boolean };

export class PageRate {
  readonly #asking = new WeakMap<LiveSession, Asking>();
  readonly #paged = new WeakMap<LiveSession, Paged>();

  /** It asks something new. */
  asked(session: LiveSession, now: Instant): void {
    const asking = this.#asking.get(session);
    const { since, isTold } = asking?.goesOn === true ? asking : { since: now, isTold: false };
    this.#asking.set(session, { since, isTold, goesOn: false });
  }

  /** What it asked is no longer there. */
  answered(session: LiveSession): void {
    const asking = this.#asking.get(session);
    if (asking === undefined) return;
    if (session.asks === undefined) this.#asking.delete(session);
    else this.#asking.set(session, { ...asking, goesOn: true });
  }

  waitMs(session: LiveSession, isAway: boolean, now: Instant): number {
    const { since, isTold } = this.#asking.get(session) ?? { since: now, isTold: false };
    return isAway && !isTold ? 0 : Math.max(0, since + IF_PRESENT_MS - now);
  }

  /** Whoever answers from outside is there to read more. */
  answeredOutside(session: LiveSession): void {
    this.#asking.delete(session);
    this.#paged.delete(session);
  }

  /** Whether it may be told now; if so, it counts as told. */
  turn(session: LiveSession, now: Instant): PageTurn {
    const { at, saidOften } = this.#paged.get(session) ?? { at: [] };
    const recent = at.filter((then) => now - then < LIMIT.windowMs);
    const [first] = recent;
    if (first !== undefined && recent.length >= LIMIT.pages) {
      const isNews = saidOften === undefined || now - saidOften >= LIMIT.windowMs;
      this.#paged.set(session, { at: recent, saidOften: isNews ? now : saidOften });
      return { kind: "later", inMs: first + LIMIT.windowMs - now, isNews };
    }
    this.#paged.set(session, { at: [...recent, now], ...(saidOften === undefined ? {} : { saidOften }) });
    this.#asking.set(session, { since: now, isTold: true, goesOn: false });
    return { kind: "now" };
  }
}
