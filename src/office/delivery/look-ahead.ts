/**
 * The look that a message will need, begun while the message is still being written to disk. Owned by a courier, which
 * begins it while it sleeps and takes it when mail is there. It counts only while it is as good as a new one.
 */
import type { Clock } from "../../ports/clock.ts";
import { FRESH_MS } from "../presence/last-look.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";

export class LookAhead {
  readonly #session: Pick<LiveSession, "observe" | "observeAnew">;
  readonly #clock: Pick<Clock, "monotonic">;
  #begun: { readonly look: Promise<Observation | undefined>; readonly at: number } | undefined;
  #isUnderWay = false;

  constructor(session: Pick<LiveSession, "observe" | "observeAnew">, clock: Pick<Clock, "monotonic">) {
    this.#session = session;
    this.#clock = clock;
  }

  /** One at a time, however many messages come at once. */
  begin(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#begun = { at: this.#clock.monotonic(), look: this.#look() };
  }

  /** What it saw, or what a new look sees. */
  async taken(): Promise<Observation> {
    const begun = this.#begun;
    this.#begun = undefined;
    // Nobody waits for a look that would be too old anyway, such as that of a terminal that did not answer.
    if (begun === undefined || this.#clock.monotonic() - begun.at > FRESH_MS) return this.#session.observe();
    return this.#session.observeAnew(await begun.look);
  }

  async #look(): Promise<Observation | undefined> {
    try {
      return await this.#session.observe();
    } catch {
      // Whoever takes it looks again, and is told why that fails.
      return undefined;
    } finally {
      this.#isUnderWay = false;
    }
  }
}
