/**
 * Tells whose stored facts a committed change touched, as addresses: mailboxes, agents, sessions; and which messages it
 * changed. The board listens.
 * While nobody does, every write goes straight to the store. It never changes what is written.
 */
import { agentAddress, sessionAddress } from "../../core/address.ts";
import type { Address, Delivery, MessageId, SessionId } from "../../core/message.ts";
import type { Store, StoreWriter } from "../../ports/store.ts";

/**
 * `mail`: the messages of which a delivery came or changed, or that became dead letters or are none any more; and the
 * mailboxes in which that was.
 */
export interface Mail {
  readonly messages: ReadonlySet<MessageId>;
  readonly mailboxes: ReadonlySet<Address>;
}

type Ear = (touched: ReadonlySet<Address>, mail: Mail) => void;

interface Noted {
  readonly touched: Set<Address>;
  readonly messages: Set<MessageId>;
  readonly mailboxes: Set<Address>;
}

const nothingNoted = (): Noted => ({ touched: new Set(), messages: new Set(), mailboxes: new Set() });

export class Touches {
  /** To be used in place of the original. */
  readonly store: Store;
  readonly #writers = new WeakMap<StoreWriter, StoreWriter>();
  readonly #ears = new Set<Ear>();
  /** Of the change that runs now: changes are synchronous. */
  #noted = nothingNoted();

  constructor(store: Store) {
    this.store = {
      read: store.read,
      writeCounts: () => store.writeCounts(),
      trouble: () => store.trouble(),
      close: () => store.close(),
      write: (change) => {
        if (this.#ears.size === 0) return store.write(change);
        const noted = nothingNoted();
        const written = store.write((tx) => {
          this.#noted = noted;
          return change(this.#noting(tx));
        });
        written.then(
          () => this.#tell(noted),
          () => {},
        );
        return written;
      },
    };
  }

  /** After every commit, until the returned function is called. */
  follow(ear: Ear): () => void {
    this.#ears.add(ear);
    return () => this.#ears.delete(ear);
  }

  #tell({ touched, ...mail }: Noted): void {
    for (const ear of this.#ears) ear(touched, mail);
  }

  #noting(tx: StoreWriter): StoreWriter {
    const noting = this.#writers.get(tx) ?? { ...tx, ...this.#notes(tx) };
    this.#writers.set(tx, noting);
    return noting;
  }

  #notes(tx: StoreWriter): Partial<StoreWriter> {
    const note = (...addresses: readonly Address[]): void => {
      for (const address of addresses) this.#noted.touched.add(address);
    };
    const session = (id: SessionId): void => {
      const agent = tx.session(id)?.agent;
      note(sessionAddress(id), ...(agent === undefined ? [] : [agentAddress(agent)]));
    };
    const delivery = (one: Delivery): Delivery => {
      note(one.to);
      this.#noted.messages.add(one.messageId);
      this.#noted.mailboxes.add(one.to);
      // What arrived there last may be its headline.
      if (one.attempt !== undefined) note(sessionAddress(one.attempt.sessionId));
      return one;
    };
    return {
      insertDelivery: (one) => delivery(tx.insertDelivery(one)),
      insertDeliveries: (all) => {
        const inserted = tx.insertDeliveries(all);
        for (const one of inserted) delivery(one);
        return inserted;
      },
      updateDelivery: (id, patch) => delivery(tx.updateDelivery(id, patch)),
      readdressDelivery: (id, to) => {
        const before = tx.findDelivery(id);
        if (before !== undefined) delivery(before);
        return delivery(tx.readdressDelivery(id, to));
      },
      moveDelivery: (id, receipt, patch) => delivery(tx.moveDelivery(id, receipt, patch)),
      insertUnmatched: (id, ...rest) => {
        this.#noted.messages.add(id);
        tx.insertUnmatched(id, ...rest);
      },
      removeUnmatched: (id) => {
        this.#noted.messages.add(id);
        return tx.removeUnmatched(id);
      },
      putAgent: (agent) => {
        note(agentAddress(agent.name));
        tx.putAgent(agent);
      },
      renameAgent: (from, to) => {
        note(agentAddress(from), agentAddress(to));
        tx.renameAgent(from, to);
      },
      removeAgent: (name) => {
        note(agentAddress(name));
        tx.removeAgent(name);
      },
      putSession: (one) => {
        // It may come from another agent.
        session(one.id);
        note(agentAddress(one.agent));
        tx.putSession(one);
      },
      removeSession: (id) => {
        session(id);
        tx.removeSession(id);
      },
      putKeptDraft: (draft) => {
        session(draft.sessionId);
        tx.putKeptDraft(draft);
      },
      putTurn: (turn) => {
        note(agentAddress(turn.agent));
        tx.putTurn(turn);
      },
      sayAutoRun: (owner, words) => {
        if (owner.kind === "agent") note(agentAddress(owner.agent));
        else session(owner.sessionId);
        tx.sayAutoRun(owner, words);
      },
    };
  }
}
