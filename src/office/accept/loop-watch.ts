/** Stops agents that answer one another without end. Accept shows it every message; what it stops is a dead letter. */
import { agentAddress, splitAddress } from "../../core/address.ts";
import type { Address, Message } from "../../core/message.ts";
import {
  isLoopReason,
  LOOP_LIMITS,
  type LoopState,
  loopReason,
  loopStep,
  NO_LOOPS,
} from "../../core/routing/loop-breaker.ts";
import type { OfficeContext } from "../base/context.ts";

export class LoopWatch {
  readonly #context: OfficeContext;
  #loops: LoopState = NO_LOOPS;

  constructor(context: OfficeContext) {
    this.#context = context;
  }

  stopped(message: Message): { readonly kind: "unmatched"; readonly reason: string } | undefined {
    const limits = this.#context.settings().loops;
    const facts = {
      from: message.from,
      to: this.#agentOf(message.to),
      hops: message.hops,
      // Only what goes back and forth is compared, and a digest of each message would cost more than its route.
      bodyDigest: message.hops >= LOOP_LIMITS.countedFromHop ? this.#context.digest(message.body) : "",
      source: message.source,
      now: message.createdAt,
    };
    const [loops, verdict] = loopStep(this.#loops, facts, limits);
    this.#loops = loops;
    if (verdict.kind === "pass") return undefined;
    return { kind: "unmatched", reason: loopReason(verdict.reason, limits) };
  }

  #agentOf(to: Address): Address {
    const { kind, rest } = splitAddress(to);
    const agent = kind === "session" ? this.#context.store.read.session(rest)?.agent : undefined;
    return agent === undefined ? to : agentAddress(agent);
  }
}

/** A dead letter that agents who answered one another left: for it somebody is there. */
export function isParkedLoop(reason: string | undefined): reason is string {
  return reason !== undefined && isLoopReason(reason);
}
