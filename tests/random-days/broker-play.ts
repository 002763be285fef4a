/** Plays one day twice: on the office of a desk, and on the model. After each event both must agree. */
import { expect } from "vitest";
import type { AgentName } from "../../src/core/message.ts";
import type { Item } from "../../src/ports/store.ts";
import { OWNER } from "../desk/broker-verbs.ts";
import { type Desk, deskWithoutEnd } from "../desk/desk.ts";
import { AGENTS, type BrokerCast, type BrokerHappening, pick, SESSIONS } from "./broker-days.ts";
import { Ears } from "./broker-ears.ts";
import { BrokerModel, type ModelSession } from "./broker-model.ts";
import { Readers } from "./broker-readers.ts";
import { refusal } from "./broker-refusal.ts";
import { Senders } from "./broker-senders.ts";
import { Subscribers } from "./broker-subscribers.ts";
import { Terminals } from "./broker-terminals.ts";

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
  readonly #subscribers: Subscribers;
  readonly #senders: Senders;
  readonly #readers: Readers;

  constructor(desk: Desk) {
    this.desk = desk;
    desk.settings = { ...desk.settings, maxBatch: 1 };
    this.#terminals = new Terminals(desk, this.#model);
    this.#ears = new Ears(desk, this.#model);
    this.#model.isHeard = (mailbox) => this.#ears.all.some((ear) => ear.mailbox === mailbox);
    this.#subscribers = new Subscribers(desk, this.#model);
    this.#senders = new Senders(desk, this.#model, this.#terminals, this.#ears);
    this.#readers = new Readers(desk, this.#model);
  }

  async begin({ terminals }: BrokerCast): Promise<void> {
    for (let number = 1; number <= terminals; number += 1) this.#terminals.start(`t${number}`, `c${number}`);
    await (terminals === 0 ? this.desk.open() : this.desk.ready());
    this.#terminals.learnSessions();
    // The last agent stays, so that there always is one.
    for (const name of ["a", "b", "z"]) {
      await this.desk.use.agent_add({ name });
      await this.#added(name);
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
        if (answer === undefined) await this.#added(name);
        return;
      }
      case "remove-agent":
        return this.#remove(pick(AGENTS, happening.who));
      case "add-session": {
        const agent = model.anAgent(happening.who);
        await this.#session(agent, pick(SESSIONS, happening.session) ?? "s");
        return;
      }
      case "subscribe":
      case "unsubscribe":
        return this.#subscribers.subscribe(happening);
      case "give-up":
        return this.#subscribers.giveUp(happening.pattern);
      case "route":
      case "route-twice":
        return this.#senders.route(happening);
      case "receive":
        return this.#readers.receive(happening);
      case "history":
        return this.#readers.history(happening);
      case "acknowledge":
        return this.#readers.acknowledge(happening.at, (body) => this.#senders.idOf(body));
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
        return this.#senders.reroute();
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
        return this.#senders.dieSending(happening, () => this.#start());
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

  /** Adds an agent with a main session, before any program runs for it. */
  async #added(name: AgentName): Promise<void> {
    this.#model.agents.add(name);
    const { sessions } = await this.desk.use.agent_show({ name });
    expect(sessions).toMatchObject([{ name: "main", isDefault: true }]);
    this.#model.made(sessions[0]?.id ?? "", name, "main");
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

  async #listen(happening: Extract<BrokerHappening, { do: "listen" }>): Promise<void> {
    const { request, address } = this.#readers.mailbox(happening);
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

  async #start(): Promise<void> {
    this.#ears.die();
    await this.desk.open();
  }

  /** Everything that is stored, except Bellhop's own messages. */
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
    await this.#readers.emptyAll();
    await this.#check();
  }
}
