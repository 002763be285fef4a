/**
 * Who hears which path: the store's subscriptions as an index in memory. Accept asks it for every message; the
 * use-cases change it. An agent hears its own address without a subscription; that is looked up, not indexed.
 */
import { agentAddress } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import type { AgentName } from "../core/message.ts";
import { hasWildcards, type Pattern, parsePattern, patternMatches } from "../core/pattern.ts";
import type { Subscriber } from "../core/route.ts";
import { SubscriptionTrie } from "../core/trie.ts";
import type { StoreReader, StoreWriter, Subscription, SubscriptionOwner } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";

export const MOST_SUBSCRIPTIONS = 1_000;

export class Subscriptions {
  readonly #context: OfficeContext;
  #trie: SubscriptionTrie<string> | undefined;

  constructor(context: OfficeContext) {
    this.#context = context;
  }

  *subscribersOf(path: Pattern, read: StoreReader): Generator<Subscriber> {
    for (const key of this.#index().match(path)) {
      const owner = ownerOf(key);
      if (owner.kind === "agent") yield { kind: "agent", name: owner.agent };
      else {
        const session = read.session(owner.sessionId);
        if (session !== undefined) yield { kind: "session", agent: session.agent, session: session.id };
      }
    }
    if (!hasWildcards(path)) return;
    for (const { name } of read.agents())
      if (patternMatches(path.text, agentAddress(name))) yield { kind: "agent", name };
  }

  async add(owner: SubscriptionOwner, text: string, self: AgentName): Promise<void> {
    const pattern = parsePattern(text);
    const { store, clock } = this.#context;
    // Everybody has this one by birth.
    if (owner.kind === "agent" && pattern.text === agentAddress(self)) return;
    const added = await store.write((tx) => {
      const all = tx.subscriptionsOf(owner);
      if (all.some((one) => one.pattern === pattern.text)) return false;
      if (all.length >= MOST_SUBSCRIPTIONS) {
        throw new BellhopError("pattern.too_many", {
          message: `"${self}" has ${MOST_SUBSCRIPTIONS} subscriptions already.`,
          next: "Remove some, or use a pattern that covers several.",
        });
      }
      tx.putSubscription({ owner, pattern: pattern.text, addedAt: clock.now(), origin: "asked" });
      return true;
    });
    if (added) this.#trie?.add(pattern, keyOf(owner));
  }

  async remove(owner: SubscriptionOwner, text: string, self: AgentName): Promise<void> {
    const pattern = parsePattern(text);
    if (owner.kind === "agent" && pattern.text === agentAddress(self)) {
      throw new BellhopError("pattern.own", {
        message: `"${self}" cannot give up its own address.`,
        next: `To hold its messages, use "bellhop queue pause ${self}".`,
      });
    }
    const removed = await this.#context.store.write((tx) => tx.removeSubscription(owner, pattern.text));
    if (!removed) {
      throw new BellhopError("pattern.unknown", {
        message: `There is no subscription to "${pattern.text}".`,
        next: `See them with "bellhop sub list ${self}".`,
      });
    }
    this.#trie?.remove(pattern, keyOf(owner));
  }

  list(owner: SubscriptionOwner): readonly Subscription[] {
    return this.#context.store.read.subscriptionsOf(owner);
  }

  /** What the config file says an owner hears; what it said before and no longer does goes. In a transaction of the caller. */
  declare(tx: StoreWriter, owner: SubscriptionOwner, texts: readonly string[]): void {
    const wanted = new Set(texts.map((text) => parsePattern(text).text));
    const standing = tx.subscriptionsOf(owner);
    for (const { pattern, origin } of standing)
      if (origin === "declared" && !wanted.has(pattern)) tx.removeSubscription(owner, pattern);
    for (const pattern of wanted)
      if (!standing.some((one) => one.pattern === pattern))
        tx.putSubscription({ owner, pattern, addedAt: this.#context.clock.now(), origin: "declared" });
  }

  /** Agents came, went or were renamed with their subscriptions. */
  reload(): void {
    this.#trie = undefined;
  }

  #index(): SubscriptionTrie<string> {
    if (this.#trie !== undefined) return this.#trie;
    const trie = new SubscriptionTrie<string>();
    for (const { owner, pattern } of this.#context.store.read.subscriptions())
      trie.add(parsePattern(pattern), keyOf(owner));
    this.#trie = trie;
    return trie;
  }
}

function keyOf(owner: SubscriptionOwner): string {
  return owner.kind === "agent" ? `a${owner.agent}` : `s${owner.sessionId}`;
}

function ownerOf(key: string): SubscriptionOwner {
  const rest = key.slice(1);
  return key.startsWith("a") ? { kind: "agent", agent: rest } : { kind: "session", sessionId: rest };
}
