/** Time for many hosts at once: it moves only when told, and what is due runs in order. */
import type { OfficeClock } from "../../src/ports/clock.ts";

interface Timer {
  readonly due: number;
  readonly number: number;
  call: (() => void) | undefined;
}

export class VirtualClock implements OfficeClock {
  /** A heap: the earliest is first. */
  readonly #timers: Timer[] = [];
  #now = Date.UTC(2030, 0, 7, 9);
  #number = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  offsetAt(): number {
    return 0;
  }

  after(delayMs: number, call: () => void): () => void {
    this.#number += 1;
    const timer: Timer = { due: this.#now + Math.max(0, delayMs), number: this.#number, call };
    this.#put(timer);
    return () => {
      timer.call = undefined;
    };
  }

  /** What a timer begins has ended before the next one runs: stores in memory answer within a turn or two. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settled();
    for (let next = this.#timers[0]; next !== undefined && next.due <= target; next = this.#timers[0]) {
      this.#removeFirst();
      if (next.call === undefined) continue;
      this.#now = Math.max(this.#now, next.due);
      next.call();
      await settled();
    }
    this.#now = target;
  }

  #put(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(timer, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #removeFirst(): void {
    const heap = this.#timers;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const earlier = isRight ? right : left;
      if (earlier === undefined || !isBefore(earlier, last)) break;
      heap[at] = earlier;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.due < other.due || (one.due === other.due && one.number < other.number);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
