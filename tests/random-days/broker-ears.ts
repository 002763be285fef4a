/** The listeners of a random day at the broker: what each may get, and what becomes of what it takes. */
import { expect } from "vitest";
import type { Address } from "../../src/core/message.ts";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import type { ListenRequest } from "../../src/wire/verbs/broker.ts";
import type { Desk } from "../desk/desk.ts";
import type { ListenerKind } from "./broker-days.ts";
import type { BrokerModel, ModelDelivery } from "./broker-model.ts";

export interface Ear {
  readonly mailbox: Address;
  readonly how: ListenerKind;
  readonly heard: BrokerMessage[];
  /** What a listener that does not consume must get, according to the model. */
  readonly expected: string[];
  /** Pushes that it has not answered yet. */
  readonly pending: ((outcome: "gone") => void)[];
  /** It gets no other push until it has answered. */
  busy: boolean;
  close: () => void;
}

export class Ears {
  readonly #desk: Desk;
  readonly #model: BrokerModel;
  #all: readonly Ear[] = [];
  /** Pushes to consumers, in order. */
  readonly #pushes: { readonly ear: Ear; readonly message: BrokerMessage }[] = [];
  /** Mailboxes that got a message or a consumer. */
  readonly #touched = new Set<Address>();

  constructor(desk: Desk, model: BrokerModel) {
    this.#desk = desk;
    this.#model = model;
  }

  get all(): readonly Ear[] {
    return this.#all;
  }

  async open(request: ListenRequest, mailbox: Address, how: ListenerKind): Promise<void> {
    const ear: Ear = {
      how,
      mailbox,
      heard: [],
      expected: [],
      pending: [],
      busy: false,
      close: () => {},
    };
    const { close } = await this.#desk.office.streams.listen(
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
    ear.close = close;
    this.#all = [...this.#all, ear];
    this.#touched.add(mailbox);
  }

  close(ear: Ear): void {
    ear.close();
    for (const answer of ear.pending.splice(0)) answer("gone");
    this.#leaves(ear);
    this.#touched.add(ear.mailbox);
  }

  /** The daemon dies, and its listeners' connections with it. */
  die(): void {
    for (const ear of this.#all) this.#leaves(ear);
  }

  /** Listeners that do not consume get it. */
  came(deliveries: readonly ModelDelivery[]): void {
    for (const delivery of deliveries) {
      this.#touched.add(delivery.mailbox);
      for (const ear of this.#all)
        if (ear.how === "hears" && delivery.mailbox === ear.mailbox)
          ear.expected.push(shownPush(delivery, this.#model));
    }
  }

  /** Any of several consumers may get it; but it must have been waiting, and be marked correctly. */
  follow(): void {
    for (const { ear, message } of this.#pushes.splice(0)) {
      const delivery = this.#model.waiting(ear.mailbox).find(({ body }) => body === message.body);
      if (delivery === undefined) throw new Error(`${message.body} does not wait in ${ear.mailbox}`);
      expect(shownMessage(message)).toBe(shownPush(delivery, this.#model));
      delivery.state = ear.how === "consumes" ? "delivered" : "delivering";
      delivery.hand = ear;
      ear.busy = ear.how === "slow";
      if (ear.how === "leaves") this.#leaves(ear);
    }
    for (const mailbox of this.#touched) this.#checkNothingWaits(mailbox);
    this.#touched.clear();
    for (const ear of this.#all) checkHeard(ear);
  }

  /** If a free consumer would take it. */
  #checkNothingWaits(mailbox: Address): void {
    const isFree = (ear: Ear) => ear.mailbox === mailbox && ear.how !== "hears" && !ear.busy;
    if (!this.#all.some(isFree)) return;
    const waiting = this.#model.waiting(mailbox).map(({ body }) => `${body} waits in ${mailbox}`);
    expect(waiting).toEqual([]);
  }

  #leaves(ear: Ear): void {
    checkHeard(ear);
    this.#all = this.#all.filter((one) => one !== ear);
    for (const delivery of this.#model.deliveries) {
      if (delivery.state !== "delivering" || delivery.hand !== ear) continue;
      delivery.state = "queued";
      delivery.redelivered = true;
    }
  }
}

function checkHeard({ heard, expected }: Ear): void {
  expect(heard.map(shownMessage)).toEqual(expected);
}

/** As the reader gets it: the message, who handled an agent's copy, and whether it may have been seen before. */
export function shownPush(
  { body, mailbox, handledBy, redelivered }: ModelDelivery,
  model: BrokerModel,
): string {
  const handled = mailbox.startsWith("agent/") ? ` ${handledBy !== undefined}` : "";
  const by = (handledBy ?? [])
    .filter((id) => model.sessions.some((session) => session.id === id))
    .map((id) => model.shown(id));
  return `${body}${handled} [${by.toSorted()}]${redelivered ? " again" : ""}`;
}

export function shownMessage({ body, handled, handledBy, redelivered }: BrokerMessage): string {
  const flag = handled === undefined ? "" : ` ${handled}`;
  const by = (handledBy ?? []).map(({ agentId, sessionId }) => `${agentId}:${sessionId}`);
  return `${body}${flag} [${by.toSorted()}]${redelivered === true ? " again" : ""}`;
}
