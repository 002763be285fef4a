/**
 * Where a session's mailboxes empty: walks the transport ladder for one batch, under the terminal's lock.
 * Called by the courier only. It never falls from a native hand-over to keys, and never goes below what was required.
 */
import { BellhopError } from "../../core/errors.ts";
import type { Transport } from "../../core/message.ts";
import type { Batch, Handover, Outcome } from "../../ports/endpoint.ts";
import type { Item } from "../../ports/store.ts";
import type { TerminalRungs } from "../courier.ts";
import { breakIn } from "../interrupt.ts";
import type { RungParts, RungResult } from "../rung.ts";
import { deliverNative, nativeIsOpen } from "../transports/native.ts";
import { deliverPaste } from "../transports/paste.ts";
import { deliverRaw } from "../transports/raw.ts";

export class TerminalEndpoint implements TerminalRungs {
  readonly #parts: RungParts;

  constructor(parts: RungParts) {
    this.#parts = parts;
  }

  async reachesBusy(): Promise<boolean> {
    return this.#allows("native") && (await nativeIsOpen(this.#parts)).kind === "offered";
  }

  /** A person's message prefers to be typed: an inbox would tell the model that its user did not write it. */
  together(items: readonly Item[]): readonly Item[] {
    const first = items[0];
    if (first === undefined || this.#allowed().length < 2) return items;
    const end = items.findIndex(
      ({ message }) => (message.source === "person") !== (first.message.source === "person"),
    );
    return end === -1 ? items : items.slice(0, end);
  }

  async deliver(batch: Batch, handover: Handover): Promise<Outcome> {
    return this.#parts.session.lock.hold(async () => {
      // Under the lock: whoever held it may have taken long enough for another program to stand there.
      const gone = await this.#goneOutcome();
      return gone ?? this.#deliverLocked(batch, handover);
    });
  }

  async #deliverLocked(batch: Batch, handover: Handover): Promise<Outcome> {
    const { session, context } = this.#parts;
    if (batch.items.some(({ message }) => message.form.kind === "raw"))
      return deliverRaw(this.#parts, batch, handover);
    if (handover.interrupting) {
      const held = await breakIn(
        session,
        context,
        batch.items.map(({ delivery }) => delivery.id),
      );
      if (held !== undefined) return held;
    }
    let held: Outcome | undefined;
    let begun = false;
    const begin: Handover["begin"] = async (attempt) => {
      await handover.begin(attempt);
      begun = true;
    };
    for (const rung of await this.#ladder(batch)) {
      const result = await this.#tryRung(rung, batch, { ...handover, begin });
      if (result.kind !== "not-here") {
        // One attempt, one rung: what was begun is settled before another way in is tried.
        if (result.kind !== "hold" || begun) return result;
        held ??= result;
      }
    }
    return held ?? this.#nothingOpen();
  }

  #tryRung(rung: "native" | "paste", batch: Batch, handover: Handover): Promise<RungResult> {
    return rung === "native"
      ? deliverNative(this.#parts, batch, handover)
      : deliverPaste(this.#parts, batch, handover);
  }

  async #ladder(batch: Batch): Promise<readonly ("native" | "paste")[]> {
    const { session } = this.#parts;
    const idle = session.queueReadiness().kind === "idle";
    const letThrough = batch.items.every(
      ({ delivery }) => delivery.release === "now" || delivery.priority === "interrupt",
    );
    const rungs: ("native" | "paste")[] = [];
    if (this.#allows("native") && (await nativeIsOpen(this.#parts)).kind === "offered") rungs.push("native");
    if (this.#allows("paste") && (idle || letThrough)) rungs.push("paste");
    const fromPerson = batch.items.every(({ message }) => message.source === "person");
    return fromPerson && idle ? rungs.toReversed() : rungs;
  }

  #allowed(): readonly Transport[] {
    const { context, session } = this.#parts;
    return context.settings().transports(session.record.program);
  }

  #allows(transport: Transport): boolean {
    return this.#allowed().includes(transport);
  }

  #nothingOpen(): Outcome {
    const { context, session } = this.#parts;
    const readiness = session.readiness();
    return {
      kind: "hold",
      reason: readiness.kind === "blocked" ? "blocked" : readiness.kind === "busy" ? "busy" : "unknown",
      release: `when a way in is open: ${readiness.because}; allowed for ${session.record.program}: ${this.#allowed().join(", ")}`,
      retryAt: context.clock.now() + context.settings().inputPollMs,
    };
  }

  /** The process that was addressed, or nothing: a successor in the same place is another one. */
  async #goneOutcome(): Promise<Outcome | undefined> {
    const { context, session } = this.#parts;
    const { agentPid, agentStartedAt } = session.identity;
    const state = await context.processes.alive(agentPid, agentStartedAt);
    if (state === "alive") return undefined;
    if (state === "unknown") {
      return {
        kind: "hold",
        reason: "unknown",
        release: "when its process can be seen again",
        retryAt: context.clock.now() + 1_000,
      };
    }
    return {
      kind: "gone",
      error: new BellhopError("terminal.gone", {
        message: `The program of session ${session.record.id} has ended.`,
        next: "Start it again; its messages wait.",
      }),
    };
  }
}
