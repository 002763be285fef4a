/**
 * What was accepted, in the log: a line for each message, as long as they come one by one. Of a flood, only the first
 * of each second have their own line; the rest are counted, because a line costs more than routing the message. Accept
 * calls it.
 */
import type { OfficeContext } from "../base/context.ts";
import type { Accepted } from "./submission.ts";

export const MOST_LINES_A_SECOND = 10;
const SECOND_MS = 1_000;

export class AcceptedLog {
  readonly #context: Pick<OfficeContext, "log" | "clock">;
  #since = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #counted = 0;

  constructor(context: Pick<OfficeContext, "log" | "clock">) {
    this.#context = context;
  }

  add({ message, unmatched }: Accepted): void {
    const { log, clock } = this.#context;
    if (this.#counted > 0) {
      this.#counted += 1;
      return;
    }
    const now = clock.monotonic();
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > MOST_LINES_A_SECOND) {
      this.#counted = 1;
      clock.after(SECOND_MS, () => this.#say());
      return;
    }
    const { id, from, to, priority } = message;
    log.info("message.accepted", { message: id, from, to, priority, unmatched });
  }

  #say(): void {
    this.#context.log.info("messages.accepted", { count: this.#counted });
    this.#counted = 0;
  }
}
