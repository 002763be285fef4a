/** Shows a follower one mailbox owner: now, and at every change. The doors call it; it changes nothing. */
import { BellhopError } from "../../core/errors.ts";
import type { FollowEar, Followed, Streams } from "../../wire/verbs/streams.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Queries } from "./queries.ts";

/** Changes within this time are shown together. */
const PAUSE_MS = 100;
/** A screen that stays still becomes idle without an event. */
const LOOK_EVERY_MS = 2_000;

/** `soon`: something has changed. `later`: the regular look, without a known change. */
type When = "soon" | "later";

interface FollowingParts {
  readonly context: OfficeContext;
  readonly ear: FollowEar;
  picture(): Promise<Followed>;
  onClose(): void;
}

class Following {
  readonly #parts: FollowingParts;
  #shown = "";
  #cancel: () => void = () => {};
  #state: When | "looking" | "again" | "closed" = "looking";

  constructor(parts: FollowingParts) {
    this.#parts = parts;
    void this.#look();
  }

  /** What is shown may have changed. */
  changed(): void {
    if (this.#state === "looking") this.#state = "again";
    if (this.#state === "later") this.#lookAgain("soon");
  }

  close(): void {
    this.#state = "closed";
    this.#cancel();
    this.#parts.onClose();
  }

  #lookAgain(when: When): void {
    this.#cancel();
    this.#state = when;
    const afterMs = when === "soon" ? PAUSE_MS : LOOK_EVERY_MS;
    this.#cancel = this.#parts.context.clock.after(afterMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#state = "looking";
    try {
      const followed = await this.#parts.picture();
      if (this.#isNow("closed")) return;
      const text = JSON.stringify(followed);
      if (text !== this.#shown) this.#parts.ear.hear(followed);
      this.#shown = text;
    } catch (error) {
      if (this.#isNow("closed")) return;
      this.close();
      if (!(error instanceof BellhopError))
        this.#parts.context.log.error("follow.failed", { cause: String(error) });
      this.#parts.ear.over(whyOver(error));
    }
    if (!this.#isNow("closed")) this.#lookAgain(this.#isNow("again") ? "soon" : "later");
  }

  /** A call, because the state may change during an await. */
  #isNow(state: "again" | "closed"): boolean {
    return this.#state === state;
  }
}

function whyOver(error: unknown): BellhopError {
  if (error instanceof BellhopError) return error;
  return new BellhopError("internal.bug", {
    message: "What is followed can no longer be seen.",
    next: 'Look at "bellhop logs" and report what you find.',
  });
}

export interface FollowsParts extends Ground {
  readonly queries: Queries;
}

export class Follows {
  readonly #parts: FollowsParts;

  constructor(parts: FollowsParts) {
    this.#parts = parts;
  }

  async of(who: string, ear: FollowEar): ReturnType<Streams["follow"]> {
    const { context, directory, queries, states } = this.#parts;
    // Refuses an unknown name before anything starts.
    const { agent } = queries.session(who);
    let live: LiveSession | undefined;
    let stopOutput = (): void => {};
    const picture = async (): Promise<Followed> => {
      // The session that takes its mail now: after a restart that is another program in another terminal.
      const now = directory.takerOfMailbox(directory.resolve(who));
      if (now !== live) {
        stopOutput();
        live = now;
        stopOutput = now?.onOutput(() => following.changed()) ?? (() => {});
      }
      await now?.observe();
      return { session: queries.session(who) };
    };
    const stopStates = states.follow(() => following.changed());
    const onClose = (): void => {
      stopStates();
      stopOutput();
    };
    const following: Following = new Following({ context, ear, picture, onClose });
    return { agent, close: () => following.close() };
  }
}
