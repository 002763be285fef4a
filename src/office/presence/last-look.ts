/** Whether what a session's screen showed at the last look must still be there. The session asks it before it looks again. */
import type { Instant } from "../../core/message.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Profile } from "../../ports/profile.ts";

/** Terminals tell in whole seconds when they drew. */
const STILL_DRAWING_MS = 2_000;

export class LastLook {
  readonly #clock: Clock;
  #seen: { readonly atMonotonic: number; readonly by: Profile } | undefined;
  /** As the last scan said. */
  #drawnAt: Instant | undefined;
  /** Nothing was drawn since this moment, as far as scans tell. */
  #drewByMonotonic = Number.POSITIVE_INFINITY;
  /** When the terminal last told of a change. */
  #toldAtMonotonic = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It begins now. The returned call says whether it has shown the screen. */
  begin(by: Profile): (hasShown: boolean) => void {
    const seen = { atMonotonic: this.#clock.monotonic(), by };
    return (hasShown) => {
      this.#seen = hasShown ? seen : undefined;
    };
  }

  told(): void {
    this.#toldAtMonotonic = this.#clock.monotonic();
  }

  /** A scan has seen it. Whatever was drawn there before has been drawn by now. */
  sighted(drawnAt: Instant | undefined): void {
    if (drawnAt === undefined) this.#drewByMonotonic = Number.POSITIVE_INFINITY;
    // Compared and not ordered: the clock may have been set.
    else if (drawnAt !== this.#drawnAt || Math.abs(this.#clock.now() - drawnAt) < STILL_DRAWING_MS)
      this.#drewByMonotonic = this.#clock.monotonic();
    this.#drawnAt = drawnAt;
  }

  /** Another profile would read the same screen otherwise. */
  stillShows(profile: Profile): boolean {
    if (this.#seen === undefined || this.#seen.by !== profile) return false;
    return this.#seen.atMonotonic > Math.max(this.#drewByMonotonic, this.#toldAtMonotonic);
  }
}
