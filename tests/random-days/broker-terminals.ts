/** The programs of a random day at the broker: they start, work, end and resume; their couriers type to them. */
import { expect } from "vitest";
import type { Address } from "../../src/core/message.ts";
import type { Item } from "../../src/ports/store.ts";
import type { DeskAgent } from "../desk/agent.ts";
import type { Desk } from "../desk/desk.ts";
import type { BrokerModel } from "./broker-model.ts";

interface Terminal {
  agent: DeskAgent;
  readonly folder: string;
  /** Continues when the program is started again. */
  readonly conversation: string;
}

/** Stands for a courier, as opposed to a listener. */
export const COURIER = {};

export class Terminals {
  readonly #desk: Desk;
  readonly #model: BrokerModel;
  readonly #all: Terminal[] = [];
  readonly #programs: DeskAgent[] = [];

  constructor(desk: Desk, model: BrokerModel) {
    this.#desk = desk;
    this.#model = model;
  }

  get any(): boolean {
    return this.#programs.length > 0;
  }

  start(folder: string, conversation: string): void {
    const registry = { programSessionId: conversation };
    const agent = this.#desk.agent(folder, { program: "recalling", registry });
    this.#programs.push(agent);
    const known = this.#all.find((terminal) => terminal.conversation === conversation);
    if (known === undefined) this.#all.push({ agent, folder, conversation });
    else known.agent = agent;
  }

  /** The registrar decides which sessions programs have. */
  learnSessions(): void {
    for (const { agent } of this.#all) {
      if (agent.process === "gone") continue;
      const id = this.#desk.sessionOf(agent);
      this.#model.begins(id, this.#desk.store.read.session(id)?.agent ?? "");
    }
  }

  /** One whose program runs. */
  running(at: number): DeskAgent | undefined {
    const running = this.#all.filter(({ agent }) => agent.process !== "gone");
    return running[at % Math.max(1, running.length)]?.agent;
  }

  async end(at: number): Promise<void> {
    const agent = this.running(at);
    if (agent === undefined) return;
    this.#model.ends(this.#desk.sessionOf(agent));
    this.#desk.ends(agent);
    await this.#desk.done(this.#desk.use.ls({}));
  }

  async resume(at: number): Promise<void> {
    const gone = this.#all.filter(({ agent }) => agent.process === "gone");
    const terminal = gone[at % Math.max(1, gone.length)];
    if (terminal === undefined) return;
    this.start(terminal.folder, terminal.conversation);
    await this.#desk.done(this.#desk.use.ls({}));
    this.learnSessions();
  }

  rest(): void {
    for (const { agent } of this.#all) agent.program.becomes({ busy: false });
  }

  /** A courier takes a message when its terminal is ready. The model does not know when, but knows whether it may. */
  follow(stored: readonly Item[]): void {
    if (!this.any) return;
    const bySequence = new Map(stored.map(({ delivery }) => [delivery.sequence, delivery]));
    for (const delivery of this.#model.deliveries) {
      const real = bySequence.get(delivery.sequence);
      if (real === undefined) throw new Error(`${delivery.body} lost a delivery`);
      const isCouriers = delivery.state !== "delivering" || delivery.hand === COURIER;
      const open = ["queued", "delivering", "unconfirmed"].includes(delivery.state);
      if (!open || !isCouriers || real.state === delivery.state) continue;
      if (real.state === "queued" && delivery.hand === COURIER) {
        // The daemon died while typing: the message waits again.
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

  /** At the end: each was typed as often as recorded, and nothing is left that could be typed. */
  checkTyped(stored: readonly Item[]): void {
    const prompts = this.#programs.flatMap(({ program }) => program.submitted);
    for (const shortId of new Set(stored.map(({ message }) => message.shortId))) {
      const deliveries = stored
        .filter(({ message }) => message.shortId === shortId)
        .map(({ delivery }) => delivery);
      const typed = deliveries.filter(
        ({ transport, evidence }) => transport === "paste" && evidence !== undefined,
      );
      if (!deliveries.some(({ possibleDuplicate }) => possibleDuplicate))
        expect(prompts.filter((prompt) => prompt.includes(`#${shortId}]`))).toHaveLength(typed.length);
      const left = deliveries.filter(
        ({ to, state, handledBy }) => state === "queued" && handledBy === undefined && this.#serves(to),
      );
      expect(left.map(({ id, to }) => `${id} waits in ${to}`)).toEqual([]);
    }
  }

  #serves(mailbox: Address): boolean {
    const waiting = this.#model.sessions.find(({ id }) => mailbox === `session/${id}`);
    const forAgent = waiting?.name === "main" && !waiting.live ? `agent/${waiting.agent}` : mailbox;
    return this.#model.sessions.some(
      ({ id, agent, live }) => live && (mailbox === `session/${id}` || forAgent === `agent/${agent}`),
    );
  }
}
