/** What a person does to the queue: cancel, let through, keep back, move, pause. It never types. */
import { splitAddress } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import type { Delivery } from "../core/message.ts";
import { LADDER } from "../core/priority.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import type { Queries } from "./queries.ts";
import type { StateWatch } from "./state-watch.ts";

export class QueueChanges {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #queries: Queries;
  readonly #states: StateWatch;

  constructor(parts: {
    readonly context: OfficeContext;
    readonly directory: Directory;
    readonly queries: Queries;
    readonly states: StateWatch;
  }) {
    this.#context = parts.context;
    this.#directory = parts.directory;
    this.#queries = parts.queries;
    this.#states = parts.states;
  }

  async cancel(id: string): Promise<Delivery> {
    return this.#change(id, (tx, { delivery }) => {
      tx.appendReceipt(delivery.id, {
        at: this.#context.clock.now(),
        state: "cancelled",
        note: "by hand",
      });
      return tx.updateDelivery(delivery.id, { state: "cancelled", hold: null });
    });
  }

  async letThrough(id: string): Promise<Delivery> {
    return this.#change(id, (tx, { delivery }) => tx.updateDelivery(delivery.id, { release: "now" }));
  }

  async keepBack(id: string): Promise<Delivery> {
    return this.#change(id, (tx, { delivery }) => tx.updateDelivery(delivery.id, { release: "withheld" }));
  }

  async move(id: string, before: string): Promise<Delivery> {
    const target = this.#queries.delivery(before).delivery;
    return this.#change(id, (tx, { delivery }) => {
      const anchor = queuedNow(tx, target, before);
      if (anchor.to !== delivery.to || anchor.priority !== delivery.priority) {
        throw new BellhopError("usage.invalid", {
          message: "Both messages must wait in the same mailbox with the same priority.",
          next: `See them with "bellhop queue".`,
        });
      }
      const lastFirst = LADDER[anchor.priority].order === "last-in-first-out";
      const beyond = (position: number): boolean =>
        lastFirst ? position > anchor.position : position < anchor.position;
      const earlier = tx
        .deliveries({ mailboxes: [delivery.to], states: ["queued"], priority: anchor.priority })
        .map((item) => item.delivery.position)
        .filter(beyond);
      const previous = lastFirst
        ? Math.min(...earlier, anchor.position + 1)
        : Math.max(...earlier, anchor.position - 1);
      return tx.updateDelivery(delivery.id, { position: (previous + anchor.position) / 2 });
    });
  }

  async pause(who: string, paused: boolean): Promise<string> {
    const address = this.#directory.resolve(who);
    const { kind, rest } = splitAddress(address);
    const name =
      kind === "agent"
        ? rest
        : kind === "session"
          ? this.#context.store.read.session(rest)?.agent
          : undefined;
    return this.#context.store.write((tx) => {
      const agent = name === undefined ? undefined : tx.agent(name);
      if (agent === undefined) {
        throw new BellhopError("agent.unknown", {
          message: `"${who}" is no agent.`,
          next: `See who is there with "bellhop ls".`,
        });
      }
      tx.putAgent({ ...agent, paused });
      return agent.name;
    });
  }

  async #change(id: string, change: (tx: StoreWriter, item: Item) => Delivery): Promise<Delivery> {
    const item = this.#queries.delivery(id);
    const changed = await this.#context.store.write((tx) =>
      change(tx, { ...item, delivery: queuedNow(tx, item.delivery, id) }),
    );
    this.#states.changed([item.message.id]);
    return changed;
  }
}

function queuedNow(tx: StoreWriter, delivery: Delivery, id: string): Delivery {
  const now = tx.findDelivery(delivery.id);
  if (now?.state === "queued") return now;
  throw new BellhopError("delivery.not_queued", {
    message: `"${id}" does not wait any more: it is ${now?.state ?? "gone"}.`,
    next: `See what became of it with "bellhop show ${id}".`,
  });
}
