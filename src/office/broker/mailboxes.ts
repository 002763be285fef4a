/**
 * Takes from mailboxes by hand: receive, acknowledge, look, export. One delivery has one taker: a courier does not
 * deliver what was received here, and what a courier has begun is not received. It never types.
 */
import { agentAddress, isAgentName, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import { isAtLeast } from "../../core/evidence.ts";
import type {
  Address,
  AgentName,
  Delivery,
  DeliveryState,
  Instant,
  Message,
  MessageId,
  Receipt,
} from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Item, StoredSession, StoreReader, StoreWriter } from "../../ports/store.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { MailboxRequest } from "../../wire/verbs/broker.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { TimeWindow } from "../../wire/verbs/fields.ts";
import type { Ground } from "../presence/ground.ts";
import { brokerMessage } from "./broker-shape.ts";

export const MOST_RECEIVED = 1_000;
/** For one answer, approximately: received messages leave the mailbox, so the answer must get through. */
export const MOST_RECEIVED_BYTES = 2 * 1024 * 1024;
const HISTORY_MESSAGES = 100;

export interface Mailbox {
  readonly address: Address;
  readonly agent: AgentName;
  readonly session?: StoredSession;
}

export interface HeardMailbox {
  readonly address: Address;
  readonly owner: string;
  /** When the agent of this name was created; undefined: there is none any more. */
  readonly since: Instant | undefined;
}

/** A person's name never passes to someone else. */
const PERSONS_SINCE = 0;

export class Mailboxes {
  readonly #parts: Ground;

  constructor(parts: Ground) {
    this.#parts = parts;
  }

