/** Plays one day twice: to the office over a desk, and to the model. After each happening both must say the same. */
import { expect } from "vitest";
import { LOOP_REASONS } from "../src/core/loop-breaker.ts";
import type { Address, AgentName, Delivery, SessionId } from "../src/core/message.ts";
import type { Item } from "../src/ports/store.ts";
import type { BrokerMessage, Claims, RouteResponse } from "../src/wire/shapes.ts";
import type { BrokerCast, BrokerHappening, DyingStep, ListenerKind } from "./broker-days.ts";
import { BrokerModel, type ModelDelivery, type ModelSender, type ModelSession } from "./broker-model.ts";
import { OWNER, tokenOf } from "./office-broker.ts";
import { type Desk, type DeskAgent, deskWithoutEnd } from "./office-desk.ts";

const MOST_STORED = 10_000;
/** Whose hands are no listener's. */
const COURIER = {};
const NAMES = ["a", "b", "c", "t1", "t2"];
const SESSIONS = [undefined, "s", undefined, "main", "s2"];
const PATTERNS = [
  ...["x/1", "x/*", "x/**", "*/1", "**", "agent/a", "agent/*", "agent/**", "slack/**", "slack/*/#general"],
  ...["session/*", "person/*", "y/2/**", "**/1", "agent/t1", "x/*/deep", "agent/b/**", "slack/team/*"],
];
const PATHS = [
  ...["x/1", "x/2", "x/1/deep", "agent/a", "agent/b", "agent/**", "agent/*", "**", "slack/team/#general"],
  ...["y/2", "person/dev", "x/*", "x/**", "agent/t1", "agent/c", "agent", "*/1", "slack/**", "agent/a/b"],
];

interface Terminal {
  agent: DeskAgent;
  readonly folder: string;
  readonly conversation: string;
}

