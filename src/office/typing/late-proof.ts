/**
 * Proof from the screen that comes after the waiting has ended: a text that was typed and left unconfirmed is above the
 * composer after all. One per live session; the screen watcher calls it. Only for taught programs: the others have
 * better witnesses, and may have sent the text together with what was in their composer.
 */
import { isAtLeast, UNPROVEN } from "../../core/evidence.ts";
import { type DeliveryId, LIMITS, type MessageId } from "../../core/message.ts";
import type { Signal } from "../../core/readiness/readiness.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";
import type { LooksWanted, Onlooker } from "../presence/onlooker.ts";
import { showsAboveComposer } from "./proof.ts";

/** A batch at most, with a margin. */
const FEW = LIMITS.batch + 10;
const LOOK_EVERY_MS = 2_000;
/** Later, a screen has scrolled past it or shows it for another reason. */
const LATEST_MS = 10 * 60_000;

export class LateProof implements Onlooker {
  readonly #parts: Ground;
  readonly #session: LiveSession;
  /** Since when. `somebody`: at the last look its proof was still awaited, or the screen could not be read. */
  #typed: { readonly sinceMonotonic: number; readonly awaitedBy: "nobody" | "somebody" } | undefined;

  constructor(parts: Ground, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
    // Left by an earlier daemon.
    if (this.#isTaught() && this.#unproven().length > 0) this.#begin();
  }

  heard(signal: Signal): void {
    if (signal.kind === "handed-over" && this.#isTaught()) this.#begin();
  }

  wants(): LooksWanted | undefined {
    return this.#typed?.awaitedBy === "somebody" ? { withinMs: LOOK_EVERY_MS } : undefined;
  }

  seen(observation: Observation): void {
    this.#look(observation).catch((cause: unknown) => {
      const session = this.#session.record.id;
      this.#parts.context.log.error("proof.unseen", { session, cause: String(cause) });
    });
  }

  #isTaught(): boolean {
    return !this.#session.profile.inbox;
  }

  #begin(): void {
    this.#typed = { sinceMonotonic: this.#parts.context.clock.monotonic(), awaitedBy: "nobody" };
  }

  async #look(seen: Observation): Promise<void> {
    const typed = this.#typed;
    if (typed === undefined) return;
    const open = this.#unproven();
    const isLate = this.#parts.context.clock.monotonic() - typed.sinceMonotonic > LATEST_MS;
    const isAwaited =
      seen.screen === undefined || open.some(({ delivery }) => delivery.state === "delivering");
    this.#typed =
      isLate || open.length === 0 ? undefined : { ...typed, awaitedBy: isAwaited ? "somebody" : "nobody" };
    if (this.#typed?.awaitedBy !== "nobody") return;
    const shown = open.filter(({ delivery }) => showsAboveComposer(seen, delivery.attempt?.token ?? ""));
    if (shown.length > 0) await this.#record(shown);
  }

  #unproven(): readonly Item[] {
    return this.#parts.context.store.read
      .attemptedIn(this.#session.record.id, ["delivering", "unconfirmed"], FEW)
      .filter(({ delivery: { attempt, require }, message }) => {
        if (attempt?.transport !== "paste" || attempt.token === "" || message.form.kind !== "text")
          return false;
        return require === undefined || isAtLeast("screen", require);
      })
      .filter(({ delivery }) => delivery.state === "delivering" || this.#wasSubmitted(delivery.id));
  }

  /** Submitted, not only typed: a person who submits it later may add their own words. */
  #wasSubmitted(id: DeliveryId): boolean {
    return this.#parts.context.store.read.receiptsOf(id).at(-1)?.note === UNPROVEN;
  }

  async #record(items: readonly Item[]): Promise<void> {
    const { context, states } = this.#parts;
    const changed: MessageId[] = [];
    await context.store.write((tx) => {
      for (const { delivery } of items) {
        if (tx.findDelivery(delivery.id)?.state !== "unconfirmed") continue;
        const proof = { evidence: "screen" } as const;
        const at = context.clock.now();
        tx.moveDelivery(delivery.id, { at, state: "delivered", ...proof, note: "late evidence" }, proof);
        changed.push(delivery.messageId);
      }
    });
    states.changed(changed);
  }
}
