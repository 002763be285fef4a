/** Whom a person means by a word: names, ids, labels and paths. Refuses a word with two meanings. */
import {
  agentAddress,
  type RecipientDirectory,
  resolveRecipient,
  sessionPrefix,
} from "../../core/address.ts";
import {
  agentElsewhere,
  ambiguousElsewhere,
  hostedWord,
  hostUnknown,
  meantElsewhere,
  runsElsewhere,
  whereLooked,
} from "../../core/cluster/names.ts";
import { assertNever, BellhopError } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { normalisePath } from "../../core/routing/pattern.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Store, StoredSession, StoreReader } from "../../ports/store.ts";
import { descendantAt } from "./lineage.ts";
import type { LiveSession } from "./live-session.ts";
import { Neighbours } from "./neighbourhood.ts";
import { Roster } from "./roster.ts";

export class Recipients extends Roster {
  /** The person whose daemon this is. */
  readonly #owner: Address | undefined;
  protected readonly neighbours: Neighbours;

  constructor(store: Store, owner?: Address, neighbours = new Neighbours()) {
    super(store);
    this.#owner = owner;
    this.neighbours = neighbours;
  }

  /** Everyone who could be meant: all who run, and of the others only those that the word itself finds. */
  #candidates(text: string): RecipientDirectory {
    const { read } = this.store;
    const named = read.agent(text);
    // Who has exactly this name is meant, whatever the labels are, unless an id is or begins with it.
    const isNameOnly = named !== undefined && sessionPrefix(text) === undefined;
    const running = isNameOnly ? [this.get(text.toLowerCase()) ?? []].flat() : this.all();
    const live = running.map(({ record }) => record);
    const past = startingWith(text, read).filter(({ id }) => this.get(id) === undefined);
    return {
      agents: named === undefined ? read.agents() : [named],
      sessions: [...live, ...past].map(({ id, agent, label }) => ({
        id,
        agent,
        label,
        live: this.get(id) !== undefined,
      })),
    };
  }

  names(): readonly AgentName[] {
    return this.store.read.agents().map(({ name }) => name);
  }

  /** Also those of the other hosts. */
  namesAnywhere(): readonly AgentName[] {
    const there = this.neighbours.current;
    if (there === undefined) return this.names();
    return [...this.names(), ...there.hosts().flatMap((host) => there.agentsOf(host))];
  }

  /** A person's word for a recipient on this host → the canonical address. */
  resolve(who: string): Address {
    const address = this.resolveAnywhere(who);
    const there = this.neighbours.elsewhere(address);
    if (there !== undefined) throw runsElsewhere(there);
    return address;
  }

  /** For what takes the plain name of an agent here: without `agent/` and this host. It need not exist. */
  nameHere(asked: string): string {
    const names = this.neighbours.current;
    const hosted = hostedWord(asked, names);
    if (hosted.kind === "stranger") throw hostUnknown(hosted.host, names);
    const there = hosted.kind === "there" ? this.neighbours.elsewhere(hosted.address) : undefined;
    if (there !== undefined) throw runsElsewhere(there);
    return (hosted.kind === "here" ? hosted.word : asked).replace(/^agent\//u, "");
  }

  /** For what takes an agent of this host: there is none of this name. */
  noAgent(asked: string, advice: string): BellhopError {
    const elsewhere = agentElsewhere(asked, this.neighbours.current);
    if (elsewhere !== undefined) return elsewhere;
    const next = `${didYouMean(asked, this.names())}${advice}`;
    return new BellhopError("agent.unknown", { message: `There is no agent "${asked}".`, next });
  }

  /** The same, also for a recipient on another host: to write to it is all that can be done from here. */
  resolveAnywhere(who: string): Address {
    // Slashes at either end of a path are ignored; a single word between slashes is neither a path nor a name.
    const path = normalisePath(who);
    if (who.includes("/") && !path.includes("/")) throw this.#halfAPath(who, path);
    const meant = path.includes("/") ? path : who;
    const names = this.neighbours.current;
    const hosted = hostedWord(meant, names);
    switch (hosted.kind) {
      case "there":
        return hosted.address;
      case "here":
        return this.#here(who, hosted.word) ?? this.#owners(hosted.word) ?? this.#nobody(who);
      case "stranger": {
        // A label may look like this.
        const here = meant.includes("/") ? undefined : this.#here(who, meant);
        if (here === undefined) throw hostUnknown(hosted.host, names);
        return here;
      }
      case "no-host": {
        const here = this.#here(who, meant) ?? this.#owners(meant);
        if (here !== undefined && (names === undefined || this.knows(here))) return here;
        return this.#elsewhere(who, meant) ?? here ?? this.#nobody(who);
      }
      default:
        return assertNever(hosted);
    }
  }

  /** A path that nobody has is returned as it is. */
  #here(who: string, word: string): Address | undefined {
    const resolution = resolveRecipient(word, this.#candidates(word));
    switch (resolution.kind) {
      case "address": {
        const descendant = descendantAt(resolution.address, this.store.read);
        return descendant === undefined ? resolution.address : agentAddress(descendant);
      }
      case "ambiguous":
        throw new BellhopError("recipient.ambiguous", {
          message: `"${who}" could be any of: ${resolution.candidates.join(", ")}.`,
          next: 'Use one of these, or a session id from "bellhop ls".',
          candidates: resolution.candidates,
        });
      case "unknown":
        return undefined;
      default:
        return assertNever(resolution);
    }
  }

  #owners(word: string): Address | undefined {
    return this.#owner !== undefined && `person/${word}` === this.#owner ? this.#owner : undefined;
  }

  #elsewhere(who: string, word: string): Address | undefined {
    const names = this.neighbours.current;
    const found = names === undefined ? undefined : meantElsewhere(word, names);
    if (found?.kind === "ambiguous") throw ambiguousElsewhere(who, found.candidates);
    return found?.kind === "address" ? found.address : undefined;
  }

  #nobody(who: string): never {
    throw new BellhopError("recipient.unknown", {
      message: `No agent or session matches "${who}"${whereLooked(this.neighbours.current)}.`,
      next: `${didYouMean(who, this.namesAnywhere())}See who is there with "${this.neighbours.current === undefined ? "bellhop ls" : "bellhop ls --all-hosts --all"}"; create a mailbox with "bellhop agent add NAME".`,
    });
  }

  #halfAPath(who: string, word: string): BellhopError {
    const meant = word === "" ? undefined : resolveRecipient(word, this.#candidates(word));
    return new BellhopError("name.invalid", {
      message: `"${sanitiseLine(who, 80)}" is neither a name nor a whole path.`,
      next:
        meant === undefined
          ? "Name an agent, or write a path such as slack/team."
          : meant.kind === "unknown"
            ? `Write the whole path, such as "${sanitiseLine(word, 64)}/…"; no agent is called "${sanitiseLine(word, 64)}".`
            : `Leave the slash out to reach "${sanitiseLine(word, 64)}", or write the whole path.`,
    });
  }

  /** The live session that a person's word means; for everything that needs a screen. */
  resolveLive(who: string): LiveSession {
    const address = this.resolve(who);
    const live = this.takerOfMailbox(address);
    if (live !== undefined) return live;
    throw new BellhopError(this.knows(address) ? "session.exited" : "session.unknown", {
      message: `${address} has no program running.`,
      next: `See who is there with "bellhop ls".`,
    });
  }

  /** Whether one or several recipients have this name. */
  protected isSomebody(word: string): boolean {
    return resolveRecipient(word, this.#candidates(word)).kind !== "unknown";
  }
}

/** Sessions whose id the word may abbreviate. */
export function startingWith(text: string, read: StoreReader): readonly StoredSession[] {
  const prefix = sessionPrefix(text);
  if (prefix !== undefined) return read.sessionsStarting(prefix);
  const session = read.session(text.toLowerCase());
  return session === undefined ? [] : [session];
}
