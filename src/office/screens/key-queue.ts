/** Keys in the order in which they were pressed. Those pressed while others are being typed follow as one piece. */
import { BellhopError } from "../../core/errors.ts";

export const KEY_QUEUE_LIMITS = { characters: 64 * 1024 } as const;

export class KeyQueue {
  readonly #type: (keys: string) => Promise<void>;
  #waiting = "";
  #typing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(type: (keys: string) => Promise<void>) {
    this.#type = type;
  }

  /** Resolves when they are typed. If earlier ones were refused, these are not typed either. */
  add(keys: string): Promise<void> {
    if (this.#waiting.length + keys.length > KEY_QUEUE_LIMITS.characters) return Promise.reject(tooMany());
    this.#waiting += keys;
    if (this.#typing === undefined) return this.#run();
    this.#next ??= this.#typing.then(
      () => this.#run(),
      (error) => {
        this.#waiting = "";
        this.#next = undefined;
        throw error;
      },
    );
    return this.#next;
  }

  #run(): Promise<void> {
    const keys = this.#waiting;
    this.#waiting = "";
    this.#next = undefined;
    const typing = this.#type(keys).finally(() => {
      if (this.#typing === typing) this.#typing = undefined;
    });
    this.#typing = typing;
    return typing;
  }
}

function tooMany(): BellhopError {
  return new BellhopError("request.too_large", {
    message: `More than ${KEY_QUEUE_LIMITS.characters} characters of keys wait to be typed.`,
    next: "Type more slowly, or send the text as a message.",
  });
}
