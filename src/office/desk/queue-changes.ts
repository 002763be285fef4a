/** What a person does to the queue: cancel, release, hold back and let go on, rank, move, clear, pause. It never types. */
import { splitAddress } from "../../core/address.ts";
import { hostOfMailbox, recipientInWords, recipientThere } from "../../core/cluster/hosts.ts";
import { assertNever, BellhopError } from "../../core/errors.ts";
import type { Address, Delivery, Instant, Priority } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { requirePriority } from "../../core/priority.ts";
import { canStandBeside, placedBeside, type Side } from "../../core/reorder.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import { mayComeBack } from "../cluster/withdrawing.ts";
import type { Ground } from "../presence/ground.ts";
import type { Queries } from "../views/queries.ts";

export interface QueueChangesParts extends Ground {
  readonly queries: Queries;
  /** Asks the host to which it is on its way to give it back. */
  withdraw(delivery: Delivery, because: string): Promise<Delivery>;
  /** The same with all that is away from these mailboxes. */
  withdrawAll(mailboxes: readonly Address[], because: string): Promise<readonly Delivery[]>;
}

const BY_HAND = "by hand";

export class QueueChanges {
  readonly #parts: QueueChangesParts;

  constructor(parts: QueueChangesParts) {
    this.#parts = parts;
  }

  change({ id, change, before, after = "", priority = "" }: RequestOf<"queue_change">): Promise<Delivery> {
    switch (change) {
      case "cancel":
        return this.#cancel(id);
      case "now":
        return this.#change(id, (tx, delivery) => tx.updateDelivery(delivery.id, { release: "now" }));
      case "hold":
        return this.#change(id, (tx, delivery) => tx.updateDelivery(delivery.id, { release: "withheld" }));
      case "unhold":
        return this.#change(id, (tx, delivery) => unheld(tx, delivery));
      case "move":
        return before === undefined ? this.#move(id, after, "after") : this.#move(id, before, "before");
      case "priority": {
        const wanted = requirePriority(priority);
        return this.#change(id, (tx, delivery) => this.#ranked(tx, delivery, wanted));
      }
      default:
        return assertNever(change);
    }
  }

