/**
 * Who is there, by name: everyone asks it for names, recipients, senders and takers. Only the registrar changes it.
 * It never talks to a terminal.
 */
import type { Address, AgentName, SessionId } from "../../core/message.ts";
import { headline } from "../../core/session.ts";
import type { Store, StoredSession } from "../../ports/store.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { LiveSession } from "./live-session.ts";
import { Recipients } from "./recipients.ts";
import { Roster } from "./roster.ts";
import { type SenderIdentity, Senders } from "./senders.ts";

/** Notices and keys among them name nothing. */
const LAST_DELIVERED = 4;

export class Directory extends Roster {
  readonly #store: Store;
  readonly #recipients: Recipients;
  readonly #senders: Senders;

  /** `owner`: the person whose daemon this is. */
  constructor(store: Store, owner?: Address) {
    super(store);
    this.#store = store;
    this.#recipients = new Recipients(store, this, owner);
    this.#senders = new Senders(store, this, this.#recipients);
  }

  headlineOf(session: StoredSession, titleHeadline?: string): string {
    const agent = this.#store.read.agent(session.agent);
    return headline({
      chosenName: agent?.chosen === true ? session.agent : undefined,
      title: titleHeadline ?? this.get(session.id)?.profile.headlineFromTitle(session.title),
      lastPrompt: this.#deliveredLast(session.id) ?? session.lastPrompt,
      branch: session.branch,
      id: session.id,
    });
  }

  /** What a person typed there is theirs: it names the session only where nothing was ever delivered to it. */
  #deliveredLast(id: SessionId): string | undefined {
    if (this.get(id) === undefined) return undefined;
    return this.#store.read
      .attemptedIn(id, ["delivered", "read", "replied"], LAST_DELIVERED)
      .find(({ message }) => message.source !== "bellhop" && message.form.kind === "text")?.message.body;
  }

  names(): readonly AgentName[] {
    return this.#recipients.names();
  }

  /** A person's word for a recipient → the canonical address. Refuses two candidates. */
  resolve(who: string): Address {
    return this.#recipients.resolve(who);
  }

  /** The live session behind a person's word; for everything that needs a screen. */
  resolveLive(who: string): LiveSession {
    return this.#recipients.resolveLive(who);
  }

  /** From what a process says of itself: its own session if it has one, else the person at this machine. */
  sender(claims: Claims, from: string | undefined): SenderIdentity {
    return this.#senders.sender(claims, from);
  }

  /** Whoever brings a message from outside, or speaks under a name that is no agent's: a bridge, a script. */
  bringer(claims: Claims, from: string | undefined, channel: string | undefined): SenderIdentity {
    return this.#senders.bringer(claims, from, channel);
  }

  ownSession(claims: Claims): StoredSession | undefined {
    return this.#senders.ownSession(claims);
  }

  atPane(pane: NonNullable<Claims["tmux"]>): LiveSession | undefined {
    return this.#senders.atPane(pane);
  }
}
