/** Messages that had no recipient: lists, forgets and reroutes them. The use-cases call it; accept fills it. */
import { BellhopError } from "../../core/errors.ts";
import type { MessageId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isLoopReason } from "../../core/routing/loop-breaker.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { TimeWindow } from "../../wire/verbs/fields.ts";
import type { ResponseOf } from "../../wire/verbs/index.ts";
import type { OfficeContext } from "../base/context.ts";
import { brokerMessage } from "../broker/broker-shape.ts";
import { withinOneAnswer } from "../broker/mailboxes.ts";
import type { Accept } from "./accept.ts";

const LISTED = 100;
const PAGE = 200;

type Rerouted = ResponseOf<"unmatched_reroute">;

export class DeadLetters {
  readonly #context: OfficeContext;
  readonly #accept: Accept;

  constructor(context: OfficeContext, accept: Accept) {
    this.#context = context;
    this.#accept = accept;
  }

  list(window: TimeWindow): readonly (BrokerMessage & { readonly reason: string })[] {
    const { read } = this.#context.store;
    const { limit = LISTED, fromTime, toTime } = window;
    const newest = read.unmatched({ limit, ...present({ from: fromTime, until: toTime }) });
    return withinOneAnswer(newest)
      .toReversed()
      .map(({ message, reason }) => ({ ...brokerMessage(message, undefined, read), reason }));
  }

  async clear(): Promise<number> {
    return this.#context.store.write((tx) => tx.clearUnmatched());
  }

  /**
   * Sends out those that have a recipient now, oldest first; the rest stay. A message stopped by the loop limit is sent
   * only if it is named by its id.
   */
  async reroute(only: MessageId | undefined): Promise<Rerouted> {
    if (only !== undefined) return this.#rerouteOne(only);
    const { read } = this.#context.store;
    let rerouted = 0;
    let left = 0;
    let page = read.unmatchedAfter(0, PAGE);
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      for (const { message, reason } of page) {
        const outcome = isLoopReason(reason) ? "left" : await this.#accept.again(message);
        if (outcome === "delivered") rerouted += 1;
        if (outcome === "left") left += 1;
      }
      page = read.unmatchedAfter(last.number, PAGE);
    }
    return { rerouted, left };
  }

  async #rerouteOne(id: MessageId): Promise<Rerouted> {
    const { read } = this.#context.store;
    const message = read.message(id);
    const letter = read.takenAs(id);
    if (message !== undefined && letter?.isOver === true && read.isUnmatched(id)) {
      throw new BellhopError("message.failed", {
        message: `It came from ${letter.host}, whose sender was told that it failed.`,
        next: `Nothing was sent. Let it be sent again on ${letter.host}.`,
      });
    }
    const outcome = message === undefined ? "gone" : await this.#accept.again(message);
    if (outcome === "gone") {
      throw new BellhopError("message.unknown", {
        message: "This message is not a dead letter.",
        next: `See the dead letters with "bellhop unmatched", or what became of this message with "bellhop show ${id}".`,
      });
    }
    return outcome === "delivered" ? { rerouted: 1, left: 0 } : { rerouted: 0, left: 1 };
  }
}
