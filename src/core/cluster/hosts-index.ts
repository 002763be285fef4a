/** Who is on which other host, and on which of them somebody hears a path, by what the hosts said of themselves. Pure. */
import { agentAddress, sessionAddress, sessionPrefix } from "../address.ts";
import type { AgentName, SessionId } from "../message.ts";
import { hasWildcards, type Pattern } from "../routing/pattern.ts";
import { SubscriptionTrie } from "../routing/trie.ts";
import type { Elsewhere, HostName } from "./hosts.ts";
import { mayHear } from "./summary.ts";

export interface NamesThere {
  readonly agents: readonly { readonly name: AgentName; readonly sessions: readonly SessionId[] }[];
  readonly patterns: readonly Pattern[];
}

interface There {
  readonly agents: readonly AgentName[];
  readonly sessions: readonly SessionId[];
  readonly patterns: readonly Pattern[];
}

export class HostsIndex {
  readonly #there = new Map<HostName, There>();
  readonly #byName = new Map<AgentName, Set<HostName>>();
  readonly #trie = new SubscriptionTrie<HostName>();

  /** In place of all that was known of this host. */
  put(host: HostName, { agents, patterns }: NamesThere): void {
    this.remove(host);
    const names = agents.map(({ name }) => name);
    this.#there.set(host, {
      ...{ agents: names, patterns },
      sessions: agents.flatMap(({ sessions }) => sessions),
    });
    for (const name of names) {
      const having = this.#byName.get(name);
      if (having === undefined) this.#byName.set(name, new Set([host]));
      else having.add(host);
    }
    for (const pattern of patterns) this.#trie.add(pattern, host);
  }

  remove(host: HostName): void {
    const { agents = [], patterns = [] } = this.#there.get(host) ?? {};
    for (const pattern of patterns) this.#trie.remove(pattern, host);
    for (const name of agents) {
      const having = this.#byName.get(name);
      having?.delete(host);
      if (having?.size === 0) this.#byName.delete(name);
    }
    this.#there.delete(host);
  }

  /** The agents of this name, and the sessions whose ids begin with it; by host, in the order of their names. */
  named(name: string): readonly Elsewhere[] {
    const having = [...(this.#byName.get(name) ?? [])];
    const found: Elsewhere[] = having.map((host) => ({ address: agentAddress(name), host }));
    const prefix = sessionPrefix(name);
    if (prefix !== undefined)
      for (const [host, { sessions }] of this.#there)
        for (const id of sessions)
          if (id.startsWith(prefix)) found.push({ address: sessionAddress(id), host });
    return found.length < 2 ? found : found.toSorted((a, b) => compared(a.host, b.host));
  }

  agentsOf(host: HostName): readonly AgentName[] {
    return this.#there.get(host)?.agents ?? [];
  }

  /** In the order of their names. A host may be among them on which nobody hears it after all. */
  takersOf(path: Pattern): readonly HostName[] {
    // A summary is wider than the subscriptions: wildcards on both sides need only meet.
    const found = hasWildcards(path) ? this.#meeting(path) : this.#trie.match(path);
    return found.size < 2 ? [...found] : [...found].toSorted(compared);
  }

  #meeting(path: Pattern): ReadonlySet<HostName> {
    const found = new Set<HostName>();
    for (const [host, { patterns }] of this.#there)
      if (patterns.some((pattern) => mayHear(pattern, path))) found.add(host);
    return found;
  }
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
