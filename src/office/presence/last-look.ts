/** Whether a session's screen must still be as it was at the last look. The session asks before it looks again. */
import type { Instant } from "../../core/message.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Profile } from "../../ports/profile.ts";
import type { Observation } from "./observation.ts";
import type { OneAtATime } from "./one-at-a-time.ts";

/** Much longer than it takes from a look to the keys it permits, unless something came between. */
export const FRESH_MS = 50;
/** Terminals report the time of their output in whole seconds. */
const STILL_DRAWING_MS = 2_000;

export class LastLook {
  readonly #clock: Clock;
  #seen: { readonly at: Instant; readonly atMonotonic: number; readonly by: Profile } | undefined;
  /** According to the last scan. */
  #drawnAt: Instant | undefined;
  /** Nothing was drawn since this moment, according to scans. */
  #drewByMonotonic = Number.POSITIVE_INFINITY;
  /** When the terminal last reported a change. */
  #toldAtMonotonic = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A look begins now. Call the returned function with whether it has shown the screen. */
  begin(by: Profile): (hasShown: boolean) => void {
    const seen = { at: this.#clock.now(), atMonotonic: this.#clock.monotonic(), by };
    return (hasShown) => {
      this.#seen = hasShown ? seen : undefined;
    };
  }

  told(): void {
    this.#toldAtMonotonic = this.#clock.monotonic();
  }

  /** A scan has seen it: everything up to `drawnAt` has been drawn by now. */
  sighted(drawnAt: Instant | undefined): void {
    if (drawnAt === undefined) this.#drewByMonotonic = Number.POSITIVE_INFINITY;
    // Compared for equality, not order: the clock may have been set, even back into the second in which it drew.
    else if (drawnAt !== this.#drawnAt || Math.abs(this.#clock.now() - drawnAt) < STILL_DRAWING_MS)
      this.#drewByMonotonic = this.#clock.monotonic();
    this.#drawnAt = drawnAt;
  }

  /**
   * Whether a look is as good as a new one to the work that holds the lock: it began a moment ago, nothing else held
   * the lock since, and the terminal reported no change since. What it reports too late, its gate notices.
   */
  isFresh({ began }: Observation, lock: OneAtATime): boolean {
    if (began === undefined || !lock.isFirstSince(began.lock)) return false;
    const { atMonotonic } = began;
    return this.#clock.monotonic() - atMonotonic <= FRESH_MS && atMonotonic > this.#toldAtMonotonic;
  }

  /** Not for another profile, which would read the same screen differently. */
  stillShows(profile: Profile): boolean {
    if (this.#seen === undefined || this.#seen.by !== profile) return false;
    // It may have drawn once more in the second of which the scans say that it drew.
    if (this.#drawnAt !== undefined && Math.abs(this.#seen.at - this.#drawnAt) < STILL_DRAWING_MS)
      return false;
    return this.#seen.atMonotonic > Math.max(this.#drewByMonotonic, this.#toldAtMonotonic);
  }
}
