/**
 * The first turn of a child that no hook reports: until its screen has shown it at work and then idle, or it is clear
 * that nothing will show. Children attends to it for whoever a parent waits for. It never types and never writes.
 */
import { isTaken } from "../../core/evidence.ts";
import type { Signal } from "../../core/readiness/readiness.ts";
import { showsWork } from "../../core/readiness/reading.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { overhear } from "../presence/overhearing.ts";

/** `unseen`: it has its message, and what became of it cannot be told. */
export type FirstTurnEnd = "ended" | "unseen";

const FEW = 10;
const LOOK_EVERY_MS = 2_000;
/** Behind the terminal's own word that something changed. */
const LOOK_SELDOM_MS = 30_000;
/** A program that is idle then, and was not seen at work, will not show it. */
const UNSEEN_AFTER_MS = 60_000;

export class FirstTurn {
  readonly #context: OfficeContext;
  readonly #session: LiveSession;
  readonly #over: (how: FirstTurnEnd) => Promise<void>;
  readonly #stops: readonly (() => void)[];
  #handedOverMonotonic: number | undefined;
  #work: "unseen" | "seen" = "unseen";
  #is: "watched" | "told" | "closed" = "watched";
  #timer: { readonly by: "output" | "time"; cancel(): void } | undefined;

  constructor(parts: {
    readonly context: OfficeContext;
    readonly session: LiveSession;
    readonly over: (how: FirstTurnEnd) => Promise<void>;
  }) {
    this.#context = parts.context;
    this.#session = parts.session;
    this.#over = parts.over;
    this.#stops = [
      overhear(this.#session, this.#context, (signal) => this.#heard(signal)),
      this.#session.onOutput(() => {
        if (this.#timer?.by === "time") this.#lookAfter(LOOK_EVERY_MS, "output");
      }),
    ];
    // Before a restart of the daemon: the turn may still be seen to end.
    if (this.#hasTaken()) this.#handedOver(0);
  }

  close(): void {
    this.#is = "closed";
    for (const stop of this.#stops) stop();
    this.#timer?.cancel();
  }

  #heard(signal: Signal): void {
    if (!isFirstTurnAhead(this.#session)) this.close();
    if (this.#is === "closed") return;
    if (signal.kind === "handed-over") this.#handedOver(LOOK_EVERY_MS);
    if (this.#handedOverMonotonic === undefined) return;
    if (signal.kind !== "screen") return;
    // Whichever turn it is: when it ends, the first one has.
    if (showsWork(signal.reading)) this.#work = "seen";
    else if (this.#session.queueReadiness().kind === "idle") this.#seenIdle(this.#handedOverMonotonic);
  }

  #handedOver(lookAfterMs: number): void {
    this.#handedOverMonotonic ??= this.#context.clock.monotonic();
    this.#lookAfter(lookAfterMs, "time");
  }

  #seenIdle(handedOverMonotonic: number): void {
    if (this.#is !== "watched" || !this.#hasTaken()) return;
    const isLate = this.#context.clock.monotonic() - handedOverMonotonic >= UNSEEN_AFTER_MS;
    if (this.#work === "seen" || isLate) void this.#tell(this.#work === "seen" ? "ended" : "unseen");
  }

  async #tell(how: FirstTurnEnd): Promise<void> {
    this.#is = "told";
    try {
      await this.#over(how);
      this.close();
    } catch (cause) {
      // A disk that cannot take it may be able to in a moment.
      this.#context.log.error("session.parent_untold", {
        session: this.#session.record.id,
        cause: String(cause),
      });
      this.#is = "watched";
    }
  }

  #hasTaken(): boolean {
    return this.#context.store.read
      .attemptedIn(this.#session.record.id, ["delivered", "read", "replied"], FEW)
      .some(({ delivery }) => delivery.state !== "delivered" || isTaken(delivery.evidence));
  }

  #lookAfter(ms: number, by: "output" | "time"): void {
    this.#timer?.cancel();
    this.#timer = { by, cancel: this.#context.clock.after(ms, () => void this.#look()) };
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    // What it shows is heard as a signal, as is what others read.
    await this.#session.observe().catch((cause: unknown) => {
      this.#context.log.warn("turn.unseen", { session: this.#session.record.id, cause: String(cause) });
    });
    if (this.#is === "closed" || this.#timer !== undefined) return;
    this.#lookAfter(this.#work === "seen" ? LOOK_EVERY_MS : this.#untilUnseenMs(), "time");
  }

  #untilUnseenMs(): number {
    const { clock } = this.#context;
    const leftMs = (this.#handedOverMonotonic ?? clock.monotonic()) + UNSEEN_AFTER_MS - clock.monotonic();
    return leftMs > 0 ? Math.min(leftMs, LOOK_SELDOM_MS) : LOOK_SELDOM_MS;
  }
}

/** Somebody waits to hear of it, and no hook will tell. */
export function isFirstTurnAhead({ record }: LiveSession): boolean {
  return record.owesFirstTurn === true && record.parent !== undefined && !record.hooked;
}
