/** The senders of a random day at the broker: whom each message reaches, and what becomes of those that reach nobody. */
import { expect } from "vitest";
import type { Delivery } from "../../src/core/message.ts";
import { isLoopReason } from "../../src/core/routing/loop-breaker.ts";
import type { RouteResponse } from "../../src/wire/shapes/broker.ts";
import type { Claims } from "../../src/wire/verbs/claims.ts";
import { OWNER, tokenOf } from "../desk/broker-verbs.ts";
import type { Desk } from "../desk/desk.ts";
import { type BrokerHappening, PATHS, pick } from "./broker-days.ts";
import type { Ears } from "./broker-ears.ts";
import type { BrokerModel, ModelSender } from "./broker-model.ts";
import type { Terminals } from "./broker-terminals.ts";

export class Senders {
  readonly #desk: Desk;
  readonly #model: BrokerModel;
  readonly #terminals: Terminals;
  readonly #ears: Ears;
  /** By body, which is unique. */
  readonly #messages = new Map<string, string>();

  constructor(desk: Desk, model: BrokerModel, terminals: Terminals, ears: Ears) {
    this.#desk = desk;
    this.#model = model;
    this.#terminals = terminals;
    this.#ears = ears;
  }

  idOf(body: string): string {
    return this.#messages.get(body) ?? "";
  }

  async route(happening: Extract<BrokerHappening, { path: number }>): Promise<void> {
    const { sender, request, path, body } = this.#sending(happening);
    const send = () => this.#desk.done(this.#desk.use.route({ ...request, idempotencyKey: body }));
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
      const { agent } = this.#model.session(this.#desk.sessionOf(terminal));
      const claims = { user: "dev", tmux: { socket: server, pane } };
      return { sender: { address: `agent/${agent}`, agent }, claims };
    }
    const agent = this.#model.anAgent(by);
    return { sender: { address: `agent/${agent}`, agent }, claims: tokenOf(agent) };
  }

  /** The answer, the stored deliveries and the model must agree. */
  #routed(sender: ModelSender, path: string, body: string, sent: RouteResponse): void {
    const model = this.#model;
    this.#messages.set(body, sent.messageId);
    model.answers(sender, path);
    const parked = sent.reason !== undefined && isLoopReason(sent.reason);
    if (parked) expect(this.#desk.store.read.message(sent.messageId)?.hops).toBeGreaterThanOrEqual(2);
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

  async reroute(): Promise<void> {
    const model = this.#model;
    const answer = await this.#desk.done(this.#desk.use.unmatched_reroute({}));
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

  async dieSending(
    happening: Extract<BrokerHappening, { do: "die-sending" }>,
    startAgain: () => Promise<void>,
  ): Promise<void> {
    const { sender, request, path, body } = this.#sending(happening);
    const step = happening.at;
    this.#desk.crashAt(step);
    await expect(this.#desk.done(this.#desk.use.route({ ...request, idempotencyKey: body }))).rejects.toThrow(
      `killed at ${step}`,
    );
    await startAgain();
    // A sender without an answer repeats the request with the same key: the message is stored once.
    const sent = await this.#desk.done(this.#desk.use.route({ ...request, idempotencyKey: body }));
    await this.#desk.work.settle();
    this.#routed(sender, path, body, sent);
  }

  #stored(body: string): readonly Delivery[] {
    return this.#desk.store.read.deliveriesOf(this.idOf(body));
  }
}
