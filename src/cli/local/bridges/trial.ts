/** Tries a bridge before anything is written: opens it here, and leaves with the platform whatever waits there. */

import { BellhopError } from "../../../core/errors.ts";
import { ownAddressOf } from "../../../core/outside/admission.ts";
import { introductionIn } from "../../../core/outside/introduction.ts";
import type { Arrival, Bridge, Kept, OutsideInbox, Taken } from "../../../ports/bridge.ts";
import type { CommandContext } from "../../context.ts";
import { cancelled } from "./prompting.ts";

const LOOK_MS = 50;
const CONNECT_WITHIN_MS = 15_000;
const DOWN_FOR_MS = 3_000;
const WRITE_WITHIN_MS = 600_000;

export class Trial {
  readonly #bridge: Bridge;
  readonly #context: CommandContext;
  readonly #signal: AbortSignal;
  readonly #inbox = new LookingInbox();

  constructor(bridge: Bridge, context: CommandContext, signal: AbortSignal) {
    this.#bridge = bridge;
    this.#context = context;
    this.#signal = signal;
  }

  /** Throws why the platform refuses. */
  async connect(): Promise<void> {
    await this.#bridge.open(this.#inbox);
    await this.#until(() => this.#isDecided(), CONNECT_WITHIN_MS);
    const { name } = this.#bridge;
    const { state, error } = this.#bridge.health();
    // A webhook listens even if its only service cannot start.
    if (state === "connected" && (name !== "webhook" || error === undefined)) return;
    throw new BellhopError("bridge.refused", {
      message: error ?? `${name} does not answer.`,
      next: "Nothing was written. Then try again.",
    });
  }

  /** What is down may come back at once, but hardly after it was tried again in vain. */
  #isDecided(): boolean {
    const { state, since } = this.#bridge.health();
    if (state === "down") return this.#context.now() - since > DOWN_FOR_MS;
    return state === "connected" || state === "refused";
  }

  /** The own address of whoever writes the code; undefined if nobody does. */
  async writerOf(code: string): Promise<string | undefined> {
    this.#inbox.code = code;
    await this.#until(() => this.#inbox.writer !== undefined, WRITE_WITHIN_MS);
    return this.#inbox.writer;
  }

  async close(): Promise<void> {
    await this.#bridge.close();
  }

  async #until(isSo: () => boolean, withinMs: number): Promise<void> {
    const deadline = this.#context.now() + withinMs;
    while (!isSo() && this.#context.now() < deadline) {
      await this.#context.pause(LOOK_MS, this.#signal);
      if (this.#signal.aborted) throw cancelled();
    }
  }
}

/** Whoever knows the code is the person: it was shown only on their screen. The daemon gets all of it, also the code. */
export class LookingInbox implements OutsideInbox {
  readonly #kept = new Map<string, string>();
  code: string | undefined;
  writer: string | undefined;

  async take(arrival: Arrival): Promise<Taken> {
    if (this.code !== undefined && introductionIn(arrival.text) === this.code)
      this.writer ??= ownAddressOf(arrival);
    return "left";
  }

  async keep(kept: Kept): Promise<void> {
    for (const [key, value] of Object.entries(kept)) {
      if (value === null) this.#kept.delete(key);
      else this.#kept.set(key, value);
    }
  }

  kept(key: string): string | undefined {
    return this.#kept.get(key);
  }

  changed(): void {}
}
