/**
 * The broker as its specification describes it, as naively as possible: every subscription is matched with every path, in
 * both directions. Who gets what, which copies are handled, what may be received: the office must agree with it.
 */
import type { Address, AgentName, DeliveryState, SessionId } from "../../src/core/message.ts";
import { patternMatches } from "../../src/core/routing/pattern.ts";
import { pick } from "./broker-days.ts";

export interface ModelSession {
  readonly id: SessionId;
  agent: AgentName;
  name: string | undefined;
  readonly main: boolean;
  /** A program is running in it. */
  live: boolean;
  /** A program has ever run in it. */
  ran: boolean;
  /** Increases each time a program ends. */
  ended: number;
}

export interface ModelDelivery {
  readonly body: string;
  mailbox: Address;
  sender: Address;
  readonly handledBy: readonly SessionId[] | undefined;
  state: DeliveryState;
  /** Who is taking it while it is `delivering`. */
  hand: object | undefined;
  redelivered: boolean;
  /** Order of acceptance, as the store gives it. */
  readonly sequence: number;
}

export interface ModelSender {
  readonly address: Address;
  readonly agent?: AgentName;
  readonly outside?: boolean;
}

interface Letter {
  readonly body: string;
  readonly path: string;
  readonly sender: ModelSender;
  readonly parked: boolean;
}

type Owner =
  | { readonly kind: "agent"; readonly agent: AgentName }
  | { readonly kind: "session"; readonly id: SessionId };

/** The deliveries of one message: its mailboxes, and for an agent's mailbox the sessions that have it too. */
export type Routed = ReadonlyMap<Address, readonly SessionId[] | undefined>;

const OUTSIDE = ["slack", "telegram", "email", "webhook", "imessage"];

export class BrokerModel {
  readonly agents = new Set<AgentName>();
  readonly sessions: ModelSession[] = [];
  readonly deliveries: ModelDelivery[] = [];
  letters: Letter[] = [];
  /** Whether somebody listens there. */
  isHeard: (mailbox: Address) => boolean = () => false;
  #subscriptions: { owner: Owner; readonly pattern: string }[] = [];
  #ends = 0;

  /** Numbers choose among those that exist. */
  anAgent(at: number): AgentName {
    return pick([...this.agents], at);
  }

