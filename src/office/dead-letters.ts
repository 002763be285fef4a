/** What nobody was there for: shows it, forgets it, and tries again. Called by the use-cases; accept fills it. */
import type { BrokerMessage, TimeWindow } from "../wire/shapes.ts";
import type { Accept } from "./accept.ts";
import { brokerMessage } from "./broker-shape.ts";
import type { OfficeContext } from "./context.ts";

const LISTED = 100;
const AT_ONCE = 200;

export class DeadLetters {
  readonly #context: OfficeContext;
  readonly #accept: Accept;

  constructor(context: OfficeContext, accept: Accept) {
    this.#context = context;
    this.#accept = accept;
  }

  list({
    limit = LISTED,
    fromTime,
    toTime,
  }: TimeWindow): readonly (BrokerMessage & { readonly reason: string })[] {
    const { read } = this.#context.store;
    return read
      .unmatched({
        limit,
        ...(fromTime === undefined ? {} : { from: fromTime }),
        ...(toTime === undefined ? {} : { until: toTime }),
      })
      .toReversed()
      .map(({ message, reason }) => ({ ...brokerMessage(message, undefined, read), reason }));
  }

  async clear(): Promise<number> {
    return this.#context.store.write((tx) => tx.clearUnmatched());
  }

  /** Those that somebody is there for now go out; the rest stays. */
  async reroute(only: string | undefined): Promise<{ readonly rerouted: number; readonly left: number }> {
    const { read } = this.#context.store;
    let before: number | undefined;
    let rerouted = 0;
    let left = 0;
    for (;;) {
      const page = read.unmatched({ limit: AT_ONCE, ...(before === undefined ? {} : { before }) });
      for (const { message } of page) {
        if (only !== undefined && message.id !== only) continue;
        if (await this.#accept.again(message)) rerouted += 1;
        else left += 1;
      }
      before = page.at(-1)?.number;
      if (before === undefined || page.length < AT_ONCE) return { rerouted, left };
    }
  }
}
