/** Stops agents that keep answering each other. Accept shows it every message; what it stops becomes a dead letter. */
import type { Message } from "../../core/message.ts";
import {
  LOOP_LIMITS,
  type LoopState,
  loopReason,
  loopStep,
  NO_LOOPS,
} from "../../core/routing/loop-breaker.ts";
import type { Ground } from "../presence/ground.ts";
import { type Crossing, Crossings } from "./crossings.ts";

export class LoopWatch {
  readonly #ground: Ground;
  readonly #crossings: Crossings;
  #loops: LoopState = NO_LOOPS;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#crossings = new Crossings((address) => ground.directory.ownerOf(address));
  }

  /** How many hops it has, if it comes from another host or goes to one: at least as many as is known, or said. */
  across(crossing: Crossing & Pick<Message, "source">, known: number): number {
    // Reminders and reports of another host's Bellhop answer nobody.
    if (crossing.source !== "agent") return known;
    const hops = Math.max(known, this.#crossings.hops(crossing));
    this.#crossings.passed(crossing, hops);
    return hops;
  }

  /** `agoMs`: how long ago it was written, if another host says so. */
  stopped(message: Message, agoMs = 0): { readonly kind: "unmatched"; readonly reason: string } | undefined {
    const { context, directory } = this.#ground;
    const limits = context.settings().loops;
    const facts = {
      from: message.from,
      to: directory.ownerOf(message.to),
      hops: message.hops,
      // Only messages that go back and forth are compared; a digest of every message would cost more than routing it.
      bodyDigest: message.hops >= LOOP_LIMITS.countedFromHop ? context.digest(message.body) : "",
      source: message.source,
      now: message.createdAt,
      agoMs,
    };
    const [loops, verdict] = loopStep(this.#loops, facts, limits);
    this.#loops = loops;
    if (verdict.kind === "pass") return undefined;
    return { kind: "unmatched", reason: loopReason(verdict.reason, limits) };
  }
}
