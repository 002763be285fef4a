/**
 * Takes from mailboxes by hand: receive, acknowledge, look, export. One delivery, one taker: what is received here
 * is gone for the courier, and what the courier has begun is not received. It never types.
 */
import { agentAddress, isAgentName, sessionAddress, splitAddress } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import type { Address, AgentName, Delivery, DeliveryState, MessageId } from "../core/message.ts";
import type { Item, StoredSession, StoreWriter } from "../ports/store.ts";
import type { BrokerMessage, Claims, MailboxRequest, TimeWindow } from "../wire/shapes.ts";
import { brokerMessage } from "./broker-shape.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import type { StateWatch } from "./state-watch.ts";

export const MOST_RECEIVED = 1_000;
const HISTORY_MESSAGES = 100;

export interface Mailbox {
  readonly address: Address;
  readonly agent: AgentName;
  readonly session?: StoredSession;
}

export class Mailboxes {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #states: StateWatch;

  constructor(parts: {
    readonly context: OfficeContext;
    readonly directory: Directory;
    readonly states: StateWatch;
  }) {
    this.#context = parts.context;
    this.#directory = parts.directory;
    this.#states = parts.states;
  }

  /** Whose mailbox is meant, if the one who asks may have it. */
  meant({ agent: text, session, claims }: MailboxRequest): Mailbox {
    const agent = this.#agentMeant(text);
    mayActFor(claims, agent);
    if (session === undefined) return { address: agentAddress(agent), agent };
    const found = this.session(agent, session);
    if (found !== undefined) return { address: sessionAddress(found.id), agent, session: found };
    throw new BellhopError("session.unknown", {
      message: `"${agent}" has no session "${session}".`,
      next: `See them with "bellhop agent show ${agent}"; a subscription to a new name makes it.`,
    });
  }

  /** By its id, the name it was made by, or `main`. */
  session(agent: AgentName, text: string): StoredSession | undefined {
    const { read } = this.#context.store;
    const named = read.sessionByName(agent, text);
    if (named !== undefined) return named;
    const byId = read.session(text);
    if (byId?.agent === agent) return byId;
    if (text !== "main") return undefined;
    const all = read.sessions({ exitedSince: 0 }).filter((one) => one.agent === agent && one.main);
    return all.find(({ id }) => this.#directory.get(id) !== undefined) ?? all.at(-1);
  }

  async receive(mailbox: Address, limit = MOST_RECEIVED): Promise<readonly BrokerMessage[]> {
    const taken = await this.take([mailbox], limit);
    const { read } = this.#context.store;
    return taken.map(({ message, delivery }) => brokerMessage(message, delivery, read));
  }

  /** Oldest first; each is `delivered` and nobody else's from now on. */
  async take(mailboxes: readonly Address[], limit: number): Promise<readonly Item[]> {
    const { store, clock } = this.#context;
    const taken = await store.write((tx) =>
      tx
        .deliveries({ mailboxes, states: ["queued"], limit })
        .map(({ message, delivery }) => ({ message, delivery: received(tx, delivery, clock.now()) })),
    );
    if (taken.length > 0) this.#states.changed(taken.map(({ message }) => message.id));
    return taken;
  }

  history(mailbox: Address, window: TimeWindow): readonly BrokerMessage[] {
    const { read } = this.#context.store;
    const { limit = HISTORY_MESSAGES, fromTime, toTime } = window;
    return read
      .deliveries({
        mailboxes: [mailbox],
        newestFirst: true,
        limit,
        ...(fromTime === undefined ? {} : { from: fromTime }),
        ...(toTime === undefined ? {} : { until: toTime }),
      })
      .toReversed()
      .map(({ message, delivery }) => brokerMessage(message, delivery, read));
  }

  /** A reader says that he has it. Without a mailbox: in every mailbox that he may speak for. */
  async acknowledge(
    message: MessageId,
    mailbox: Address | undefined,
    claims: Claims,
  ): Promise<readonly DeliveryState[]> {
    const { store, clock } = this.#context;
    const own = claims.agent === undefined ? undefined : this.#directory.aliases(agentAddress(claims.agent));
    const states = await store.write((tx) =>
      tx
        .deliveriesOf(message)
        .filter(
          ({ to }) => (mailbox === undefined || to === mailbox) && (own === undefined || own.includes(to)),
        )
        .map((delivery) => acknowledged(tx, delivery, clock.now()).state),
    );
    if (states.length === 0) {
      throw new BellhopError("message.unknown", {
        message: "This message is not in that mailbox.",
        next: "Acknowledge what was pushed or received there.",
      });
    }
    this.#states.changed([message]);
    return states;
  }

  /** One's own mailbox: the session's and its agent's, or the person's. */
  own(claims: Claims): Address {
    const sender = this.#directory.sender(claims, undefined);
    return sender.sessionId === undefined ? sender.address : sessionAddress(sender.sessionId);
  }

  #agentMeant(text: string): AgentName {
    const name = text.startsWith("agent/") ? text.slice("agent/".length) : text;
    const { read } = this.#context.store;
    if (isAgentName(name) && read.agent(name) !== undefined) return name;
    throw new BellhopError("agent.unknown", {
      message: `There is no agent "${text}".`,
      next: `Make it with "bellhop agent add ${isAgentName(name) ? name : "NAME"}", or see who is there with "bellhop agent list".`,
    });
  }
}

/** An agent's own token opens its own mailboxes and nobody else's. */
export function mayActFor(claims: Claims, agent: AgentName): void {
  if (claims.agent === undefined || claims.agent === agent) return;
  throw new BellhopError("request.forbidden", {
    message: `This token speaks for "${claims.agent}", not for "${agent}".`,
    next: "Use the owner's token, or stay with your own mailbox.",
  });
}

function received(tx: StoreWriter, delivery: Delivery, at: number): Delivery {
  const proof = { transport: "receive", evidence: "accepted" } as const;
  tx.appendReceipt(delivery.id, { at, state: "delivered", ...proof });
  return tx.updateDelivery(delivery.id, { state: "delivered", ...proof, hold: null });
}

function acknowledged(tx: StoreWriter, delivery: Delivery, at: number): Delivery {
  const { state } = delivery;
  if (state !== "queued" && state !== "delivered" && state !== "unconfirmed") return delivery;
  const proof = state === "queued" ? ({ transport: "receive", evidence: "accepted" } as const) : {};
  tx.appendReceipt(delivery.id, { at, state: "read", ...proof, note: "acknowledged by its reader" });
  return tx.updateDelivery(delivery.id, { state: "read", ...proof, hold: null });
}

export function isPersonMailbox(address: Address): boolean {
  return splitAddress(address).kind === "person";
}