  route(sender: ModelSender, path: string): Routed {
    const hears = (pattern: string) => patternMatches(pattern, path) || patternMatches(path, pattern);
    const isMeant = (agent: AgentName) => !path.includes("*") || this.#isThere(agent);
    const agents = new Set([...this.agents].filter((agent) => hears(`agent/${agent}`) && isMeant(agent)));
    const sessions = new Set<ModelSession>();
    for (const { owner, pattern } of this.#subscriptions) {
      if (!hears(pattern)) continue;
      if (owner.kind === "agent") agents.add(owner.agent);
      else sessions.add(this.session(owner.id));
    }
    for (const session of sessions) agents.add(session.agent);
    if (sender.agent !== undefined && leavesOut(sender, path)) {
      agents.delete(sender.agent);
      for (const session of sessions) if (session.agent === sender.agent) sessions.delete(session);
    }
    const direct = this.sessions.find(({ id }) => path === `session/${id}`);
    if (direct !== undefined) sessions.add(direct);
    const handlers = (agent: AgentName) => {
      const ids = [...sessions].filter((one) => one.agent === agent).map(({ id }) => id);
      return ids.length === 0 ? undefined : ids.sort();
    };
    const person = /^person\/[^/*]+$/u.test(path) ? [[path, undefined] as const] : [];
    return new Map([
      ...[...sessions].map(({ id }) => [`session/${id}`, undefined] as const),
      ...[...agents].map((agent) => [`agent/${agent}`, handlers(agent)] as const),
      ...person,
    ]);
  }

  /** A broadcast reaches agents that run, that never had a program, or that somebody listens for. */
  #isThere(agent: AgentName): boolean {
    const ran = this.sessions.filter((session) => session.agent === agent && session.ran);
    return ran.length === 0 || ran.some(({ live }) => live) || this.isHeard(`agent/${agent}`);
  }

  /** A plain message answers the newest delivered message in the other direction that has no answer. */
  answers(sender: ModelSender, path: string): void {
    const [from, mine] = [this.#aliases(path), this.#aliases(sender.address)];
    const open = this.deliveries.filter(
      ({ sender: writer, mailbox, state }) =>
        from.includes(writer) && mine.includes(mailbox) && (state === "delivered" || state === "read"),
    );
    const newest = open.toSorted((a, b) => b.sequence - a.sequence)[0];
    if (newest !== undefined) newest.state = "replied";
  }

  #aliases(address: Address): readonly Address[] {
    const [root, name = "", ...deeper] = address.split("/");
    if (deeper.length > 0) return [address];
    const agent =
      root === "agent"
        ? name
        : root === "session"
          ? this.sessions.find(({ id }) => id === name)?.agent
          : undefined;
    if (agent === undefined) return [address];
    const own = this.sessions.filter((session) => session.agent === agent);
    return [`agent/${agent}`, ...own.map(({ id }) => `session/${id}`)];
  }

  session(id: SessionId): ModelSession {
    const session = this.sessions.find((one) => one.id === id);
    if (session === undefined) throw new Error(`the model has no session ${id}`);
    return session;
  }

  shown(id: SessionId): string {
    const { agent, name } = this.session(id);
    return `${agent}:${name ?? id}`;
  }

  /** By name, or `main`: the session that runs, else the one that ended last. */
  find(agent: AgentName, name: string): ModelSession | undefined {
    const own = this.sessions.filter((session) => session.agent === agent);
    const named = own.find((session) => session.name === name);
    if (named !== undefined || name !== "main") return named;
    const first = own.filter(({ main }) => main);
    return first.find(({ live }) => live) ?? first.toSorted((a, b) => a.ended - b.ended).at(-1);
  }

  /** Created by name: no program has ever run in it. */
  made(id: SessionId, agent: AgentName, name: string): ModelSession {
    this.#ends += 1;
    const session = { id, agent, name, main: name === "main", live: false, ran: false, ended: this.#ends };
    this.sessions.push(session);
    return session;
  }

  /** A program starts, in a new session or in the one it had before. */
  begins(id: SessionId, agent: AgentName): void {
    const before = this.sessions.find((session) => session.id === id);
    this.agents.add(before?.agent ?? agent);
    if (before === undefined)
      this.sessions.push({ id, agent, name: undefined, main: true, live: true, ran: true, ended: 0 });
    else Object.assign(before, { live: true, ran: true });
  }

  ends(id: SessionId): void {
    this.#ends += 1;
    const session = this.session(id);
    session.live = false;
    session.ended = this.#ends;
  }

  subscribe(owner: Owner, pattern: string): void {
    if (owner.kind === "agent" && pattern === `agent/${owner.agent}`) return;
    if (!this.#subscriptions.some((one) => isSame(one.owner, owner) && one.pattern === pattern))
      this.#subscriptions.push({ owner, pattern });
  }

  get subscriptions(): readonly { readonly owner: Owner; readonly pattern: string }[] {
    return this.#subscriptions;
  }

  /** Returns whether it existed. */
  unsubscribe(owner: Owner, pattern: string): boolean {
    const left = this.#subscriptions.filter((one) => !isSame(one.owner, owner) || one.pattern !== pattern);
    const was = left.length < this.#subscriptions.length;
    this.#subscriptions = left;
    return was;
  }

  patternsOf(owner: Owner): readonly string[] {
    return this.#subscriptions.filter((one) => isSame(one.owner, owner)).map(({ pattern }) => pattern);
  }

  /** The agent gets a new name and keeps everything it had. */
  rename(from: AgentName, to: AgentName): void {
    this.agents.delete(from);
    this.agents.add(to);
    for (const session of this.sessions) if (session.agent === from) session.agent = to;
    for (const delivery of this.deliveries) {
      if (delivery.mailbox === `agent/${from}`) delivery.mailbox = `agent/${to}`;
      if (delivery.sender === `agent/${from}`) delivery.sender = `agent/${to}`;
    }
    for (const subscription of this.#subscriptions)
      if (isSame(subscription.owner, { kind: "agent", agent: from }))
        subscription.owner = { kind: "agent", agent: to };
  }

  remove(agent: AgentName): void {
    const own = this.sessions.filter((session) => session.agent === agent);
    const addresses = [`agent/${agent}`, ...own.map(({ id }) => `session/${id}`)];
    for (const delivery of this.deliveries)
      if (addresses.includes(delivery.mailbox) && delivery.state === "queued") delivery.state = "cancelled";
    this.agents.delete(agent);
    for (const session of own) this.sessions.splice(this.sessions.indexOf(session), 1);
    this.#subscriptions = this.#subscriptions.filter(({ owner }) =>
      owner.kind === "agent" ? owner.agent !== agent : !own.some(({ id }) => id === owner.id),
    );
  }

  waiting(mailbox: Address): readonly ModelDelivery[] {
    return this.deliveries
      .filter((delivery) => delivery.mailbox === mailbox && delivery.state === "queued")
      .toSorted((a, b) => a.sequence - b.sequence);
  }
}

/** Senders get neither their own broadcasts nor what they send to an outside channel, only messages to themselves. */
function leavesOut({ agent, outside }: ModelSender, path: string): boolean {
  const root = path.split("/")[0] ?? "";
  if (path.startsWith("agent/")) return path !== `agent/${agent}`;
  return root === "*" || root === "**" || (outside !== true && OUTSIDE.includes(root));
}

function isSame(a: Owner, b: Owner): boolean {
  if (a.kind === "agent") return b.kind === "agent" && a.agent === b.agent;
  return b.kind === "session" && a.id === b.id;
}
