/**
 * Tells browsers of what is on the list of `attention` and is not paged: a message without proof, a loop, a spent
 * budget. Each once, if the person is away; nothing that stood there before they wanted notifications.
 */
import type { Attention, AttentionKind } from "../../core/attention.ts";
import { quietForMs } from "../../core/time/quiet-hours.ts";
import type { Ground } from "../presence/ground.ts";
import type { AttentionDesk } from "../views/attention.ts";
import type { Person } from "./presence.ts";
import { PUSH_CHANNEL, type PushTold } from "./push-told.ts";

const KINDS: readonly AttentionKind[] = ["unconfirmed", "loop", "budget"];
/** Late evidence often comes at once. */
const GATHER_MS = 5_000;
/** A machine that was asleep does not know how late it is. */
const LOOK_AGAIN_MS = 10 * 60_000;

export interface StandingParts extends Ground {
  readonly attention: AttentionDesk;
  readonly person: Person;
  readonly push: PushTold;
}

/**
 *   resting ─▶ (look) gathering ─▶ telling ─▶ resting
 *                  ▲                  ├─ (look) ─▶ gathering: it came too late for this time
 *                  └── (look) ── quiet ◀─ something must wait for the end of quiet hours
 */
export class Standing {
  readonly #parts: StandingParts;
  #state: "resting" | "gathering" | "telling" | "telling, and more came" | "quiet" = "resting";
  #cancel: () => void = () => {};
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: StandingParts) {
    this.#parts = parts;
  }

  /** Call when something may need the person. */
  look(): void {
    if (this.#state === "telling") this.#state = "telling, and more came";
    // What comes in quiet hours may be of a kind that is told nevertheless.
    else if (this.#state === "resting" || this.#state === "quiet") this.#lookIn(GATHER_MS, "gathering");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#working;
  }

  #lookIn(ms: number, meanwhile: "gathering" | "quiet"): void {
    const { context, push } = this.#parts;
    this.#cancel();
    this.#state = "resting";
    if (this.#isClosed || push.since() === undefined) return;
    this.#state = meanwhile;
    this.#cancel = context.clock.after(ms, () => {
      this.#working = this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#state = "telling";
    const quietMs = await this.#tell().catch((cause) => {
      this.#parts.context.log.error("person.unpushed", { cause: String(cause) });
      return 0;
    });
    if (this.#hasMore()) this.#lookIn(GATHER_MS, "gathering");
    else if (quietMs > 0) this.#lookIn(Math.min(LOOK_AGAIN_MS, quietMs), "quiet");
    else this.#state = "resting";
  }

  #hasMore(): boolean {
    return this.#state === "telling, and more came";
  }

  /** Returns how long the rest must wait; 0: there is none. */
  async #tell(): Promise<number> {
    const { context, person, push } = this.#parts;
    const news = this.#untold();
    const quietMs = new Map(news.map((one) => [one, this.#quietMs(one.kind)]));
    const due = news.filter((one) => quietMs.get(one) === 0);
    const longest = Math.max(0, ...quietMs.values());
    if (due.length === 0) return longest;
    const { is } = await person.presence();
    // Who is there reads it in their terminals.
    await context.store.write((tx) => tx.putTold(due.map(toldId), context.clock.now()));
    if (is !== "away") return longest;
    for (const { id, agent, kind } of due) push.tell({ id, agent, kind, isWanted: () => this.#stands(id) });
    return longest;
  }

  #untold(): readonly Attention[] {
    const { attention, push, context } = this.#parts;
    const wantedSince = push.since() ?? Number.POSITIVE_INFINITY;
    const all = attention.list().filter(({ kind, since }) => KINDS.includes(kind) && since >= wantedSince);
    const told = context.store.read.told(all.map(toldId));
    return all.filter((one) => !told.includes(toldId(one)));
  }

  #stands(id: string): boolean {
    return this.#parts.attention.list().some((one) => one.id === id);
  }

  #quietMs(kind: AttentionKind): number {
    const { clock, settings } = this.#parts.context;
    return quietForMs(settings().desk.quiet, kind, clock.now(), (at) => clock.offsetAt(at));
  }
}

/** A budget is spent again another day. */
function toldId({ id, since }: Attention): string {
  return `${PUSH_CHANNEL} ${id} ${since}`;
}
