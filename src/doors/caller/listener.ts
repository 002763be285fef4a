/** One listener on one connection, for any protocol: its pushes begin after the caller has been answered. */
import type { Address } from "../../core/message.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { Listening, Push, Streams } from "../../wire/verbs/streams.ts";

export class Listen {
  readonly consume: boolean;
  /** Whose mailbox it is; rejects with the reason if there is none. */
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

  /** The current mailbox: its agent may have been renamed. */
  get mailbox(): Address {
    return this.#mailbox();
  }

  /** Sends what arrived in the meantime, then everything as it arrives. */
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

  #heard(message: BrokerMessage): ReturnType<Push> {
    if (this.#state === "pushing") return this.#push(message);
    if (this.#state === "closed") return "gone";
    return this.#begun.then(() => (this.#state === "closed" ? "gone" : this.#push(message)));
  }
}
