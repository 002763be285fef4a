/** Plays one day twice: to the office over a desk, and to the model. After each happening both must say the same. */
import { expect } from "vitest";
import { LOOP_REASONS } from "../../src/core/loop-breaker.ts";
import type { Address, AgentName, Delivery } from "../../src/core/message.ts";
import type { Item } from "../../src/ports/store.ts";
import type { RouteResponse } from "../../src/wire/shapes/broker.ts";
import type { Claims } from "../../src/wire/shapes/messages.ts";
import { OWNER, tokenOf } from "../desk/broker-verbs.ts";
import { type Desk, deskWithoutEnd } from "../desk/desk.ts";
import {
  AGENTS,
  type BrokerCast,
  type BrokerHappening,
  PATHS,
  PATTERNS,
  pick,
  SESSIONS,
} from "./broker-days.ts";
import { Ears, shownMessage, shownPush } from "./broker-ears.ts";
import { BrokerModel, type ModelSender, type ModelSession } from "./broker-model.ts";
import { COURIER, Terminals } from "./broker-terminals.ts";

const MOST_STORED = 10_000;

export async function playBrokerDay(cast: BrokerCast, day: readonly BrokerHappening[]): Promise<void> {
  const play = new Play(await deskWithoutEnd());
  try {
    await play.begin(cast);
    for (const happening of day) await play.let(happening);
    await play.rest();
  } finally {
    await play.desk.close();
  }
}

class Play {
  readonly desk: Desk;
  readonly #model = new BrokerModel();
  readonly #terminals: Terminals;
  readonly #ears: Ears;
  /** By body, which every message has for its own. */
  readonly #messages = new Map<string, string>();

  constructor(desk: Desk) {
    this.desk = desk;
    desk.settings = { ...desk.settings, maxBatch: 1 };
    this.#terminals = new Terminals(desk, this.#model);
    this.#ears = new Ears(desk, this.#model);
  }

  async begin({ terminals }: BrokerCast): Promise<void> {
    for (let number = 1; number <= terminals; number += 1) this.#terminals.start(`t${number}`, `c${number}`);
    await (terminals === 0 ? this.desk.open() : this.desk.ready());
    this.#terminals.learnSessions();
    // The last of them stays: somebody is always there.
    for (const name of ["a", "b", "z"]) {
      await this.desk.use.agent_add({ name });
      this.#model.agents.add(name);
    }
  }

  async let(happening: BrokerHappening): Promise<void> {
    await this.#happen(happening);
    await this.#check();
  }

