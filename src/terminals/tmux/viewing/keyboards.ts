/** Which panes' keyboards people have taken from elsewhere, and when they last pressed a key. tmux knows of neither. */
import type { Clock } from "../../../ports/clock.ts";

export class Keyboards {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #onChange: (pane: string) => void;
  readonly #taken = new Set<string>();
  readonly #typedAtMonotonic = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">, onChange: (pane: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  isTaken(pane: string): boolean {
    return this.#taken.has(pane);
  }

  take(pane: string): void {
    this.#taken.add(pane);
    this.#onChange(pane);
  }

  giveBack(pane: string): void {
    if (this.#taken.delete(pane)) this.#onChange(pane);
  }

  typed(pane: string): void {
    this.#typedAtMonotonic.set(pane, this.#clock.monotonic());
  }

  /** Infinite if nobody has typed. */
  quietMs(pane: string): number {
    const typedAt = this.#typedAtMonotonic.get(pane);
    return typedAt === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - typedAt;
  }
}
