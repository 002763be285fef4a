/**
 * Where an agent stands under those that started it: `agent/<parent>/<name>`, and so on upwards. Asked by whoever finds
 * recipients; it changes nothing. An agent that a person starts again stands under nobody.
 */
import { ADDRESS_LIMITS, isAgentName } from "../core/address.ts";
import type { Address, AgentName } from "../core/message.ts";
import type { StoredSession, StoreReader } from "../ports/store.ts";

/** Of one moment: who started whom is looked up once. */
export class Lineage {
  readonly #read: StoreReader;
  readonly #newest = new Map<AgentName, StoredSession>();

  constructor(read: StoreReader) {
    this.#read = read;
    for (const session of read.sessions({ exitedSince: 0 })) {
      const known = this.#newest.get(session.agent);
      // One that was made by name has no program that anybody could have started.
      if (session.name === undefined && (known === undefined || known.startedAt <= session.startedAt))
        this.#newest.set(session.agent, session);
    }
  }

  /** Besides `agent/<name>`: under its parent, under its parent's parent, as far as a path reaches. */
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
    const parent = this.#newest.get(name)?.parent;
    return parent === undefined ? undefined : this.#read.session(parent)?.agent;
  }
}

/** Whose place under its parents this path is. */
export function descendantAt(path: Address, read: StoreReader): AgentName | undefined {
  const [root, ...names] = path.split("/");
  const name = names.at(-1);
  if (root !== "agent" || names.length < 2 || name === undefined || !isAgentName(name)) return undefined;
  if (read.agent(name) === undefined) return undefined;
  return new Lineage(read).addressesOf(name).includes(path) ? name : undefined;
}
