/**
 * Shows one mailbox owner to whoever looks, now and whenever something about it changes: its deliveries, its
 * screen, its readiness. Doors call it; it changes nothing.
 */
import { BellhopError } from "../../core/errors.ts";
import type { FollowEar, Streams } from "../../wire/verbs/streams.ts";
import type { OfficeContext } from "../base/context.ts";
import type { StateWatch } from "../base/state-watch.ts";
import type { Directory } from "../presence/directory.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Queries } from "./queries.ts";

/** Many changes of one moment are one picture. */
const PAUSE_MS = 100;
/** A screen that stands still becomes idle without anything happening. */
const LOOK_EVERY_MS = 2_000;

export interface FollowingParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly queries: Queries;
  readonly states: StateWatch;
}

export async function follow(
  parts: FollowingParts,
  { who }: { readonly who: string },
  ear: FollowEar,
): ReturnType<Streams["follow"]> {
  // Whoever is not there is refused before anything begins.
  const { agent } = parts.queries.session(who);
  const following = new Following(parts, who, ear);
  following.begin();
  return { agent, close: () => following.close() };
}

type State = "waiting" | "looking" | "again" | "closed";

class Following {
  readonly #parts: FollowingParts;
  readonly #who: string;
  readonly #ear: FollowEar;
  #shown = "";
  #live: LiveSession | undefined;
  #stopOutput: () => void = () => {};
  #stopStates: () => void = () => {};
  #cancel: (() => void) | undefined;
  #state: State = "waiting";

  constructor(parts: FollowingParts, who: string, ear: FollowEar) {
    this.#parts = parts;
    this.#who = who;
    this.#ear = ear;
  }

  begin(): void {
    this.#stopStates = this.#parts.states.follow(() => this.#soon());
    void this.#look();
  }

  close(): void {
    this.#state = "closed";
    this.#cancel?.();
    this.#stopStates();
    this.#stopOutput();
  }

  #soon(): void {
    if (this.#state === "looking") this.#state = "again";
    if (this.#state !== "waiting") return;
    this.#lookAfter(PAUSE_MS);
  }

  #lookAfter(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#parts.context.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#cancel?.();
    this.#state = "looking";
    try {
      await this.#follow()?.observe();
      if (this.#isIn("closed")) return;
      const session = this.#parts.queries.session(this.#who);
      const text = JSON.stringify(session);
      if (text !== this.#shown) this.#ear.hear({ session });
      this.#shown = text;
    } catch (error) {
      if (this.#isIn("closed")) return;
      this.close();
      if (!(error instanceof BellhopError))
        this.#parts.context.log.error("follow.failed", { who: this.#who, cause: String(error) });
      this.#ear.over(whyOver(error));
      return;
    }
    this.#lookAfter(this.#isIn("again") ? PAUSE_MS : LOOK_EVERY_MS);
    this.#state = "waiting";
  }

  /** Whoever serves it now: after a restart it is another program in another terminal. */
  #follow(): LiveSession | undefined {
    const { directory } = this.#parts;
    const live = directory.takerOfMailbox(directory.resolve(this.#who));
    if (live === this.#live) return live;
    this.#stopOutput();
    this.#live = live;
    this.#stopOutput = live?.onOutput(() => this.#soon()) ?? (() => {});
    return live;
  }

  /** It may have changed while we looked. */
  #isIn(state: State): boolean {
    return this.#state === state;
  }
}

export function whyOver(error: unknown): BellhopError {
  if (error instanceof BellhopError) return error;
  return new BellhopError("internal.bug", {
    message: "What is followed can no longer be seen.",
    next: 'Look at "bellhop logs" and report what you find.',
  });
}
