/**
 * An agent's place under the agents that started it: `agent/<parent>/<name>`, and so on upwards. Used to find
 * recipients; read-only. An agent that a person starts again has no parent.
 */
import { ADDRESS_LIMITS, isAgentName } from "../../core/address.ts";
import type { Address, AgentName } from "../../core/message.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";

/** Several, because the session that started last may not be the one that ended last. */
const LAST_ENDED = 8;

/** Short-lived: caches who started whom. */
export class Lineage {
  readonly #read: StoreReader;
  readonly #newest = new Map<AgentName, StoredSession | undefined>();

  constructor(read: StoreReader) {
    this.#read = read;
  }

  /** Besides `agent/<name>`: under its parent, its parent's parent and so on, up to the length of a path. */
  addressesOf(name: AgentName): readonly Address[] {
    const addresses: Address[] = [];
    const above = new Set([name]);
    let path = name;
    for (let at = this.#parentOf(name); at !== undefined && !above.has(at); at = this.#parentOf(at)) {
      above.add(at);
      path = `${at}/${path}`;
      if (above.size >= ADDRESS_LIMITS.segments || path.length > ADDRESS_LIMITS.characters - "agent/".length)
        return addresses;
      addresses.push(`agent/${path}`);
    }
    return addresses;
  }

  #parentOf(name: AgentName): AgentName | undefined {
    const parent = this.#newestOf(name)?.parent;
    return parent === undefined ? undefined : this.#read.session(parent)?.agent;
  }

  #newestOf(name: AgentName): StoredSession | undefined {
    if (!this.#newest.has(name)) {
      // A session created by name has no program, so nobody started it.
      const started = this.#read.sessionsOf(name, LAST_ENDED).filter((session) => session.name === undefined);
      this.#newest.set(name, started.toSorted((a, b) => b.startedAt - a.startedAt)[0]);
    }
    return this.#newest.get(name);
  }
}

/** The agent whose place under its parents this path is. */
export function descendantAt(path: Address, read: StoreReader): AgentName | undefined {
  if (!path.startsWith("agent/")) return undefined;
  const [, ...names] = path.split("/");
  const name = names.at(-1);
  if (names.length < 2 || name === undefined || !isAgentName(name)) return undefined;
  if (read.agent(name) === undefined) return undefined;
  return new Lineage(read).addressesOf(name).includes(path) ? name : undefined;
}
