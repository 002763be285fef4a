/**
 * Whether what was written has been read. A pong comes only after the other side has read its ping and everything
 * before it, in every WebSocket implementation. A write that the system accepts only means that a buffer had room.
 */
import type { WebSocket } from "ws";

interface Batch {
  readonly number: number;
  readonly outcome: Promise<"written" | "gone">;
  settle(outcome: "written" | "gone"): void;
}

export class Receipts {
  readonly #ws: WebSocket;
  readonly #ping: (text: string) => void;
  readonly #asked: Batch[] = [];
  #gathering: Batch | undefined;
  #count = 0;
  #over = false;

  constructor(ws: WebSocket, ping: (text: string) => void) {
    this.#ws = ws;
    this.#ping = ping;
    ws.on("pong", (data) => this.#ponged(Number(data.toString("latin1"))));
    ws.on("close", () => this.#end());
  }

  /** For everything written in this tick. */
  confirmed(): Promise<"written" | "gone"> | "gone" {
    if (this.#over) return "gone";
    this.#gathering ??= this.#newBatch();
    return this.#gathering.outcome;
  }

  #newBatch(): Batch {
    this.#count += 1;
    let settle: Batch["settle"] = () => {};
    const outcome = new Promise<"written" | "gone">((resolve) => {
      settle = resolve;
    });
    const batch = { number: this.#count, outcome, settle };
    this.#asked.push(batch);
    process.nextTick(() => {
      this.#gathering = undefined;
      if (this.#ws.readyState === this.#ws.OPEN) this.#ping(String(batch.number));
    });
    return batch;
  }

  /** A pong that answers none of our pings has `NaN` or a number that is too high, and settles nothing. */
  #ponged(number: number): void {
    while (this.#asked[0] !== undefined && this.#asked[0].number <= number && !this.#isGathering())
      this.#asked.shift()?.settle("written");
  }

  /** Its ping is not sent yet, so no pong can be for it. */
  #isGathering(): boolean {
    return this.#asked[0] === this.#gathering;
  }

  #end(): void {
    this.#over = true;
    for (const batch of this.#asked.splice(0)) batch.settle("gone");
  }
}
