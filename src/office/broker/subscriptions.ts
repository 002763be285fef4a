/**
 * Who hears which path: an in-memory index of the stored subscriptions. Accept asks it for every message; the
 * use-cases change it. An agent hears its own address without a subscription; that is looked up, not indexed.
 *
 * The index changes inside the transaction that changes the store, so that a message routed later in the same commit
 * follows the change. A failed commit drops the index.
 */
import { agentAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import { ANY, hasWildcards, type Pattern, parsePattern, patternMatches } from "../../core/routing/pattern.ts";
import type { Subscriber } from "../../core/routing/route.ts";
import { SubscriptionTrie } from "../../core/routing/trie.ts";
import type { Store, StoreReader, StoreWriter, Subscription, SubscriptionOwner } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import { Lineage } from "../presence/lineage.ts";

/** For one agent, including its sessions. */
export const MOST_SUBSCRIPTIONS = 1_000;

/** The patterns that the config file declares for one owner. */
export interface Hearing {
  readonly owner: SubscriptionOwner;
  readonly patterns: readonly string[];
}

type WriteCounts = ReturnType<Store["writeCounts"]>;

interface Index {
  readonly trie: SubscriptionTrie<string>;
  /** Who subscribes to a path, as it was looked up last: until a subscription changes. */
  readonly plans: Map<string, Plan>;
  /** In all plans together. */
  planned: number;
  uncommittedSince: WriteCounts | undefined;
}

/** Their agent or session may be gone by now. */
type Plan =
  | { readonly kind: "agents"; readonly agents: readonly (Subscriber & { readonly kind: "agent" })[] }
  | { readonly kind: "mixed"; readonly owners: readonly SubscriptionOwner[] };

/** Each message may have a path of its own, and thousands may hear all of them. */
export const MOST_PLANNED = { paths: 4_096, subscribers: 20_000 } as const;

export class Subscriptions {
  readonly #context: OfficeContext;
  #built: Index | undefined;

  readonly #told: () => void;

  /** `told` is called after every change of who hears what. */
  constructor(context: OfficeContext, told: () => void) {
    this.#context = context;
    this.#told = told;
  }

  /** `isThere` filters the agents that match only by a wildcard in the path, without a subscription. */
  subscribersOf(
    path: Pattern,
    read: StoreReader,
    isThere: (agent: AgentName) => boolean,
  ): readonly Subscriber[] {
    const subscribers = this.#subscribers(path, read);
    return hasWildcards(path) ? [...subscribers, ...meantBy(path, read, isThere)] : subscribers;
  }

  #subscribers(path: Pattern, read: StoreReader): readonly Subscriber[] {
    const plan = this.#planFor(path);
    if (plan.kind === "agents") {
      const isThere = ({ name }: { readonly name: AgentName }) => read.agent(name) !== undefined;
      return plan.agents.every(isThere) ? plan.agents : plan.agents.filter(isThere);
    }
    return plan.owners.flatMap((owner): readonly Subscriber[] => {
      if (owner.kind === "agent")
        return read.agent(owner.agent) === undefined ? [] : [{ kind: "agent", name: owner.agent }];
      const session = read.session(owner.sessionId);
      return session === undefined ? [] : [{ kind: "session", agent: session.agent, session: session.id }];
    });
  }

  /** How many subscribers are in plans, for tests. */
  get planned(): number {
    return this.#built?.planned ?? 0;
  }

  #planFor(path: Pattern): Plan {
    const index = this.#index();
    const known = index.plans.get(path.text);
    if (known !== undefined) return known;
    const owners = [...index.trie.match(path)].map(ownerOf);
    const isFull =
      index.plans.size >= MOST_PLANNED.paths || index.planned + owners.length > MOST_PLANNED.subscribers;
    if (isFull) forgetPlans(index);
    const plan = planOf(owners);
    index.plans.set(path.text, plan);
    index.planned += owners.length;
    return plan;
  }

  async add(owner: SubscriptionOwner, text: string, self: AgentName): Promise<void> {
    const pattern = parsePattern(text);
    if (isOwnAddress(owner, pattern)) return;
    await this.#changing((tx) => {
      requireOwner(tx, owner, self);
      const held = heldBy(tx, self);
      const standing = held.find((one) => one.pattern === pattern.text && keyOf(one.owner) === keyOf(owner));
      if (standing?.origin === "asked") return "unchanged";
      if (standing === undefined) requireRoom(self, held.length + 1);
      // One that the config file declares is kept from now on, even if the file drops it.
      const addedAt = standing?.addedAt ?? this.#context.clock.now();
      tx.putSubscription({ owner, pattern: pattern.text, addedAt, origin: "asked" });
      if (standing !== undefined) return "unchanged";
      this.#changed()?.add(pattern, keyOf(owner));
      return "changed";
    });
  }

  async remove(owner: SubscriptionOwner, text: string, self: AgentName): Promise<void> {
    const pattern = parsePattern(text);
    if (isOwnAddress(owner, pattern)) {
      throw new BellhopError("pattern.own", {
        message: `"${self}" cannot give up its own address.`,
        next: `To hold its messages, use "bellhop queue pause ${self}".`,
      });
    }
    await this.#changing((tx) => {
      if (!tx.removeSubscription(owner, pattern.text)) {
        throw new BellhopError("pattern.unknown", {
          message: `There is no subscription to "${pattern.text}".`,
          next: `See them with "bellhop sub list ${self}".`,
        });
      }
      this.#changed()?.remove(pattern, keyOf(owner));
      return "changed";
    });
  }

  list(owner: SubscriptionOwner): readonly Subscription[] {
    return this.#context.store.read.subscriptionsOf(owner);
  }

  /** Adds what an agent brings along, inside another's transaction; `brought` follows its commit. */
  bring(tx: StoreWriter, self: AgentName, hearings: readonly Hearing[]): void {
    const held = new Set(heldBy(tx, self).map(({ owner, pattern }) => `${keyOf(owner)} ${pattern}`));
    for (const { owner, patterns } of hearings) {
      for (const text of textsOf(owner, patterns)) {
        if (held.has(`${keyOf(owner)} ${text}`)) continue;
        tx.putSubscription({ owner, pattern: text, addedAt: this.#context.clock.now(), origin: "asked" });
        this.#changed()?.add(parsePattern(text), keyOf(owner));
      }
    }
    requireRoom(self, heldBy(tx, self).length);
  }

  brought(): void {
    this.#told();
  }

  /** Applies all that the config file declares and removes what it no longer does. Call inside `rewriting`. */
  declare(tx: StoreWriter, declared: readonly Hearing[]): void {
    const wanted = new Map(declared.map(({ owner, patterns }) => [keyOf(owner), textsOf(owner, patterns)]));
    const standing = new Map<string, Set<string>>();
    for (const { owner, pattern, origin } of tx.subscriptions()) {
      const patterns = wanted.get(keyOf(owner));
      if (origin === "declared" && patterns?.has(pattern) !== true) tx.removeSubscription(owner, pattern);
      else if (patterns !== undefined)
        standing.set(keyOf(owner), (standing.get(keyOf(owner)) ?? new Set()).add(pattern));
    }
    for (const { owner } of declared) {
      for (const pattern of wanted.get(keyOf(owner)) ?? [])
        if (standing.get(keyOf(owner))?.has(pattern) !== true)
          tx.putSubscription({ owner, pattern, addedAt: this.#context.clock.now(), origin: "declared" });
    }
  }

  /** For changes to agents together with their subscriptions. */
  async rewriting<T>(change: (tx: StoreWriter) => T): Promise<T> {
    try {
      const result = await this.#context.store.write((tx) => {
        const changed = change(tx);
        this.#built = undefined;
        return changed;
      });
      this.#told();
      return result;
    } catch (error) {
      this.reload();
      throw error;
    }
  }

  /** Agents and their subscriptions were changed elsewhere. */
  reload(): void {
    this.#built = undefined;
    this.#told();
  }

  async #changing(change: (tx: StoreWriter) => "changed" | "unchanged"): Promise<void> {
    const index = { is: "unchanged" as "changed" | "unchanged" };
    try {
      await this.#context.store.write((tx) => {
        index.is = change(tx);
      });
    } catch (error) {
      // Not committed, but the index, or one rebuilt meanwhile, may contain it.
      if (index.is === "changed") this.reload();
      throw error;
    }
    this.#told();
  }

  /** Undefined when there is none, or when it contains what was undone. */
  #standing(): Index | undefined {
    const { uncommittedSince } = this.#built ?? {};
    if (this.#built !== undefined && uncommittedSince !== undefined) {
      const { committed, undone } = this.#context.store.writeCounts();
      if (undone !== uncommittedSince.undone) this.#built = undefined;
      else if (committed !== uncommittedSince.committed) this.#built.uncommittedSince = undefined;
    }
    return this.#built;
  }

  /** For a change of it, which may still be undone. */
  #changed(): SubscriptionTrie<string> | undefined {
    const trie = this.#standing()?.trie;
    if (this.#built !== undefined) {
      this.#built.uncommittedSince = this.#context.store.writeCounts();
      forgetPlans(this.#built);
    }
    return trie;
  }

  #index(): Index {
    const built = this.#standing();
    if (built !== undefined) return built;
    const trie = new SubscriptionTrie<string>();
    for (const subscription of this.#context.store.read.subscriptions()) {
      const pattern = this.#readable(subscription);
      if (pattern !== undefined) trie.add(pattern, keyOf(subscription.owner));
    }
    // Built inside a transaction, it contains what that has written so far.
    this.#built = {
      trie,
      plans: new Map(),
      planned: 0,
      uncommittedSince: this.#context.store.writeCounts(),
    };
    return this.#built;
  }

  /** One invalid row must not block every message. */
  #readable({ owner, pattern }: Subscription): Pattern | undefined {
    try {
      return parsePattern(pattern);
    } catch (cause) {
      this.#context.log.error("subscription.unreadable", { owner: keyOf(owner), cause: String(cause) });
      return undefined;
    }
  }
}

