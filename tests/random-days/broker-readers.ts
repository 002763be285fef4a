/** The readers of a random day at the broker: what they receive by hand, look up again and acknowledge. */
import { expect } from "vitest";
import type { Address, AgentName, DeliveryState } from "../../src/core/message.ts";
import { OWNER } from "../desk/broker-verbs.ts";
import type { Desk } from "../desk/desk.ts";
import { type BrokerHappening, pick, SESSIONS } from "./broker-days.ts";
import { shownMessage, shownPush } from "./broker-ears.ts";
import type { BrokerModel } from "./broker-model.ts";
import { refusal } from "./broker-refusal.ts";
import { COURIER } from "./broker-terminals.ts";

export class Readers {
  readonly #desk: Desk;
  readonly #model: BrokerModel;

  constructor(desk: Desk, model: BrokerModel) {
    this.#desk = desk;
    this.#model = model;
  }

  /** The mailbox that two numbers choose; no address if there is none. */
  mailbox({ who, session }: { readonly who: number; readonly session: number }) {
    const agent = this.#model.anAgent(who);
    const name = pick(SESSIONS, session);
    const found = name === undefined ? undefined : this.#model.find(agent, name);
    return {
      request: { agent, claims: OWNER, ...(name === undefined ? {} : { session: name }) },
      address:
        name === undefined ? `agent/${agent}` : found === undefined ? undefined : `session/${found.id}`,
    };
  }

  async receive(happening: Extract<BrokerHappening, { limit: number }>): Promise<void> {
    const { request, address } = this.mailbox(happening);
    const asking = this.#desk.use.receive({ ...request, limit: happening.limit });
    if (address === undefined) return void expect(await refusal(asking)).toBe("session.unknown");
    const { messages } = await asking;
    const expected = this.#model.waiting(address).slice(0, happening.limit);
    expect(messages.map(shownMessage)).toEqual(expected.map((delivery) => shownPush(delivery, this.#model)));
    expect(messages.every(({ status }) => status === "delivered")).toBe(true);
    for (const delivery of expected) delivery.state = "delivered";
  }

  async history(happening: Extract<BrokerHappening, { limit: number }>): Promise<void> {
    const { request, address } = this.mailbox(happening);
    if (address === undefined) return;
    const { messages } = await this.#desk.use.mailbox_history({ ...request, limit: happening.limit });
    const expected = this.#model.deliveries
      .filter(({ mailbox }) => mailbox === address)
      .toSorted((a, b) => a.sequence - b.sequence)
      .slice(-happening.limit);
    expect(messages.map(({ body, status }) => `${body} ${status}`)).toEqual(
      expected.map(({ body, state }) => `${body} ${statusOf(state)}`),
    );
  }

  async acknowledge(at: number, idOf: (body: string) => string): Promise<void> {
    const known = this.#model.deliveries.filter(({ mailbox }) => this.#reader(mailbox) !== undefined);
    const meant = known[at % Math.max(1, known.length)];
    const reader = meant === undefined ? undefined : this.#reader(meant.mailbox);
    if (meant === undefined || reader === undefined) return;
    // An agent that took the name of a removed one may have it twice.
    const copies = known.filter(({ body, mailbox }) => body === meant.body && mailbox === meant.mailbox);
    for (const delivery of copies) {
      const typing = delivery.state === "delivering" && delivery.hand === COURIER;
      const open = ["queued", "delivering", "delivered", "unconfirmed"].includes(delivery.state);
      if (open && !typing) delivery.state = "read";
    }
    const id = idOf(meant.body);
    const { states } = await this.#desk.use.ack({ id, claims: OWNER, ...reader });
    expect(states.toSorted()).toEqual(copies.map(({ state }) => state).toSorted());
  }

  #reader(mailbox: Address): { readonly agent: AgentName; readonly session?: string } | undefined {
    const [root, rest = ""] = mailbox.split("/");
    if (root === "agent") return this.#model.agents.has(rest) ? { agent: rest } : undefined;
    const session = this.#model.sessions.find(({ id }) => id === rest);
    return session === undefined ? undefined : { agent: session.agent, session: session.id };
  }

  /** Every waiting message can be received once. */
  async emptyAll(): Promise<void> {
    for (const address of new Set(this.#model.deliveries.map(({ mailbox }) => mailbox))) {
      const reader = this.#reader(address);
      if (reader === undefined) continue;
      const { messages } = await this.#desk.use.receive({ ...reader, claims: OWNER });
      const expected = this.#model.waiting(address);
      expect(messages.map(shownMessage)).toEqual(expected.map((one) => shownPush(one, this.#model)));
      for (const delivery of expected) delivery.state = "delivered";
    }
  }
}

/** As the protocol's specification says. */
function statusOf(state: DeliveryState): string {
  if (state === "queued" || state === "delivering") return "pending";
  return state === "expired" || state === "cancelled" || state === "failed" ? state : "delivered";
}