  /** What another host may have is asked back: only that host knows what becomes of it. */
  async #cancel(id: string): Promise<Delivery> {
    const { queries, context } = this.#parts;
    const { delivery } = queries.delivery(id);
    if (mayComeBack(context.store.read, delivery)) return this.#parts.withdraw(delivery, BY_HAND);
    return this.#change(id, (tx, now) => cancelled(tx, now, context.clock.now()));
  }

  /** Cancels everything that waits in these mailboxes, in one transaction; what other hosts may have is asked back. */
  async clear(mailboxes: readonly Address[], why?: string): Promise<readonly Delivery[]> {
    const cleared = await this.#clear(mailboxes, why);
    const toHosts = mailboxes.filter((mailbox) => hostOfMailbox(mailbox) !== undefined);
    if (toHosts.length === 0) return cleared;
    return [...cleared, ...(await this.#parts.withdrawAll(toHosts, why ?? BY_HAND))];
  }

  async #clear(mailboxes: readonly Address[], why?: string): Promise<readonly Delivery[]> {
    const { store, clock } = this.#parts.context;
    const cleared = await store.write((tx) =>
      tx
        .deliveries({ mailboxes, states: ["queued"] })
        .map(({ delivery }) => cancelled(tx, delivery, clock.now(), why)),
    );
    if (cleared.length > 0) this.#parts.states.changed(cleared.map(({ messageId }) => messageId));
    return cleared;
  }

  async #move(id: string, beside: string, side: Side): Promise<Delivery> {
    const target = this.#parts.queries.delivery(beside).delivery;
    return this.#change(id, (tx, delivery) => {
      const anchor = queuedNow(tx, target, beside);
      const mailboxes = this.#parts.directory.aliases(anchor.to);
      if (!mailboxes.includes(delivery.to)) throw elsewhere(tx, delivery, anchor);
      if (!canStandBeside(delivery, { ...anchor, deliveryId: anchor.id })) throw released(delivery, anchor);
      if (anchor.id === delivery.id) return delivery;
      // It takes the priority of the other one; with a lower priority it could not go out first.
      const moved = this.#ranked(tx, delivery, anchor.priority);
      const line = tx
        .deliveries({ mailboxes, states: ["queued"], priority: anchor.priority })
        .map((item) => item.delivery);
      const places = placedBeside(line, moved.id, anchor, side, anchor.priority);
      for (const [one, position] of places) tx.updateDelivery(one, { position });
      return tx.findDelivery(moved.id) ?? moved;
    });
  }

  async pause(who: string, paused: boolean): Promise<string> {
    const address = this.#parts.directory.resolve(who);
    const { kind, rest } = splitAddress(address);
    const name =
      kind === "agent"
        ? rest
        : kind === "session"
          ? this.#parts.context.store.read.session(rest)?.agent
          : undefined;
    return this.#parts.context.store.write((tx) => {
      const agent = name === undefined ? undefined : tx.agent(name);
      if (agent === undefined) {
        throw new BellhopError("agent.unknown", {
          message: `"${who}" is not an agent.`,
          next: `See who is there with "bellhop ls".`,
        });
      }
      tx.putAgent({ ...agent, paused });
      return agent.name;
    });
  }

  /** It keeps its position, so among deliveries of the new priority its age decides. */
  #ranked(tx: StoreWriter, delivery: Delivery, priority: Priority): Delivery {
    if (delivery.priority === priority) return delivery;
    tx.appendReceipt(delivery.id, {
      at: this.#parts.context.clock.now(),
      state: "queued",
      note: `priority changed by hand from ${delivery.priority} to ${priority}`,
    });
    // The old reason for waiting may no longer apply.
    return tx.updateDelivery(delivery.id, { priority, hold: null });
  }

  async #change(id: string, change: (tx: StoreWriter, now: Delivery) => Delivery): Promise<Delivery> {
    const { context, queries, states } = this.#parts;
    const { delivery, message } = queries.delivery(id);
    const changed = await context.store.write((tx) => {
      const now = change(tx, queuedNow(tx, delivery, id));
      // Its courier may have chosen already, by the order of before: then it chooses again.
      this.#parts.directory.takerOfMailbox(now.to)?.reordered();
      return now;
    });
    states.changed([message.id]);
    return changed;
  }
}

function cancelled(tx: StoreWriter, delivery: Delivery, at: Instant, why = BY_HAND): Delivery {
  return tx.moveDelivery(delivery.id, { at, state: "cancelled", note: why }, { hold: null });
}

/** What it waits for is decided anew: the old reason may have been the person's. */
function unheld(tx: StoreWriter, delivery: Delivery): Delivery {
  return delivery.release === "by-rule"
    ? delivery
    : tx.updateDelivery(delivery.id, { release: "by-rule", hold: null });
}

function released(delivery: Delivery, anchor: Delivery): BellhopError {
  const one = delivery.release === "now" ? "It goes" : "The other one goes";
  const id = delivery.release === "now" ? delivery.id : anchor.id;
  return new BellhopError("usage.invalid", {
    message: `${one} out next: somebody released it. Nothing can be put before or after that.`,
    next: `Let it wait again with "bellhop queue unhold ${id}", then move.`,
  });
}

function elsewhere(tx: StoreWriter, ...both: readonly [Delivery, Delivery]): BellhopError {
  const [one, other] = both.map(({ to, messageId }) =>
    recipientInWords({ to, ...present({ recipient: recipientThere(to, tx.message(messageId)?.to ?? to) }) }),
  );
  return new BellhopError("usage.invalid", {
    message: `The two messages wait for different recipients: ${one} and ${other}.`,
    next: `See them with "bellhop queue".`,
  });
}

function queuedNow(tx: StoreWriter, delivery: Delivery, id: string): Delivery {
  const now = tx.findDelivery(delivery.id);
  if (now?.state === "queued") return now;
  throw new BellhopError("delivery.not_queued", {
    message: `"${id}" is no longer waiting: it is ${now?.state ?? "gone"}.`,
    next: `See what became of it with "bellhop show ${id}".`,
  });
}
