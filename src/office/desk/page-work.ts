/** What waits to be told to the person or is being told, each by its id. */
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** What only waits can be called back; what is being told looks again before it tells anything. */
interface Under {
  cancel?(): void;
}

type Work = () => Promise<void>;

export class PageWork {
  readonly #parts: { readonly clock: Clock; readonly log: Log };
  readonly #under = new Map<string, Under>();
  readonly #working = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: { readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
  }

  has(id: string): boolean {
    return this.#under.has(id);
  }

  begin(id: string, work: Work): void {
    if (this.#isClosed) return;
    const under: Under = {};
    this.#under.set(id, under);
    const working = work()
      .catch((cause) => this.#parts.log.error("person.unpaged", { cause: String(cause) }))
      .finally(() => {
        this.#working.delete(working);
        if (this.#under.get(id) === under) this.#under.delete(id);
      });
    this.#working.add(working);
  }

  /** Does not wait any longer. */
  hasten(id: string, work: Work): void {
    const under = this.#under.get(id);
    if (under !== undefined && under.cancel === undefined) return;
    under?.cancel?.();
    this.begin(id, work);
  }

  later(id: string, ms: number, work: Work): void {
    if (this.#isClosed) return;
    const cancel = this.#parts.clock.after(ms, () => this.begin(id, work));
    this.#under.set(id, { cancel });
  }

  cancel(id: string): void {
    this.#under.get(id)?.cancel?.();
    this.#under.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#under.values()) cancel?.();
    this.#under.clear();
    await Promise.all(this.#working);
  }
}