  /** The mailbox to listen to: an agent's, or a person's by address. */
  heard(request: Pick<MailboxRequest, "agent" | "session">): HeardMailbox {
    const { agent: text, session } = request;
    if (session === undefined && splitAddress(text).kind === "person")
      return { address: text, owner: text, since: PERSONS_SINCE };
    const { address, agent } = this.meant(request);
    return { address, owner: agent, since: this.#parts.context.store.read.agent(agent)?.createdAt };
  }

  meant({ agent: text, session }: Pick<MailboxRequest, "agent" | "session">): Mailbox {
    const agent = this.#agentMeant(text);
    if (session === undefined) return { address: agentAddress(agent), agent };
    const found = this.session(agent, session);
    if (found !== undefined) return { address: sessionAddress(found.id), agent, session: found };
    throw new BellhopError("session.unknown", {
      message: `"${agent}" has no session "${session}".`,
      next: `See them with "bellhop agent show ${agent}"; a subscription to a new name makes it.`,
    });
  }

  session(agent: AgentName, text: string): StoredSession | undefined {
    return this.#parts.directory.sessionOf(agent, text);
  }

  async receive(mailbox: Address, claims: Claims, limit = MOST_RECEIVED): Promise<readonly BrokerMessage[]> {
    const taken = await this.take([mailbox], claims, limit);
    const { read } = this.#parts.context.store;
    return taken.map(({ message, delivery }) => brokerMessage(message, delivery, read));
  }

  /** Oldest first. Nobody else can take these now, and each receipt names the taker. */
  async take(mailboxes: readonly Address[], claims: Claims, limit: number): Promise<readonly Item[]> {
    const { store, clock } = this.#parts.context;
    const by = this.#parts.directory.sender(claims, undefined).address;
    const taken = await store.write((tx) => {
      const items = withinOneAnswer(receivable(tx, mailboxes, Math.min(limit, MOST_RECEIVED)));
      for (const mailbox of new Set(items.map(({ delivery }) => delivery.to))) this.#used(tx, mailbox);
      return items.map(({ message, delivery }) => ({
        message,
        delivery: received(tx, delivery, by, clock.now()),
      }));
    });
    if (taken.length > 0) this.#parts.states.changed(taken.map(({ message }) => message.id));
    return taken;
  }

  /** Reading the mail of a session without a program counts as activity. */
  #used(tx: StoreWriter, mailbox: Address): void {
    const { kind, rest } = splitAddress(mailbox);
    const session = kind === "session" ? tx.session(rest) : undefined;
    if (session === undefined || this.#parts.directory.get(rest) !== undefined) return;
    tx.putSession({ ...session, lastActiveAt: this.#parts.context.clock.now() });
  }

  history(mailbox: Address, window: TimeWindow): readonly BrokerMessage[] {
    const { read } = this.#parts.context.store;
    const { limit = HISTORY_MESSAGES, fromTime, toTime } = window;
    const newest = read.deliveries({
      mailboxes: [mailbox],
      newestFirst: true,
      limit,
      ...present({ from: fromTime, until: toTime }),
    });
    return withinOneAnswer(newest)
      .toReversed()
      .map(({ message, delivery }) => brokerMessage(message, delivery, read));
  }

  /** A reader confirms a message. Without a mailbox, it must have gone to only one agent or person. */
  async acknowledge(
    message: MessageId,
    mailbox: Address | undefined,
    claims: Claims,
  ): Promise<readonly DeliveryState[]> {
    const { store, clock } = this.#parts.context;
    const by = this.#parts.directory.sender(claims, undefined);
    const own = by.source === "person" ? undefined : this.#parts.directory.aliases(by.address);
    const states = await store.write((tx) => {
      const theirs = tx
        .deliveriesOf(message)
        .filter(({ to }) => (mailbox === undefined ? own === undefined || own.includes(to) : to === mailbox));
      this.#requireOneOwner(theirs);
      return theirs.map((delivery) => acknowledged(tx, delivery, by.address, clock.now()).state);
    });
    if (states.length === 0) {
      throw new BellhopError("message.unknown", {
        message: "This message is not in that mailbox.",
        next: "Acknowledge what was pushed or received there.",
      });
    }
    this.#parts.states.changed([message]);
    return states;
  }

  /** Reading empties a person's mailbox; other mailboxes do not change. */
  async read(message: MessageId, reader: Address): Promise<void> {
    if (splitAddress(reader).kind !== "person") return;
    const { store, clock } = this.#parts.context;
    const waiting = (read: StoreReader) =>
      read.deliveriesOf(message).filter(({ to, state }) => to === reader && state === "queued");
    if (waiting(store.read).length === 0) return;
    await store.write((tx) => {
      // It may have been cancelled or taken through another door a moment ago.
      for (const delivery of waiting(tx))
        byHand(tx, delivery, { at: clock.now(), state: "read", note: `read by ${reader}` });
    });
    this.#parts.states.changed([message]);
  }

  /** One reader's acknowledgement must not take the message from the others. */
  #requireOneOwner(deliveries: readonly Delivery[]): void {
    const [first, ...others] = deliveries;
    if (first === undefined) return;
    const owned = this.#parts.directory.aliases(first.to);
    if (others.every(({ to }) => owned.includes(to))) return;
    throw new BellhopError("message.ambiguous", {
      message: "This message went to several mailboxes.",
      next: "Say whose reader you are: name the agent.",
      candidates: deliveries.map(({ to }) => to),
    });
  }

  /** The caller's own mailboxes: of its session and its agent, or of the person. */
  own(claims: Claims): { readonly address: Address; readonly mailboxes: readonly Address[] } {
    const { address, sessionId } = this.#parts.directory.sender(claims, undefined);
    if (sessionId === undefined) return { address, mailboxes: this.#parts.directory.aliases(address) };
    const own = sessionAddress(sessionId);
    const live = this.#parts.directory.get(sessionId);
    const taken = live === undefined ? [own] : this.#parts.directory.mailboxesOf(live);
    return { address: own, mailboxes: [...new Set([...taken, address])] };
  }

  /** For a session, its own mailbox; for an agent, also those of all its sessions. */
  named(who: string): { readonly address: Address; readonly mailboxes: readonly Address[] } {
    const address = this.#parts.directory.resolve(who);
    if (!this.#parts.directory.knows(address)) {
      throw new BellhopError("recipient.unknown", {
        message: `${address} has no mailbox.`,
        next: `See who is there with "bellhop agent list".`,
      });
    }
    const { kind } = splitAddress(address);
    return { address, mailboxes: kind === "session" ? [address] : this.#parts.directory.aliases(address) };
  }

  #agentMeant(text: string): AgentName {
    const name = this.#parts.directory.nameHere(text);
    const { read } = this.#parts.context.store;
    if (isAgentName(name) && read.agent(name) !== undefined) return name;
    throw this.#parts.directory.noAgent(
      text,
      `Make it with "bellhop agent add ${isAgentName(name) ? name : "NAME"}", or see who is there with "bellhop agent list".`,
    );
  }
}

/** Queued, and not held back by a person. */
export function receivable(read: StoreReader, mailboxes: readonly Address[], limit: number): readonly Item[] {
  return read
    .deliveries({ mailboxes, states: ["queued"], limit })
    .filter(({ delivery }) => delivery.release !== "withheld");
}

/** As many items from the start as fit into one answer, but at least the first. */
export function withinOneAnswer<T extends { readonly message: Message }>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = items.findIndex(({ message }, index) => {
    bytes += sizeOf(message);
    return index > 0 && bytes > MOST_RECEIVED_BYTES;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** A message without a payload carries its text twice. */
function sizeOf({ body, payload }: Message): number {
  return body.length + (payload === undefined ? body.length : JSON.stringify(payload).length);
}

/** Whether being taken is the evidence that the sender required. */
export function takenAs({ require }: Delivery): {
  readonly state: "delivered" | "unconfirmed";
  readonly note?: string;
} {
  if (require === undefined || isAtLeast("accepted", require)) return { state: "delivered" };
  return { state: "unconfirmed", note: `required: ${require}` };
}

const BY_HAND = { transport: "receive", evidence: "accepted" } as const;

function received(tx: StoreWriter, delivery: Delivery, by: Address, at: number): Delivery {
  const { state, note } = takenAs(delivery);
  const taken = `taken by ${by}`;
  return byHand(tx, delivery, { at, state, note: note === undefined ? taken : `${taken}; ${note}` });
}

function byHand(tx: StoreWriter, { id }: Delivery, receipt: Omit<Receipt, keyof typeof BY_HAND>): Delivery {
  return tx.moveDelivery(id, { ...receipt, ...BY_HAND }, { ...BY_HAND, hold: null });
}

function acknowledged(tx: StoreWriter, delivery: Delivery, by: Address, at: number): Delivery {
  const { state, transport } = delivery;
  // A consuming listener's reader may acknowledge a push before it is recorded.
  const pushed = state === "delivering" && transport === "receive";
  if (!pushed && state !== "queued" && state !== "delivered" && state !== "unconfirmed") return delivery;
  const receipt = { at, state: "read", note: `acknowledged by ${by}` } as const;
  if (pushed || state === "queued") return byHand(tx, delivery, receipt);
  return tx.moveDelivery(delivery.id, receipt, { hold: null });
}
