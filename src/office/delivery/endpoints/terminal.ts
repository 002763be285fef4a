/**
 * Where a session's messages are delivered: tries the transport ladder for one batch, under the terminal's lock. Called
 * only by the courier. It never falls from a native hand-over to keys, and never goes below what was required.
 */

import { hostOfSpeaker } from "../../../core/cluster/speakers.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { Transport } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { isResponseOver } from "../../../core/readiness/readiness.ts";
import { BRING_IT_BACK, isSuspended } from "../../../core/readiness/standing.ts";
import { mayDismiss } from "../../../core/rights/rights.ts";
import { rungsFor, type WaysIn, waysInOf } from "../../../core/rights/ways-in.ts";
import type { Batch, DeliveryOutcome, Endpoint, Handover } from "../../../ports/endpoint.ts";
import type { Item } from "../../../ports/store.ts";
import type { HookWindow } from "../../presence/hook-windows.ts";
import type { Observation } from "../../presence/observation.ts";
import type { OfferedDialog } from "../../presence/open-dialog.ts";
import { holdFor } from "../../typing/gatekeeping.ts";
import { breakIn } from "../../typing/interrupt.ts";
import { deliverByHook, whyNoHook } from "../../typing/transports/hook.ts";
import { deliverNative, nativeIsOpen, whyNativeIsShut } from "../../typing/transports/native.ts";
import { deliverPaste } from "../../typing/transports/paste/paste.ts";
import { deliverRaw } from "../../typing/transports/raw.ts";
import type { RungParts } from "../../typing/transports/rung.ts";
import type { Ways } from "../next-batch.ts";

const LOOK_AGAIN_MS = 1_000;
/** The inboxes take a megabyte; a longer run is split. */
const MOST_TOGETHER_BYTES = 768 * 1024;

export class TerminalEndpoint implements Endpoint, Ways {
  readonly #parts: RungParts;

  constructor(parts: RungParts) {
    this.#parts = parts;
  }

  /** A rung is open that reaches a busy program without keys. */
  async reachesBusy(): Promise<boolean> {
    return this.#allows("native") && (await nativeIsOpen(this.#parts));
  }

  /** Its hooks may carry text, and no better rung is open. */
  async takesHooks(): Promise<boolean> {
    if (!this.#allows("hook") || whyNoHook(this.#parts.session) !== undefined) return false;
    return !(await this.reachesBusy());
  }

  waysIn({ message, delivery }: Item): WaysIn {
    const { context, session } = this.#parts;
    if (session.profile.inboxSpeaksAs === "user") return "best-first";
    const { personBy } = context.settings();
    return waysInOf(message, delivery.anyWayIn === true, personBy);
  }

  /** Messages with different ways in are sent separately. If everything is typed, all that waits is one prompt. */
  together(items: readonly Item[], byInbox: boolean): readonly Item[] {
    const first = items[0];
    if (first === undefined || !byInbox) return items;
    let bytes = 0;
    const end = items.findIndex((item) => {
      bytes += Buffer.byteLength(item.message.body);
      if (item === first) return false;
      return this.waysIn(item) !== this.waysIn(first) || bytes > MOST_TOGETHER_BYTES;
    });
    return end === -1 ? items : items.slice(0, end);
  }

  mayDismiss({ message }: Item): boolean {
    return mayDismiss(message, this.#parts.context.settings().rights);
  }

  answering({ message }: Item): OfferedDialog | undefined {
    const { context, session, neighbours } = this.#parts;
    const host = hostOfSpeaker(message.from);
    if (host === undefined || !neighbours.mayPress(host)) return undefined;
    return session.openDialog.offered(() => context.ids.shortId());
  }

  async deliver(batch: Batch, handover: Handover, looked?: Observation): Promise<DeliveryOutcome> {
    return this.#parts.session.lock.hold(async () => {
      // Checked under the lock: during the wait for it, another program may have come to the front.
      const away = await this.#awayOutcome();
      return away ?? this.#deliverLocked(batch, handover, looked);
    });
  }

