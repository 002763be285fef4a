/**
 * The first turn of a child without hooks: until its screen has shown it at work and then idle, or it is clear that
 * nothing will show. One per live session, active if a parent waits for it; the screen watcher calls it. It never types
 * and never writes.
 */
import { isTaken } from "../../core/evidence.ts";
import type { Signal } from "../../core/readiness/readiness.ts";
import { awaitedTurn, type SeenTurn, shownBy, stepTurn } from "../../core/readiness/seen-turn.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { LooksWanted, Onlooker } from "../presence/onlooker.ts";

/** `unseen`: it has its message, and what became of it is unknown. */
export type FirstTurnEnd = "ended" | "unseen";

const FEW = 10;
const LOOK_EVERY_MS = 2_000;
/** In addition to the looks that follow the terminal's changes. */
const LOOK_SELDOM_MS = 30_000;
/** Whichever turn begins within this time: when it ends, the first one has ended. */
const TURN = { beginsWithinMs: 60_000 } as const;

export class FirstTurn implements Onlooker {
  readonly #context: OfficeContext;
  readonly #session: LiveSession;
  readonly #over: (how: FirstTurnEnd) => Promise<void>;
  /** Undefined until it has its message. */
  #turn: SeenTurn | undefined;
  #is: "watched" | "being-told" = "watched";

  constructor(context: OfficeContext, session: LiveSession, over: (how: FirstTurnEnd) => Promise<void>) {
    this.#context = context;
    this.#session = session;
    this.#over = over;
    // Taken before a restart of the daemon: the turn may still be seen to end.
    if (this.#isAhead() && this.#hasTaken()) this.#turn = awaitedTurn(this.#context.clock.monotonic());
  }

  wants(): LooksWanted | undefined {
    if (this.#turn === undefined || !this.#isAhead()) return undefined;
    if (this.#turn.at !== "awaited") return { withinMs: LOOK_EVERY_MS };
    const leftMs = this.#turn.since + TURN.beginsWithinMs - this.#context.clock.monotonic();
    const withinMs = leftMs > 0 ? Math.min(leftMs, LOOK_SELDOM_MS) : LOOK_SELDOM_MS;
    return { withinMs, afterOutputMs: LOOK_EVERY_MS };
  }

  heard(signal: Signal): void {
    if (!this.#isAhead()) return;
    const now = this.#context.clock.monotonic();
    if (signal.kind === "handed-over") this.#turn ??= awaitedTurn(now);
    if (signal.kind !== "screen" || this.#turn === undefined) return;
    const shows = shownBy(signal.reading, this.#session.queueReadiness());
    if (shows === "idle" && !this.#hasTaken()) return;
    this.#turn = stepTurn(this.#turn, { now, shows }, TURN);
    if (shows !== "idle" || this.#is === "being-told") return;
    if (this.#turn.at === "ended") void this.#tell("ended");
    if (this.#turn.at === "lost") void this.#tell("unseen");
  }

  /** A parent waits to hear of it, and no hook will report it. */
  #isAhead(): boolean {
    const { record } = this.#session;
    return record.owesFirstTurn === true && record.parent !== undefined && !record.hooked;
  }

  /** If the disk fails now, it is tried again in a moment. */
  async #tell(how: FirstTurnEnd): Promise<void> {
    this.#is = "being-told";
    await this.#over(how).catch((cause: unknown) => {
      const session = this.#session.record.id;
      this.#context.log.error("session.parent_untold", { session, cause: String(cause) });
    });
    this.#is = "watched";
  }

  #hasTaken(): boolean {
    return this.#context.store.read
      .attemptedIn(this.#session.record.id, ["delivered", "read", "replied"], FEW)
      .some(({ delivery }) => delivery.state !== "delivered" || isTaken(delivery.evidence));
  }
}
