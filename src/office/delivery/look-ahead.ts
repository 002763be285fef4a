/**
 * The look that a message will need, begun while the message is still being written to disk. Owned by a courier, which
 * begins it while it sleeps and takes it when mail is there. It counts only while it is as good as a new one.
 */
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";

export class LookAhead {
  readonly #session: Pick<LiveSession, "observe" | "observeAnew">;
  #begun: Promise<Observation | undefined> | undefined;
  #isUnderWay = false;

  constructor(session: Pick<LiveSession, "observe" | "observeAnew">) {
    this.#session = session;
  }

  /** One at a time, however many messages come at once. */
  begin(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#begun = this.#look();
  }

  /** What it saw, or what a new look sees. */
  async taken(): Promise<Observation> {
    const begun = this.#begun;
    this.#begun = undefined;
    return this.#session.observeAnew(await begun);
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
