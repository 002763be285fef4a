/** Whom a person means by a word: names, ids, labels and paths. Refuses a word with two meanings. */
import {
  agentAddress,
  type RecipientDirectory,
  resolveRecipient,
  sessionPrefix,
} from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { normalisePath } from "../../core/routing/pattern.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Store, StoredSession, StoreReader } from "../../ports/store.ts";
import { descendantAt } from "./lineage.ts";
import type { LiveSession } from "./live-session.ts";
import { Roster } from "./roster.ts";

export class Recipients extends Roster {
  /** The person whose daemon this is. */
  readonly #owner: Address | undefined;

  constructor(store: Store, owner?: Address) {
    super(store);
    this.#owner = owner;
  }

  /** Everyone who could be meant: all who run, and of the others only those that the word itself finds. */
  #candidates(text: string): RecipientDirectory {
    const { read } = this.store;
    const named = read.agent(text);
    const live = this.all().map(({ record }) => record);
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

  /** A person's word for a recipient → the canonical address. */
  resolve(who: string): Address {
    // Slashes at either end of a path are ignored; a single word between slashes is neither a path nor a name.
    const path = normalisePath(who);
    if (who.includes("/") && !path.includes("/")) throw this.#halfAPath(who, path);
    const meant = path.includes("/") ? path : who;
    const resolution = resolveRecipient(meant, this.#candidates(meant));
    if (resolution.kind === "address") {
      const descendant = descendantAt(resolution.address, this.store.read);
      return descendant === undefined ? resolution.address : agentAddress(descendant);
    }
    if (resolution.kind === "ambiguous") {
      throw new BellhopError("recipient.ambiguous", {
        message: `"${who}" could be any of: ${resolution.candidates.join(", ")}.`,
        next: 'Use one of these, or a session id from "bellhop ls".',
        candidates: resolution.candidates,
      });
    }
    if (this.#owner !== undefined && `person/${meant}` === this.#owner) return this.#owner;
    throw new BellhopError("recipient.unknown", {
      message: `No agent or session matches "${who}".`,
      next: `${didYouMean(who, this.names())}See who is there with "bellhop ls"; create a mailbox with "bellhop agent add NAME".`,
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
