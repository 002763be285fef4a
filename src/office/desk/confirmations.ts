/**
 * Tells people outside what became of what they wrote, once it is proven or given up. The debt stands on the relay until
 * the confirmation is accepted, in one transaction. Woken by every change of state.
 */
import type { DialogAnswer } from "../../core/desk/dialog-answers.ts";
import {
  answeredDialogWords,
  DIALOG_WORDS,
  deliveredWords,
  followedUpWords,
  perhapsPressedWords,
  unansweredDialogWords,
  unconfirmedPressWords,
  unconfirmedWords,
  undeliveredWords,
} from "../../core/desk/words.ts";
import { PERHAPS_DELIVERED } from "../../core/evidence.ts";
import type { Delivery, Message } from "../../core/message.ts";
import type { Relay } from "../../ports/outside-store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Ground } from "../presence/ground.ts";
import { saidByBellhop } from "../time/notices.ts";
import { DIALOG_OVER } from "../typing/transports/raw.ts";
import type { Answers } from "./answers.ts";

const AT_ONCE = 50;

export interface ConfirmationsParts extends Ground {
  readonly accept: Accept;
  readonly answers: Answers;
}

export class Confirmations {
  readonly #parts: ConfirmationsParts;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(parts: ConfirmationsParts) {
    this.#parts = parts;
  }

  look(): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    if (this.#due().length > 0) this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log } = this.#parts.context;
    do {
      this.#again = false;
      try {
        for (const { relay, words } of this.#due()) await this.#confirm(relay, words);
      } catch (cause) {
        // It stays owed: the next change of state looks again.
        log.error("desk.confirmation_failed", { cause: String(cause) });
      }
    } while (this.#again && !this.#closed);
    this.#running = undefined;
  }

  #due(): readonly { readonly relay: Relay; readonly words: string }[] {
    const { read } = this.#parts.context.store;
    return read.owingConfirmation(AT_ONCE).flatMap((relay) => {
      const delivery = relay.relayed === undefined ? undefined : read.deliveriesOf(relay.relayed)[0];
      const words = delivery === undefined ? undefined : this.#wordsOf(relay, delivery);
      return words === undefined ? [] : [{ relay, words }];
    });
  }

  #wordsOf(relay: Relay, delivery: Delivery): string | undefined {
    return relay.outcome === "answered-dialog"
      ? this.#pressed(relay, delivery)
      : this.#words(relay, delivery);
  }

  #pressed({ label = "", relayed = "" }: Relay, { id, state }: Delivery): string | undefined {
    const { read } = this.#parts.context.store;
    switch (state) {
      case "queued":
      case "delivering":
        return undefined;
      case "delivered":
      case "read":
      case "replied":
        return answeredDialogWords(answerIn(read.message(relayed)), label);
      case "unconfirmed":
        return unconfirmedPressWords(label);
      case "failed":
      case "cancelled":
      case "expired": {
        const note = read.receiptsOf(id).at(-1)?.note;
        if (note === DIALOG_OVER) return DIALOG_WORDS.closed;
        return note === PERHAPS_DELIVERED
          ? perhapsPressedWords(label)
          : unansweredDialogWords(label, note ?? state);
      }
    }
  }

  /** Undefined: it is not known yet. */
  #words({ label = "", despite, outcome }: Relay, delivery: Delivery): string | undefined {
    switch (delivery.state) {
      case "queued":
      case "delivering":
        return undefined;
      case "delivered":
      case "read":
      case "replied":
        return outcome === "undone" ? followedUpWords(label) : deliveredWords(label, despite);
      case "unconfirmed":
        return unconfirmedWords(label);
      case "expired":
      case "cancelled":
      case "failed": {
        const { read } = this.#parts.context.store;
        const why = read.receiptsOf(delivery.id).at(-1)?.note ?? delivery.state;
        return undeliveredWords(label, why, this.#parts.answers.live());
      }
    }
  }

  async #confirm(relay: Relay, words: string): Promise<void> {
    const { accept, context } = this.#parts;
    const { read } = context.store;
    const arrival = read.message(relay.messageId);
    const said = saidByBellhop(context, relay.path, words);
    await accept.accept(
      { ...said, command: "desk", ...(arrival === undefined ? {} : { answers: arrival }) },
      { onlyOutside: true, with: (tx) => tx.putRelay({ ...relay, owesConfirmation: false }) },
    );
  }
}

function answerIn(message: Message | undefined): DialogAnswer {
  const { payload } = message ?? {};
  const isDenied =
    typeof payload === "object" && payload !== null && "answer" in payload && payload.answer === "deny";
  return isDenied ? "deny" : "approve";
}