interface Ear {
  readonly mailbox: Address;
  readonly how: ListenerKind;
  readonly heard: BrokerMessage[];
  /** What the model says that one which only hears does hear. */
  readonly expected: string[];
  /** Its answers that are still out. */
  readonly pending: ((outcome: "gone") => void)[];
  /** It takes no other until it has answered. */
  busy: boolean;
  close: () => void;
}

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
  readonly #terminals: Terminal[] = [];
  #ears: Ear[] = [];
  /** By body, which every message has for its own. */
  readonly #messages = new Map<string, string>();
  readonly #programs: DeskAgent[] = [];
  /** To those that consume, in order. */
  readonly #pushes: { readonly ear: Ear; readonly message: BrokerMessage }[] = [];
  /** Mailboxes to which something came, or whose consumers did. */
  readonly #touched = new Set<Address>();

  constructor(desk: Desk) {
    this.desk = desk;
    desk.settings = { ...desk.settings, maxBatch: 1 };
  }

  async begin({ terminals }: BrokerCast): Promise<void> {
    for (let number = 1; number <= terminals; number += 1) this.#startTerminal(`t${number}`, `c${number}`);
    await (terminals === 0 ? this.desk.open() : this.desk.ready());
    this.#learnSessions();
    // The last of them stays: somebody is always there.
    for (const name of ["a", "b", "z"]) {
      await this.desk.use.agent_add({ name });
      this.#model.agents.add(name);
    }
  }

  #startTerminal(folder: string, conversation: string): void {
    const registry = { programSessionId: conversation };
    const agent = this.desk.agent(folder, { program: "recalling", registry });
    this.#programs.push(agent);
    const known = this.#terminals.find((terminal) => terminal.conversation === conversation);
    if (known === undefined) this.#terminals.push({ agent, folder, conversation });
    else known.agent = agent;
  }

  /** Which sessions programs have is the registrar's to say. */
  #learnSessions(): void {
    for (const { agent } of this.#terminals) {
      if (agent.process === "gone") continue;
      const id = this.desk.sessionOf(agent);
      this.#model.begins(id, this.desk.store.read.session(id)?.agent ?? "");
    }
  }

  async let(happening: BrokerHappening): Promise<void> {
    await this.#happen(happening);
    await this.#check();
  }

  async #check(): Promise<void> {
    await this.desk.work.settle();
    const stored = this.#everything();
    this.#followConsumers();
    this.#followCouriers(stored);
    this.#compare(stored);
  }

  async #happen(happening: BrokerHappening): Promise<void> {
    const { desk } = this;
    const model = this.#model;
    switch (happening.do) {
      case "add-agent": {
        const name = pick(NAMES, happening.who);
        const answer = await refusal(desk.use.agent_add({ name }));
        expect(answer).toBe(model.agents.has(name) ? "agent.exists" : undefined);
        model.agents.add(name);
        return;
      }
      case "remove-agent":
        return this.#remove(pick(NAMES, happening.who));
      case "add-session": {
        const agent = this.#anAgent(happening.who);
        await this.#session(agent, pick(SESSIONS, happening.session) ?? "s");
        return;
      }
      case "subscribe":
      case "unsubscribe":
        return this.#subscribe(happening);
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
        const ear = this.#ears[happening.at % Math.max(1, this.#ears.length)];
        if (ear !== undefined) await this.#close(ear);
        return;
      }
      case "rename":
        return this.#rename(happening.at, pick([...NAMES, "new"], happening.name));
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
        for (const ear of [...this.#ears]) await this.#close(ear);
        await desk.done(desk.office.close());
        return this.#start();
      case "kill":
        return this.#start();
      case "die-sending":
        return this.#dieSending(happening);
      case "work":
      case "rest":
        this.#terminal(happening.at)?.agent.program.becomes({ busy: happening.do === "work" });
        return;
      case "end":
        return this.#end(happening.at);
      case "resume":
        return this.#resume(happening.at);
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
    const terminal = this.#terminal(by);
    if (by % 5 === 0) return { sender: { address: "person/dev" }, claims: OWNER };
    if (by % 5 === 1) {
      const sender = { address: "program/slack-bridge", outside: true };
      return { sender, claims: OWNER, from: "slack-bridge", channel: "slack" };
    }
    if (by % 5 === 2 && terminal !== undefined) {
      const { server, pane } = terminal.agent.sighting.identity;
      const { agent } = this.#model.session(this.desk.sessionOf(terminal.agent));
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
    expect(sent.deliveredToSessions.map(shown).toSorted()).toEqual(
      sessions.map((to) => this.#shownSession(to.slice("session/".length))).toSorted(),
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

  /** Who only listens hears it. */
  #came(body: string): void {
    for (const delivery of this.#model.deliveries) {
      if (delivery.body !== body) continue;
      this.#touched.add(delivery.mailbox);
      for (const ear of this.#ears)
        if (ear.how === "hears" && delivery.mailbox === ear.mailbox)
          ear.expected.push(this.#pushed(delivery));
    }
  }

  /** Which of several that consume gets it is theirs to say; that it was there to be had, and is marked, is not. */
  #followConsumers(): void {
    for (const { ear, message } of this.#pushes.splice(0)) {
      const delivery = this.#model.deliveries.find(
        ({ body, mailbox }) => body === message.body && mailbox === ear.mailbox,
      );
      if (delivery === undefined) throw new Error(`${message.body} was pushed to ${ear.mailbox}`);
      expect(delivery.state, `${delivery.body} was pushed`).toBe("queued");
      expect(received(message)).toBe(this.#pushed(delivery));
      delivery.state = ear.how === "consumes" ? "delivered" : "delivering";
      delivery.hand = ear;
      ear.busy = ear.how === "slow";
      if (ear.how === "leaves") this.#leaves(ear);
    }
    // Nothing waits where somebody would take it.
    for (const mailbox of this.#touched) {
      const free = this.#ears.some((ear) => ear.mailbox === mailbox && ear.how !== "hears" && !ear.busy);
      if (free)
        expect(this.#model.waiting(mailbox).map(({ body }) => `${body} waits in ${mailbox}`)).toEqual([]);
    }
    this.#touched.clear();
  }

  #leaves(ear: Ear): void {
    this.#ears = this.#ears.filter((one) => one !== ear);
    for (const delivery of this.#model.deliveries) {
      if (delivery.state !== "delivering" || delivery.hand !== ear) continue;
      delivery.state = "queued";
      delivery.redelivered = true;
    }
  }

  #pushed({ body, mailbox, handledBy, redelivered }: ModelDelivery): string {
    const handled = mailbox.startsWith("agent/") ? ` ${handledBy !== undefined}` : "";
    const by = (handledBy ?? [])
      .filter((id) => this.#model.sessions.some((session) => session.id === id))
      .map((id) => this.#shownSession(id));
    return `${body}${handled} [${by.toSorted()}]${redelivered ? " again" : ""}`;
  }

  #shownSession(id: SessionId): string {
    const { agent, name } = this.#model.session(id);
    return `${agent}:${name ?? id}`;
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
    expect(messages.map(received)).toEqual(expected.map((delivery) => this.#pushed(delivery)));
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
    const delivery = known[at % Math.max(1, known.length)];
    if (delivery === undefined) return;
    const reader = this.#reader(delivery.mailbox);
    const typing = delivery.state === "delivering" && delivery.hand === COURIER;
    const states = ["queued", "delivering", "delivered", "unconfirmed"];
    if (states.includes(delivery.state) && !typing) delivery.state = "read";
    const id = this.#messages.get(delivery.body) ?? "";
    const { states: answered } = await this.desk.use.ack({
      id,
      claims: OWNER,
      ...reader,
      agent: reader?.agent ?? "",
    });
    expect(answered).toEqual([delivery.state]);
  }

  #reader(mailbox: Address): { readonly agent: AgentName; readonly session?: string } | undefined {
    const [root, rest = ""] = mailbox.split("/");
    if (root === "agent") return this.#model.agents.has(rest) ? { agent: rest } : undefined;
    const session = this.#model.sessions.find(({ id }) => id === rest);
    return session === undefined ? undefined : { agent: session.agent, session: session.id };
  }

  async #listen(happening: Extract<BrokerHappening, { do: "listen" }>): Promise<void> {
    const { request, address } = this.#mailbox(happening);
    const { how } = happening;
    const ear: Ear = {
      how,
      mailbox: address ?? "",
      heard: [],
      expected: [],
      pending: [],
      busy: false,
      close: () => {},
    };
    const asking = this.desk.office.streams.listen(
      { ...request, ...(how === "hears" ? {} : { consume: true }) },
      (message) => {
        if (how === "hears") ear.heard.push(message);
        else this.#pushes.push({ ear, message });
        if (how === "leaves") return "gone";
        if (how !== "slow") return Promise.resolve("written");
        return new Promise((resolve) => {
          ear.pending.push(resolve);
        });
      },
    );
    if (address === undefined) return void expect(await refusal(asking)).toBe("session.unknown");
    const { close } = await asking;
    ear.close = close;
    this.#ears.push(ear);
    this.#touched.add(address);
  }

  async #close(ear: Ear): Promise<void> {
    ear.close();
    for (const answer of ear.pending.splice(0)) answer("gone");
    this.#leaves(ear);
    this.#checkEar(ear);
    this.#touched.add(ear.mailbox);
    await this.#check();
  }

  async #rename(at: number, name: AgentName): Promise<void> {
    const terminal = this.#terminal(at);
    if (terminal === undefined) return;
    const model = this.#model;
    const session = model.session(this.desk.sessionOf(terminal.agent));
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
    const step: DyingStep = happening.at;
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
    for (const ear of this.#ears) {
      ear.pending.splice(0);
      this.#leaves(ear);
      this.#checkEar(ear);
    }
    this.#ears = [];
    await this.desk.open();
  }

  async #end(at: number): Promise<void> {
    const terminal = this.#terminal(at);
    if (terminal === undefined) return;
    this.#model.ends(this.desk.sessionOf(terminal.agent));
    this.desk.ends(terminal.agent);
    await this.desk.done(this.desk.use.ls({}));
  }

  async #resume(at: number): Promise<void> {
    const gone = this.#terminals.filter(({ agent }) => agent.process === "gone");
    const terminal = gone[at % Math.max(1, gone.length)];
    if (terminal === undefined) return;
    this.#startTerminal(terminal.folder, terminal.conversation);
    await this.desk.done(this.desk.use.ls({}));
    this.#learnSessions();
  }

  /** One whose program runs. */
  #terminal(at: number): Terminal | undefined {
    const running = this.#terminals.filter(({ agent }) => agent.process !== "gone");
    return running[at % Math.max(1, running.length)];
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

  /** A courier takes when its terminal is ready, which the model does not know; whether it may, it does. */
  #followCouriers(stored: readonly Item[]): void {
    if (this.#programs.length === 0) return;
    const bySequence = new Map(stored.map(({ delivery }) => [delivery.sequence, delivery]));
    for (const delivery of this.#model.deliveries) {
      const real = bySequence.get(delivery.sequence);
      if (real === undefined) throw new Error(`${delivery.body} lost a delivery`);
      const isHis = delivery.state !== "delivering" || delivery.hand === COURIER;
      const open = ["queued", "delivering", "unconfirmed"].includes(delivery.state);
      if (!open || !isHis || real.state === delivery.state) continue;
      if (real.state === "queued" && delivery.hand === COURIER) {
        // Typing was cut off by a death of ours: it waits again.
        delivery.state = "queued";
        delivery.redelivered = real.possibleDuplicate;
      } else if (real.transport === "paste") {
        expect(delivery.handledBy, `${delivery.body} was handled, and typed`).toBeUndefined();
        expect(["delivering", "unconfirmed", "delivered"]).toContain(real.state);
        delivery.state = real.state;
        delivery.hand = COURIER;
      }
    }
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
    for (const ear of this.#ears) this.#checkEar(ear);
    expect(this.desk.failures).toEqual([]);
  }

  #checkEar({ heard, expected }: Ear): void {
    expect(heard.map(received)).toEqual(expected);
  }

  /** Everything that a terminal can take is typed once, and everything else can be received once. */
  async rest(): Promise<void> {
    const { desk } = this;
    for (const ear of [...this.#ears]) await this.#close(ear);
    for (const { agent } of this.#terminals) agent.program.becomes({ busy: false });
    await desk.advance(this.#programs.length === 0 ? 0 : 120_000);
    await this.#check();
    this.#checkTyped();
    const letters = desk.store.read.unmatchedAfter(0, MOST_STORED).map(({ message }) => message.body);
    expect(letters).toEqual(this.#model.letters.map(({ body }) => body));
    const addresses = new Set(this.#model.deliveries.map(({ mailbox }) => mailbox));
    for (const address of addresses) {
      const reader = this.#reader(address);
      if (reader === undefined) continue;
      const { messages } = await desk.use.receive({ ...reader, claims: OWNER });
      expect(messages.map(received)).toEqual(this.#model.waiting(address).map((one) => this.#pushed(one)));
      for (const delivery of this.#model.waiting(address)) delivery.state = "delivered";
    }
    await this.#check();
  }

  #checkTyped(): void {
    const prompts = this.#programs.flatMap(({ program }) => program.submitted);
    for (const [body, id] of this.#messages) {
      const shortId = this.desk.store.read.message(id)?.shortId;
      const copies = prompts.filter((prompt) => prompt.includes(`#${shortId}]`)).length;
      const stored = this.#stored(body);
      const typed = stored.filter(
        ({ transport, evidence }) => transport === "paste" && evidence !== undefined,
      );
      if (!stored.some(({ possibleDuplicate }) => possibleDuplicate))
        expect(copies, `${body} was typed`).toBe(typed.length);
      const left = stored.filter(
        ({ to, state, handledBy }) => state === "queued" && handledBy === undefined && this.#isServed(to),
      );
      expect(left.map(({ to }) => `${body} waits in ${to}`)).toEqual([]);
    }
  }

  #isServed(mailbox: Address): boolean {
    return this.#model.sessions.some(
      ({ id, agent, live }) => live && (mailbox === `session/${id}` || mailbox === `agent/${agent}`),
    );
  }
}

function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length] as T;
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

function shown({ agentId, sessionId }: { readonly agentId: string; readonly sessionId: string }): string {
  return `${agentId}:${sessionId}`;
}

function received({ body, handled, handledBy, redelivered }: BrokerMessage): string {
  const flag = handled === undefined ? "" : ` ${handled}`;
  return `${body}${flag} [${(handledBy ?? []).map(shown).toSorted()}]${redelivered === true ? " again" : ""}`;
}