  /** In the answer to a hook that waits for it, and in no other way. */
  async deliverByHook(batch: Batch, handover: Handover, window: HookWindow): Promise<DeliveryOutcome> {
    return this.#parts.session.lock.hold(async () => {
      const away = await this.#awayOutcome();
      const result = away ?? (await deliverByHook(this.#parts, batch, handover, window));
      if (result.kind !== "not-here") return result;
      return holdFor(this.#parts.context, "busy", "when the running turn has ended", 0);
    });
  }

  async #deliverLocked(
    batch: Batch,
    handover: Handover,
    looked: Observation | undefined,
  ): Promise<DeliveryOutcome> {
    const { session, context } = this.#parts;
    if (batch.items.some(({ message }) => message.form.kind === "raw"))
      return deliverRaw(this.#parts, batch, handover);
    if (handover.interrupting) {
      const held = await breakIn(session, context, batch.items);
      if (held !== undefined) return held;
    }
    let held: DeliveryOutcome | undefined;
    let begun = false;
    const begin: Handover["begin"] = async (attempt) => {
      await handover.begin(attempt);
      begun = true;
    };
    for (const rung of await this.#ladder(batch)) {
      const deliver = rung === "native" ? deliverNative : deliverPaste;
      const parts = handover.interrupting ? this.#parts : { ...this.#parts, ...present({ looked }) };
      const result = await deliver(parts, batch, { ...handover, begin });
      if (result.kind !== "not-here") {
        // One attempt, one rung: what was begun is settled before another way in is tried.
        if (result.kind !== "hold" || begun) return result;
        held ??= result;
      }
    }
    if (held !== undefined) return held;
    if (session.profile.composer === "persons-only") return this.#waitForInbox();
    return this.#nothingOpen(this.#waysOf(batch));
  }

  async #ladder(batch: Batch): Promise<readonly ("native" | "paste")[]> {
    const { session } = this.#parts;
    const idle = isResponseOver(session.queueReadiness());
    const letThrough = batch.items.every(
      ({ delivery }) => delivery.release === "now" || delivery.priority === "interrupt",
    );
    const rungs: ("native" | "paste")[] = [];
    if (await this.reachesBusy()) rungs.push("native");
    const isTypedInto = session.profile.composer !== "persons-only";
    if (isTypedInto && this.#allows("paste") && (idle || letThrough)) rungs.push("paste");
    return rungsFor(this.#waysOf(batch), rungs, idle);
  }

  /** A batch has one way in; if it ever had several, the strictest would apply. */
  #waysOf({ items }: Batch): WaysIn {
    const ways = new Set(items.map((item) => this.waysIn(item)));
    if (ways.has("typed-only")) return "typed-only";
    return ways.has("best-first") ? "best-first" : "typed-first";
  }

  #allowed(): readonly Transport[] {
    const { context, session } = this.#parts;
    return context.settings().transports(session.record.program);
  }

  #allows(transport: Transport): boolean {
    return this.#allowed().includes(transport);
  }

  async #waitForInbox(): Promise<DeliveryOutcome> {
    const { context, session } = this.#parts;
    const why = this.#allows("native")
      ? await whyNativeIsShut(this.#parts)
      : `"native" is not among the transports allowed for ${session.record.program}`;
    const { reading } = await session.observe();
    const isTyping = reading.kind === "composer" && reading.draft.kind === "text";
    const { kind } = session.readiness();
    const reason = kind === "blocked" || kind === "busy" ? kind : isTyping ? "typing" : "unknown";
    return holdFor(context, reason, `when its inbox takes messages (${why ?? "it does now"})`);
  }

  #nothingOpen(ways: WaysIn): DeliveryOutcome {
    const { context, session } = this.#parts;
    const readiness = session.readiness();
    return holdFor(
      context,
      readiness.kind === "blocked" ? "blocked" : readiness.kind === "busy" ? "busy" : "unknown",
      `when a way in is open: ${readiness.because}; allowed for ${session.record.program}: ${this.#allowed().join(", ")}${ways === "typed-only" ? TYPED_ONLY : ""}`,
    );
  }

  /**
   * Only the addressed process counts: a successor in the same place is another one. While suspended it reads nothing,
   * not even its own inbox.
   */
  async #awayOutcome(): Promise<DeliveryOutcome | undefined> {
    const { context, session } = this.#parts;
    const { agentPid, agentStartedAt, panePid } = session.identity;
    const standing = await context.processes.standing({ pid: agentPid, startedAt: agentStartedAt }, panePid);
    if (standing === "in-front") return undefined;
    if (isSuspended(standing)) return holdFor(context, "suspended", BRING_IT_BACK, LOOK_AGAIN_MS);
    if (standing === "unknown")
      return holdFor(context, "unknown", "when its process can be seen again", LOOK_AGAIN_MS);
    return {
      kind: "gone",
      error: new BellhopError("terminal.gone", {
        message: `The program of session ${session.record.id} has ended.`,
        next: "Start it again; its messages wait.",
      }),
    };
  }
}

const TYPED_ONLY = "; a person's words are typed, unless sent with --any-way-in";