function planOf(owners: readonly SubscriptionOwner[]): Plan {
  const agents = owners.flatMap((owner) =>
    owner.kind === "agent" ? [{ kind: owner.kind, name: owner.agent }] : [],
  );
  return agents.length === owners.length ? { kind: "agents", agents } : { kind: "mixed", owners };
}

function forgetPlans(index: Index): void {
  index.plans.clear();
  index.planned = 0;
}

/** The agents whose own address a pattern matches. */
function meantBy(
  path: Pattern,
  read: StoreReader,
  isThere: (agent: AgentName) => boolean,
): readonly Subscriber[] {
  const deep = path.segments.length > 2 || path.segments.includes(ANY);
  let lineage: Lineage | undefined;
  const isMeant = (name: AgentName): boolean => {
    if (patternMatches(path.text, agentAddress(name))) return true;
    if (!deep) return false;
    lineage ??= new Lineage(read);
    return lineage.addressesOf(name).some((address) => patternMatches(path.text, address));
  };
  return read
    .agents()
    .filter(({ name }) => isMeant(name) && isThere(name))
    .map(({ name }) => ({ kind: "agent", name }));
}

/** The agent's own subscriptions and those of its sessions. */
export function heldBy(read: StoreReader, agent: AgentName): readonly Subscription[] {
  const owners: readonly SubscriptionOwner[] = [
    { kind: "agent", agent },
    ...read.sessionsOf(agent).map(({ id }) => ({ kind: "session" as const, sessionId: id })),
  ];
  return owners.flatMap((owner) => read.subscriptionsOf(owner));
}

