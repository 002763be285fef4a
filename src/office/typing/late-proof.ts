/**
 * Proof from the screen that comes when nobody waits for it any more: what was typed and left unconfirmed stands above the
 * composer after all. The office has it attend every live session. It only looks, and only at programs that were taught:
 * the others have better witnesses, and may have sent it together with what stood in their composer.
 */
import { isAtLeast, UNPROVEN } from "../../core/evidence.ts";
import { type DeliveryId, LIMITS, type MessageId } from "../../core/message.ts";
import type { Item } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import type { StateWatch } from "../base/state-watch.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { overhear } from "../presence/overhearing.ts";
import { showsAboveComposer } from "./proof.ts";

/** A batch at most, with room. */
const FEW = LIMITS.batch + 10;
/** Many changes of one moment are one look. */
const PAUSE_MS = 1_000;
/** Later a screen has scrolled past it, or shows it for another reason. */
const LATEST_MS = 10 * 60_000;

interface LateProofParts {
  readonly context: OfficeContext;
  readonly states: StateWatch;
}

export class LateProof {
  readonly #parts: LateProofParts;
  readonly #attended = new Map<LiveSession, () => void>();

  constructor(parts: LateProofParts) {
    this.#parts = parts;
  }

  attend(session: LiveSession): void {
    if (this.#attended.has(session) || session.profile.inbox) return;
    const witness = new Witness(this.#parts, session);
    this.#attended.set(session, () => witness.close());
  }

  /** Its program has ended. */
  leave(session: LiveSession): void {
    this.#attended.get(session)?.();
    this.#attended.delete(session);
  }

  close(): void {
    for (const session of [...this.#attended.keys()]) this.leave(session);
  }
}

class Witness {
  readonly #parts: LateProofParts;
  readonly #session: LiveSession;
  readonly #stops: readonly (() => void)[];
  #typedAtMonotonic: number | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: LateProofParts, session: LiveSession) {
    this.#parts = parts;
    this.#session = session;
    this.#stops = [
      overhear(session, parts.context, (signal) => {
        if (signal.kind === "handed-over") this.#typedAtMonotonic = parts.context.clock.monotonic();
      }),
      session.onOutput(() => {
        if (this.#typedAtMonotonic !== undefined) this.#lookSoon();
      }),
    ];
    // Of an earlier daemon.
    if (this.#unproven().length > 0) {
      this.#typedAtMonotonic = parts.context.clock.monotonic();
      this.#lookSoon();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#cancel?.();
  }

  #lookSoon(): void {
    this.#cancel ??= this.#parts.context.clock.after(PAUSE_MS, () => {
      this.#cancel = undefined;
      void this.#look().catch((cause: unknown) => {
        this.#parts.context.log.error("proof.unseen", {
          session: this.#session.record.id,
          cause: String(cause),
        });
      });
    });
  }

  async #look(): Promise<void> {
    const { clock } = this.#parts.context;
    const since = this.#typedAtMonotonic;
    if (since === undefined || clock.monotonic() - since > LATEST_MS) {
      this.#typedAtMonotonic = undefined;
      return;
    }
    const open = this.#unproven();
    // Somebody still waits for it, and leaves it to us in a moment.
    if (open.some(({ delivery }) => delivery.state === "delivering")) return this.#lookSoon();
    if (open.length === 0) {
      this.#typedAtMonotonic = undefined;
      return;
    }
    const seen = await this.#session.observe();
    const shown = open.filter(({ delivery }) => showsAboveComposer(seen, delivery.attempt?.token ?? ""));
    if (shown.length > 0 && !this.#isClosed) await this.#record(shown);
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

  /** Not merely typed: what a person submitted later may hold their own words, too. */
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
