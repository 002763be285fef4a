/** One listener of one connection, whatever that speaks: its pushes begin when the caller has been answered. */
import type { Address } from "../../core/message.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { Listening, Streams } from "../../wire/verbs/streams.ts";

export type PushOutcome = "gone" | Promise<"written" | "gone">;
export type Push = (message: BrokerMessage) => PushOutcome;

/** A plain listener's push changes nothing, so nobody waits to learn what became of it. */
export const WRITTEN: Promise<"written"> = Promise.resolve("written");

export class Listen {
  readonly consume: boolean;
  /** Whose it is; rejects with why there is nothing to listen to. */
  readonly opened: Promise<Omit<Listening, "close" | "mailbox">>;
  readonly #push: Push;
  readonly #begun: Promise<void>;
  #begin: () => void = () => {};
  #state: "waiting" | "pushing" | "closed" = "waiting";
  #close: () => void = () => {};
  #mailbox: () => Address;

  constructor(streams: Streams, request: ListenRequest, push: Push) {
    this.consume = request.consume === true;
    this.#push = push;
    const mailbox = streams.mailboxOf(request);
    this.#mailbox = () => mailbox;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.opened = streams
      .listen(request, (message) => this.#heard(message))
      .then(({ close, mailbox: now, ...whose }) => {
        this.#close = close;
        this.#mailbox = now;
        if (this.#state === "closed") close();
        return whose;
      });
  }

  /** Where it listens now: its agent may have got another name. */
  get mailbox(): Address {
    return this.#mailbox();
  }

  /** What came meanwhile goes out first, then everything as it comes. */
  begin(): void {
    this.#begin();
    void this.#begun.then(() => {
      if (this.#state === "waiting") this.#state = "pushing";
    });
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#begin();
    this.#close();
  }

  #heard(message: BrokerMessage): PushOutcome {
    if (this.#state === "pushing") return this.#push(message);
    if (this.#state === "closed") return "gone";
    return this.#begun.then(() => (this.#state === "closed" ? "gone" : this.#push(message)));
  }
}
