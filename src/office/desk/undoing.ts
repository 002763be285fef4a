/**
 * A person outside takes back what they wrote last: before the desk has decided on it, while it waits for the agent, or
 * by telling the agent. Called by `answers`.
 */
import {
  disregardWords,
  NOT_UNDONE,
  NOTHING_TO_UNDO,
  UNDONE_UNSENT,
  undoneWords,
} from "../../core/desk/words.ts";
import type { Address, Instant, Message } from "../../core/message.ts";
import { DESK } from "../../core/outside/places.ts";
import type { Origin, Relay } from "../../ports/outside-store.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Submission } from "../accept/submission.ts";
import type { Ground } from "../presence/ground.ts";

const UNDO_MS = 60_000;

export interface UndoingParts extends Ground {
  readonly accept: Accept;
  /** Whether it is to be relayed, and neither answers a dialog nor undoes something. */
  isText(message: Message): boolean;
  asPerson(origin: Origin, to: Address, body: string): Submission;
  /** Says it where the person is, and records what was decided. */
  say(
    words: string,
    message: Message,
    origin: Origin,
    decided: Pick<Relay, "considered" | "outcome">,
    also?: (tx: StoreWriter) => void,
  ): Promise<void>;
  record(
    tx: StoreWriter,
    message: Message,
    origin: Origin,
    decided: Omit<Relay, "messageId" | "at" | "path">,
  ): void;
}

export class Undoing {
  readonly #parts: UndoingParts;

  constructor(parts: UndoingParts) {
    this.#parts = parts;
  }

  async undo(message: Message, origin: Origin): Promise<void> {
    const { read } = this.#parts.context.store;
    const relay = read.lastRelay(origin.path);
    const unsent = this.#unsentBefore(message, origin);
    const isLast =
      unsent !== undefined && unsent.createdAt >= (relay === undefined ? 0 : writtenAt(relay, read));
    return isLast ? this.#undoUnsent(message, origin, unsent) : this.#undoSent(message, origin, relay);
  }

  /** The last text from the same place that the desk has not decided on. */
  #unsentBefore({ id }: Message, { path }: Origin): Message | undefined {
    const { read } = this.#parts.context.store;
    const waiting = read.deliveries({ mailboxes: [DESK], states: ["queued", "delivering"] });
    const own = waiting.findIndex(({ message }) => message.id === id);
    return waiting
      .slice(0, Math.max(0, own))
      .map(({ message }) => message)
      .findLast(
        (one) =>
          read.origin(one.id)?.path === path && read.relayOf(one.id) === undefined && this.#parts.isText(one),
      );
  }

  async #undoUnsent(message: Message, origin: Origin, unsent: Message): Promise<void> {
    const decided = { considered: [], outcome: "undone" } as const;
    try {
      await this.#parts.say(UNDONE_UNSENT, message, origin, decided, (tx) => {
        if (tx.relayOf(unsent.id) !== undefined) throw new TakenAlready();
        this.#parts.record(tx, unsent, origin, { ...decided, owesConfirmation: false });
      });
    } catch (error) {
      if (!(error instanceof TakenAlready)) throw error;
      return this.undo(message, origin);
    }
  }

  async #undoSent(message: Message, origin: Origin, relay: Relay | undefined): Promise<void> {
    const { context, states } = this.#parts;
    const { store, clock } = context;
    const relayed = relay?.relayed === undefined ? undefined : store.read.message(relay.relayed);
    const decided = { considered: [], outcome: "undone" } as const;
    const refuses = (words: string) =>
      this.#parts.say(words, message, origin, { considered: [], outcome: "refused" });
    if (relay === undefined || relayed === undefined || message.createdAt - relay.at > UNDO_MS)
      return refuses(NOTHING_TO_UNDO);
    // What was written after it is not meant.
    if (writtenAt(relay, store.read) > message.createdAt) return refuses(NOTHING_TO_UNDO);
    if (relay.outcome === "answered-dialog") return refuses(NOT_UNDONE);
    const label = relay.label ?? relayed.to;
    const undone = { ...relay, outcome: "undone", owesConfirmation: false } as const;
    try {
      await this.#parts.say(undoneWords(label), message, origin, decided, (tx) => {
        if (!cancelWaiting(tx, relayed, clock.now())) throw new TakenAlready();
        tx.putRelay(undone);
      });
    } catch (error) {
      if (!(error instanceof TakenAlready)) throw error;
      return this.#disregard(message, origin, { undone, relayed, label });
    }
    states.changed([relayed.id]);
  }

  /** What the agent has got already: it is told, and then the person. */
  async #disregard(
    message: Message,
    origin: Origin,
    { undone, relayed, label }: { readonly undone: Relay; readonly relayed: Message; readonly label: string },
  ): Promise<void> {
    const decided = { considered: [], outcome: "undone", label, owesConfirmation: true } as const;
    await this.#parts.accept.accept(this.#parts.asPerson(origin, relayed.to, disregardWords(relayed.body)), {
      with: (tx, told) => {
        tx.putRelay(undone);
        this.#parts.record(tx, message, origin, { ...decided, relayed: told.id });
      },
    });
  }
}

class TakenAlready extends Error {
  override readonly name = "TakenAlready";
}

function writtenAt({ messageId, at }: Relay, read: StoreReader): Instant {
  return read.message(messageId)?.createdAt ?? at;
}

/** Whether it was still waiting. */
function cancelWaiting(tx: StoreWriter, { id: messageId }: Message, at: Instant): boolean {
  const waiting = tx.deliveriesOf(messageId).filter(({ state }) => state === "queued");
  const receipt = { at, state: "cancelled", note: "undone by the person" } as const;
  for (const { id } of waiting) tx.moveDelivery(id, receipt, { hold: null });
  return waiting.length > 0;
}