export function requireRoom(agent: AgentName, wanted: number): void {
  if (wanted <= MOST_SUBSCRIPTIONS) return;
  throw new BellhopError("pattern.too_many", {
    message: `"${agent}" and its sessions can have at most ${MOST_SUBSCRIPTIONS} subscriptions.`,
    next: "Remove some, or use a pattern that covers several.",
  });
}

/** It may have been removed or renamed since it was looked up. */
export function requireAgent(tx: StoreWriter, agent: AgentName): void {
  if (tx.agent(agent) !== undefined) return;
  throw new BellhopError("agent.unknown", {
    message: `There is no longer an agent "${agent}".`,
    next: `See who is there with "bellhop agent list".`,
  });
}

function requireOwner(tx: StoreWriter, owner: SubscriptionOwner, self: AgentName): void {
  requireAgent(tx, self);
  if (owner.kind === "agent" || tx.session(owner.sessionId)?.agent === self) return;
  throw new BellhopError("session.unknown", {
    message: `"${self}" no longer has this session.`,
    next: `See them with "bellhop agent show ${self}".`,
  });
}

function textsOf(owner: SubscriptionOwner, patterns: readonly string[]): ReadonlySet<string> {
  const parsed = patterns.map((text) => parsePattern(text)).filter((one) => !isOwnAddress(owner, one));
  return new Set(parsed.map(({ text }) => text));
}

/** An agent always hears its own address. */
function isOwnAddress(owner: SubscriptionOwner, pattern: Pattern): boolean {
  return owner.kind === "agent" && pattern.text === agentAddress(owner.agent);
}

function keyOf(owner: SubscriptionOwner): string {
  return owner.kind === "agent" ? `a${owner.agent}` : `s${owner.sessionId}`;
}

function ownerOf(key: string): SubscriptionOwner {
  const rest = key.slice(1);
  return key.startsWith("a") ? { kind: "agent", agent: rest } : { kind: "session", sessionId: rest };
}
