/**
 * Everybody who runs and how much wants the person, for whoever looks on: now and whenever that changes. Doors call it;
 * it changes nothing.
 */
import type { Overview } from "../../wire/shapes/attention.ts";
import type { FollowEar } from "../../wire/verbs/streams.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";
import type { AttentionDesk } from "./attention.ts";
import { whyOver } from "./following.ts";
import type { Queries } from "./queries.ts";

/** Many changes of one moment are one picture. */
const PAUSE_MS = 100;
/** A screen that stands still becomes idle without anything happening. */
const LOOK_EVERY_MS = 2_000;

export interface OverviewsParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly queries: Queries;
  readonly attention: AttentionDesk;
}

export class Overviews {
  readonly #parts: OverviewsParts;
  readonly #open = new Set<Following>();

  constructor(parts: OverviewsParts) {
    this.#parts = parts;
  }

  now(): Overview {
    const { queries, attention } = this.#parts;
    return { sessions: queries.sessions(), ...attention.wants() };
  }

  /** Something may look otherwise. */
  changed(): void {
    for (const following of this.#open) following.soon();
  }

  follow(ear: FollowEar): { close(): void } {
    const following = new Following(this.#parts, ear, () => this.now());
    this.#open.add(following);
    following.begin();
    return {
      close: () => {
        this.#open.delete(following);
        following.close();
      },
    };
  }
}

class Following {
  readonly #parts: OverviewsParts;
  readonly #ear: FollowEar;
  readonly #now: () => Overview;
  #shown = "";
  #cancel: (() => void) | undefined;
  #armed: "soon" | "later" = "later";
  #isClosed = false;

  constructor(parts: OverviewsParts, ear: FollowEar, now: () => Overview) {
    this.#parts = parts;
    this.#ear = ear;
    this.#now = now;
  }

  begin(): void {
    void this.#look("everybody");
  }

  soon(): void {
    if (this.#isClosed || this.#armed === "soon") return;
    this.#arm("soon");
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #arm(when: "soon" | "later"): void {
    this.#cancel?.();
    this.#armed = when;
    const soon = when === "soon";
    this.#cancel = this.#parts.context.clock.after(soon ? PAUSE_MS : LOOK_EVERY_MS, () => {
      this.#armed = "later";
      void this.#look(soon ? "nobody" : "everybody");
    });
  }

  /** Whoever moved was looked at already; now and then everybody is. */
  async #look(at: "everybody" | "nobody"): Promise<void> {
    const { directory, context } = this.#parts;
    try {
      if (at === "everybody") await Promise.all(directory.all().map((session) => session.glance()));
      if (this.#isClosed) return;
      const overview = this.#now();
      const text = JSON.stringify(overview);
      if (text !== this.#shown) this.#ear.hear({ overview });
      this.#shown = text;
    } catch (error) {
      if (this.#isClosed) return;
      this.close();
      context.log.error("overview.failed", { cause: String(error) });
      this.#ear.over(whyOver(error));
      return;
    }
    if (this.#armed === "later") this.#arm("later");
  }
}
