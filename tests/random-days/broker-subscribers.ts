/** The subscribers of a random day at the broker: agents and sessions subscribe and unsubscribe. */
import { expect } from "vitest";
import type { AgentName } from "../../src/core/message.ts";
import { OWNER } from "../desk/broker-verbs.ts";
import type { Desk } from "../desk/desk.ts";
import { type BrokerHappening, PATTERNS, pick, SESSIONS } from "./broker-days.ts";
import type { BrokerModel, ModelSession } from "./broker-model.ts";
import { refusal } from "./broker-refusal.ts";

export class Subscribers {
  readonly #desk: Desk;
  readonly #model: BrokerModel;

  constructor(desk: Desk, model: BrokerModel) {
    this.#desk = desk;
    this.#model = model;
  }

  async subscribe(happening: Extract<BrokerHappening, { pattern: number }>): Promise<void> {
    const model = this.#model;
    const agent = model.anAgent(happening.who);
    const name = pick(SESSIONS, happening.session);
    const pattern = pick(PATTERNS, happening.pattern);
    const request = { agent, pattern, claims: OWNER, ...(name === undefined ? {} : { session: name }) };
    const known = name === undefined ? undefined : model.find(agent, name);
    if (happening.do === "subscribe") {
      const { subscriptions } = await this.#desk.use.sub_add(request);
      const owner = this.#owner(agent, name, known);
      model.subscribe(owner, pattern);
      expect(subscriptions.map((one) => one.pattern).toSorted()).toEqual(model.patternsOf(owner).toSorted());
      return;
    }
    const answer = await refusal(this.#desk.use.sub_remove(request));
    if (name !== undefined && known === undefined) return void expect(answer).toBe("session.unknown");
    const owner = this.#owner(agent, name, known);
    if (owner.kind === "agent" && pattern === `agent/${agent}`)
      return void expect(answer).toBe("pattern.own");
    expect(answer).toBe(model.unsubscribe(owner, pattern) ? undefined : "pattern.unknown");
  }

  async giveUp(at: number): Promise<void> {
    const model = this.#model;
    const one = model.subscriptions[at % Math.max(1, model.subscriptions.length)];
    if (one === undefined) return;
    const { owner, pattern } = one;
    const whose =
      owner.kind === "agent"
        ? { agent: owner.agent }
        : { agent: model.session(owner.id).agent, session: owner.id };
    await this.#desk.use.sub_remove({ ...whose, pattern, claims: OWNER });
    expect(model.unsubscribe(owner, pattern)).toBe(true);
  }

  #owner(agent: AgentName, name: string | undefined, known: ModelSession | undefined) {
    if (name === undefined) return { kind: "agent", agent } as const;
    const id = known?.id ?? this.#desk.store.read.sessionByName(agent, name)?.id ?? "";
    if (known === undefined) this.#model.made(id, agent, name);
    return { kind: "session", id } as const;
  }
}
