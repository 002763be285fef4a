/** An inbox that outlives bridges, as the store does, and can be told to fail. */
import type { Arrival, Kept, OutsideInbox, Taken } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";

export class KeptInbox implements OutsideInbox {
  readonly #kept = new Map<string, string>();
  readonly #ids = new Set<string>();
  readonly taken: Arrival[] = [];
  readonly repeated: Arrival[] = [];
  /** What Bellhop said itself and heard again. */
  readonly echoes: Arrival[] = [];
  readonly #said: { readonly text: string; readonly heardBy: Set<string> }[] = [];
  /** While it is set, nothing can be written. */
  fails = false;
  /** How often it was asked in vain. */
  failed = 0;
  /** While it is set, a take has been written, but its bridge does not hear of it: the daemon dies there. */
  dies = false;
  answer: Taken = "accepted";

  async take(arrival: Arrival, keep: Kept = {}): Promise<Taken> {
    this.#check();
    if (this.#isEcho(arrival)) {
      this.echoes.push(arrival);
      this.#write(keep);
      return "echo";
    }
    const isRepeat = this.#ids.has(arrival.externalId);
    (isRepeat ? this.repeated : this.taken).push(arrival);
    this.#ids.add(arrival.externalId);
    this.#write(keep);
    if (this.dies) return new Promise(() => {});
    return isRepeat ? "repeated" : this.answer;
  }

  async keep(kept: Kept): Promise<void> {
    this.#check();
    this.#write(kept);
  }

  kept(key: string): string | undefined {
    return this.#kept.get(key);
  }

  changed(): void {}

  /** Bellhop says this: it is an echo once for each cursor. */
  async says(text: string): Promise<void> {
    this.#said.push({ text, heardBy: new Set() });
  }

  texts(): readonly string[] {
    return this.taken.map(({ text }) => text);
  }

  async has(count: number): Promise<readonly Arrival[]> {
    await until(
      () => this.taken.length >= count,
      () => `${count} arrivals; there are ${this.taken.length}`,
    );
    return this.taken;
  }

  #isEcho({ text, mayBeEcho }: Arrival): boolean {
    if (mayBeEcho === undefined) return false;
    const said = this.#said.find((one) => one.text === text && !one.heardBy.has(mayBeEcho));
    said?.heardBy.add(mayBeEcho);
    return said !== undefined;
  }

  #check(): void {
    if (!this.fails) return;
    this.failed += 1;
    throw new Error("the disk is full");
  }

  #write(kept: Kept): void {
    for (const [key, value] of Object.entries(kept)) {
      if (value === null) this.#kept.delete(key);
      else this.#kept.set(key, value);
    }
  }
}