  async #check(): Promise<void> {
    await this.desk.work.settle();
    const stored = this.#everything();
    this.#ears.follow();
    this.#terminals.follow(stored);
    this.#compare(stored);
  }

  async #happen(happening: BrokerHappening): Promise<void> {
    const { desk } = this;
    const model = this.#model;
    switch (happening.do) {
      case "add-agent": {
        const name = pick(AGENTS, happening.who);
        const answer = await refusal(desk.use.agent_add({ name }));
        expect(answer).toBe(model.agents.has(name) ? "agent.exists" : undefined);
        model.agents.add(name);
        return;
      }
      case "remove-agent":
        return this.#remove(pick(AGENTS, happening.who));
      case "add-session": {
        const agent = this.#anAgent(happening.who);
        await this.#session(agent, pick(SESSIONS, happening.session) ?? "s");
        return;
      }
      case "subscribe":
      case "unsubscribe":
        return this.#subscribe(happening);
      case "give-up":
        return this.#giveUp(happening.pattern);
      case "route":
      case "route-twice":
        return this.#route(happening);
      case "receive":
        return this.#receive(happening);
      case "history":
        return this.#history(happening);
      case "acknowledge":
        return this.#acknowledge(happening.at);
      case "listen":
        return this.#listen(happening);
      case "close-listener": {
        const { all } = this.#ears;
        const ear = all[happening.at % Math.max(1, all.length)];
        if (ear !== undefined) this.#ears.close(ear);
        return;
      }
      case "rename":
        return this.#rename(happening.at, pick([...AGENTS, "new"], happening.name));
      case "reroute":
        return this.#reroute();
      case "clear":
        expect(await desk.use.unmatched_clear({})).toEqual({ cleared: model.letters.length });
        model.letters = [];
        return;
      case "pass":
        await desk.advance(3_000);
        return;
      case "restart":
        await this.#closeEars();
        await desk.done(desk.office.close());
        return this.#start();
      case "kill":
        return this.#start();
      case "die-sending":
        return this.#dieSending(happening);
      case "work":
      case "rest":
        this.#terminals.running(happening.at)?.program.becomes({ busy: happening.do === "work" });
        return;
      case "end":
        return this.#terminals.end(happening.at);
      case "resume":
        return this.#terminals.resume(happening.at);
    }
  }

  async #remove(name: AgentName): Promise<void> {
    const model = this.#model;
    const runs = model.sessions.some(({ agent, live }) => agent === name && live);
    const answer = await refusal(this.desk.use.agent_remove({ name, force: true }));
    if (!model.agents.has(name)) expect(answer).toBe("agent.unknown");
    else if (runs) expect(answer).toBe("agent.busy");
    else {
      expect(answer).toBeUndefined();
      model.remove(name);
    }
  }

  async #session(agent: AgentName, name: string): Promise<ModelSession> {
    const known = this.#model.find(agent, name);
    const { sessionId } = await this.desk.use.session_add({ agent, name });
    if (known === undefined) return this.#model.made(sessionId, agent, name);
    expect(sessionId).toBe(known.id);
    return known;
  }

  async #subscribe(happening: Extract<BrokerHappening, { pattern: number }>): Promise<void> {
    const model = this.#model;
    const agent = this.#anAgent(happening.who);
    const name = pick(SESSIONS, happening.session);
    const pattern = pick(PATTERNS, happening.pattern);
    const request = { agent, pattern, claims: OWNER, ...(name === undefined ? {} : { session: name }) };
    const known = name === undefined ? undefined : model.find(agent, name);
    if (happening.do === "subscribe") {
      const { subscriptions } = await this.desk.use.sub_add(request);
      const owner = this.#owner(agent, name, known);
      model.subscribe(owner, pattern);
      expect(subscriptions.map((one) => one.pattern).toSorted()).toEqual(model.patternsOf(owner).toSorted());
      return;
    }
    const answer = await refusal(this.desk.use.sub_remove(request));
    if (name !== undefined && known === undefined) return void expect(answer).toBe("session.unknown");
    const owner = this.#owner(agent, name, known);
    if (owner.kind === "agent" && pattern === `agent/${agent}`)
      return void expect(answer).toBe("pattern.own");
    expect(answer).toBe(model.unsubscribe(owner, pattern) ? undefined : "pattern.unknown");
  }

  async #giveUp(at: number): Promise<void> {
    const model = this.#model;
    const one = model.subscriptions[at % Math.max(1, model.subscriptions.length)];
    if (one === undefined) return;
    const { owner, pattern } = one;
    const whose =
      owner.kind === "agent"
        ? { agent: owner.agent }
        : { agent: model.session(owner.id).agent, session: owner.id };
    await this.desk.use.sub_remove({ ...whose, pattern, claims: OWNER });
    expect(model.unsubscribe(owner, pattern)).toBe(true);
  }

  #owner(agent: AgentName, name: string | undefined, known: ModelSession | undefined) {
    if (name === undefined) return { kind: "agent", agent } as const;
    const id = known?.id ?? this.desk.store.read.sessionByName(agent, name)?.id ?? "";
    if (known === undefined) this.#model.made(id, agent, name);
    return { kind: "session", id } as const;
  }

  async #route(happening: Extract<BrokerHappening, { path: number }>): Promise<void> {
    const { sender, request, path, body } = this.#sending(happening);
    const send = () => this.desk.done(this.desk.use.route({ ...request, idempotencyKey: body }));
    const sent = await send();
    this.#routed(sender, path, body, sent);
    if (happening.do !== "route-twice") return;
    expect((await send()).messageId).toBe(sent.messageId);
  }

  #sending({ path: at, by }: { readonly path: number; readonly by: number }) {
    const sessions = this.#model.sessions.map(({ id }) => `session/${id}`);
    const path = pick([...PATHS, ...sessions], at);
    const body = `message ${this.#messages.size}`;
    const { sender, ...told } = this.#sender(by);
    return { sender, path, body, request: { path, body, ...told } };
  }

  #sender(by: number): {
    readonly sender: ModelSender;
    readonly claims: Claims;
    readonly from?: string;
    readonly channel?: string;
  } {
    const terminal = this.#terminals.running(by);
    if (by % 5 === 0) return { sender: { address: "person/dev" }, claims: OWNER };
    if (by % 5 === 1) {
      const sender = { address: "program/slack-bridge", outside: true };
      return { sender, claims: OWNER, from: "slack-bridge", channel: "slack" };
    }
    if (by % 5 === 2 && terminal !== undefined) {
      const { server, pane } = terminal.sighting.identity;
      const { agent } = this.#model.session(this.desk.sessionOf(terminal));
      const claims = { user: "dev", tmux: { socket: server, pane } };
      return { sender: { address: `agent/${agent}`, agent }, claims };
    }
    const agent = this.#anAgent(by);
    return { sender: { address: `agent/${agent}`, agent }, claims: tokenOf(agent) };
  }

  /** What was answered, what is stored and what the model says. */
  #routed(sender: ModelSender, path: string, body: string, sent: RouteResponse): void {
    const model = this.#model;
    this.#messages.set(body, sent.messageId);
    model.answers(sender, path);
    const parked = sent.reason !== undefined && Object.values(LOOP_REASONS).includes(sent.reason);
    if (parked) expect(this.desk.store.read.message(sent.messageId)?.hops).toBeGreaterThanOrEqual(2);
    const routed = parked ? new Map() : model.route(sender, path);
    expect(sent.unmatched, body).toBe(routed.size === 0);
    if (routed.size === 0) model.letters.push({ body, path, sender, parked });
    const agents = [...routed.keys()].filter((to) => to.startsWith("agent/"));
    expect(sent.deliveredTo).toEqual(agents.map((to) => to.slice("agent/".length)).toSorted());
    const sessions = [...routed.keys()].filter((to) => to.startsWith("session/"));
    expect(sent.deliveredToSessions.map((one) => `${one.agentId}:${one.sessionId}`).toSorted()).toEqual(
      sessions.map((to) => model.shown(to.slice("session/".length))).toSorted(),
    );
    this.#deliver(sender, body, routed);
    this.#came(body);
  }

  #deliver(sender: ModelSender, body: string, routed: ReturnType<BrokerModel["route"]>): void {
    const stored = this.#stored(body);
    expect(stored.map(({ to }) => to).toSorted(), body).toEqual([...routed.keys()].toSorted());
    for (const { to, sequence } of stored)
      this.#model.deliveries.push({
        body,
        mailbox: to,
        sender: sender.address,
        handledBy: routed.get(to),
        state: "queued",
        hand: undefined,
        redelivered: false,
        sequence,
      });
  }

  #came(body: string): void {
    this.#ears.came(this.#model.deliveries.filter((delivery) => delivery.body === body));
  }

  #mailbox({ who, session }: { readonly who: number; readonly session: number }) {
    const agent = this.#anAgent(who);
    const name = pick(SESSIONS, session);
    const found = name === undefined ? undefined : this.#model.find(agent, name);
    return {
      request: { agent, claims: OWNER, ...(name === undefined ? {} : { session: name }) },
      address:
        name === undefined ? `agent/${agent}` : found === undefined ? undefined : `session/${found.id}`,
    };
  }

  async #receive(happening: Extract<BrokerHappening, { limit: number }>): Promise<void> {
    const { request, address } = this.#mailbox(happening);
    const asking = this.desk.use.receive({ ...request, limit: happening.limit });
    if (address === undefined) return void expect(await refusal(asking)).toBe("session.unknown");
    const { messages } = await asking;
    const expected = this.#model.waiting(address).slice(0, happening.limit);
    expect(messages.map(shownMessage)).toEqual(expected.map((delivery) => shownPush(delivery, this.#model)));
    expect(messages.every(({ status }) => status === "delivered")).toBe(true);
    for (const delivery of expected) delivery.state = "delivered";
  }

  async #history(happening: Extract<BrokerHappening, { limit: number }>): Promise<void> {
    const { request, address } = this.#mailbox(happening);
    if (address === undefined) return;
    const { messages } = await this.desk.use.mailbox_history({ ...request, limit: happening.limit });
    const expected = this.#model.deliveries
      .filter(({ mailbox }) => mailbox === address)
      .toSorted((a, b) => a.sequence - b.sequence)
      .slice(-happening.limit);
    expect(messages.map(({ body, status }) => `${body} ${status}`)).toEqual(
      expected.map(({ body, state }) => `${body} ${state === "queued" ? "pending" : "delivered"}`),
    );
  }

  async #acknowledge(at: number): Promise<void> {
    const known = this.#model.deliveries.filter(({ mailbox }) => this.#reader(mailbox) !== undefined);
    const meant = known[at % Math.max(1, known.length)];
    const reader = meant === undefined ? undefined : this.#reader(meant.mailbox);
    if (meant === undefined || reader === undefined) return;
    // Who took the name of one that was removed may have it twice.
    const copies = known.filter(({ body, mailbox }) => body === meant.body && mailbox === meant.mailbox);
    for (const delivery of copies) {
      const typing = delivery.state === "delivering" && delivery.hand === COURIER;
      const open = ["queued", "delivering", "delivered", "unconfirmed"].includes(delivery.state);
      if (open && !typing) delivery.state = "read";
    }
    const id = this.#messages.get(meant.body) ?? "";
    const { states } = await this.desk.use.ack({ id, claims: OWNER, ...reader });
    expect(states.toSorted()).toEqual(copies.map(({ state }) => state).toSorted());
  }

  #reader(mailbox: Address): { readonly agent: AgentName; readonly session?: string } | undefined {
    const [root, rest = ""] = mailbox.split("/");
    if (root === "agent") return this.#model.agents.has(rest) ? { agent: rest } : undefined;
    const session = this.#model.sessions.find(({ id }) => id === rest);
    return session === undefined ? undefined : { agent: session.agent, session: session.id };
  }

  async #listen(happening: Extract<BrokerHappening, { do: "listen" }>): Promise<void> {
    const { request, address } = this.#mailbox(happening);
    const opening = this.#ears.open(request, address ?? "", happening.how);
    if (address === undefined) expect(await refusal(opening)).toBe("session.unknown");
    else await opening;
  }

  async #closeEars(): Promise<void> {
    for (const ear of this.#ears.all) {
      this.#ears.close(ear);
      await this.#check();
    }
  }

  async #rename(at: number, name: AgentName): Promise<void> {
    const terminal = this.#terminals.running(at);
    if (terminal === undefined) return;
    const model = this.#model;
    const session = model.session(this.desk.sessionOf(terminal));
    const answer = await refusal(
      this.desk.done(this.desk.use.name({ who: session.id, name, claims: OWNER })),
    );
    const taken = model.sessions.some(({ agent, live }) => agent === name && live);
    if (session.agent !== name && taken) return void expect(answer).toBe("agent.exists");
    expect(answer).toBeUndefined();
    if (session.agent === name) return;
    if (model.agents.has(name)) session.agent = name;
    else model.rename(session.agent, name);
  }

  async #reroute(): Promise<void> {
    const model = this.#model;
    const answer = await this.desk.done(this.desk.use.unmatched_reroute({}));
    const left = [];
    for (const letter of model.letters) {
      const routed = letter.parked ? new Map() : model.route(letter.sender, letter.path);
      if (routed.size === 0) left.push(letter);
      else {
        this.#deliver(letter.sender, letter.body, routed);
        this.#came(letter.body);
      }
    }
    expect(answer).toEqual({ rerouted: model.letters.length - left.length, left: left.length });
    model.letters = left;
  }

  async #dieSending(happening: Extract<BrokerHappening, { do: "die-sending" }>): Promise<void> {
    const { sender, request, path, body } = this.#sending(happening);
    const step = happening.at;
    this.desk.crashAt(step);
    await expect(this.desk.done(this.desk.use.route({ ...request, idempotencyKey: body }))).rejects.toThrow(
      `killed at ${step}`,
    );
    await this.#start();
    // Whoever was not answered asks again, under the same key: it is there once.
    const sent = await this.desk.done(this.desk.use.route({ ...request, idempotencyKey: body }));
    await this.desk.work.settle();
    this.#routed(sender, path, body, sent);
  }

  async #start(): Promise<void> {
    this.#ears.die();
    await this.desk.open();
  }

  #anAgent(at: number): AgentName {
    return pick([...this.#model.agents], at);
  }

  #stored(body: string): readonly Delivery[] {
    return this.desk.store.read.deliveriesOf(this.#messages.get(body) ?? "");
  }

  /** Everything that is stored, but for what Bellhop itself said. */
  #everything(): readonly Item[] {
    const items = this.desk.store.read.itemsAfter(undefined, 0, MOST_STORED);
    return items.filter(({ message }) => message.source !== "bellhop");
  }

  #compare(stored: readonly Item[]): void {
    const real = stored.map(
      ({ message, delivery: { to, state, handledBy, possibleDuplicate } }) =>
        `${message.body} to ${to} ${state} [${handledBy ?? "-"}]${possibleDuplicate ? " again" : ""}`,
    );
    const expected = this.#model.deliveries
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(
        ({ body, mailbox, state, handledBy, redelivered }) =>
          `${body} to ${mailbox} ${state} [${handledBy ?? "-"}]${redelivered ? " again" : ""}`,
      );
    expect(real).toEqual(expected);
    expect(this.desk.failures).toEqual([]);
  }

  /** Everything that a terminal can take is typed once, and everything else can be received once. */
  async rest(): Promise<void> {
    const { desk } = this;
    await this.#closeEars();
    this.#terminals.rest();
    await desk.advance(this.#terminals.any ? 120_000 : 0);
    await this.#check();
    this.#terminals.checkTyped(this.#everything());
    const letters = desk.store.read.unmatchedAfter(0, MOST_STORED).map(({ message }) => message.body);
    expect(letters).toEqual(this.#model.letters.map(({ body }) => body));
    for (const address of new Set(this.#model.deliveries.map(({ mailbox }) => mailbox))) {
      const reader = this.#reader(address);
      if (reader === undefined) continue;
      const { messages } = await desk.use.receive({ ...reader, claims: OWNER });
      const expected = this.#model.waiting(address);
      expect(messages.map(shownMessage)).toEqual(expected.map((one) => shownPush(one, this.#model)));
      for (const delivery of expected) delivery.state = "delivered";
    }
    await this.#check();
  }
}

async function refusal(asking: Promise<unknown>): Promise<string | undefined> {
  try {
    await asking;
    return undefined;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefined) throw error;
    return code;
  }
}
