/**
 * After a start: what became of each delivery in flight, before its courier runs again.
 * Called once for each session that comes to life, and once for those whose session is gone. It looks for proof first,
 * types again only what provably did not arrive, and marks what it cannot decide.
 */

import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import { isCode } from "../../core/desk/reply-text.ts";
import { type CrashScene, decideRecovery, evidenceOfSubmit, type Recovery } from "../../core/evidence.ts";
import type { Attempt, Delivery, DeliveryId, Evidence, SessionId } from "../../core/message.ts";
import { isOutlet } from "../../core/outside/places.ts";
import { isElsewhere } from "../../core/session.ts";
import type { Item, StoredHookEvent } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import { pause } from "../base/deadline.ts";
import { offlineHold } from "../base/offline.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { expectationAt } from "../typing/gatekeeping.ts";
import { composerHolds, composerText, screenTells, showsAboveComposer, soughtBy } from "../typing/proof.ts";
import { recordTurnEnd } from "./ledger.ts";
import { recovered } from "./recovered.ts";
import { mixedByHook, printedByHook } from "./settlement.ts";

/** A hook that was running when the daemon died has written to the spool within this time. */
const HOOK_GRACE_MS = 5_000;
/** A hook that was given a text runs no longer than this: then the program has recorded what it printed, or never will. */
const ANSWER_GRACE_MS = 12_000;
const MOST_IN_FLIGHT = 1_000;

export class Recover {
  readonly #context: OfficeContext;
  readonly #onMixed: (sessionId: SessionId, items: readonly Item[]) => void;
  /** Undefined before the first look. */
  #undecided: Set<DeliveryId> | undefined;

  constructor(context: OfficeContext, onMixed: (sessionId: SessionId, items: readonly Item[]) => void) {
    this.#context = context;
    this.#onMixed = onMixed;
  }

  /** Something was in flight to a program that is neither seen nor known to have ended. */
  get isUndecided(): boolean {
    return this.#undecided !== undefined && this.#undecided.size > 0;
  }

  /** The spool must have been read before. */
  async session(session: LiveSession): Promise<void> {
    const items = this.#context.store.read.attemptedIn(session.record.id, ["delivering"], MOST_IN_FLIGHT);
    for (const batch of byToken(items)) {
      const first = batch[0];
      if (first === undefined) continue;
      const scene = await this.#settledScene(session, first);
      const recovery = decideRecovery(scene);
      if (recovery.do === "submit-only") await this.#settle(batch, recovery, session);
      else {
        // One prompt gives one scene, but each sender has decided for itself whether a second copy may come.
        for (const atMostOnce of [true, false]) {
          const items = batch.filter(({ delivery }) => delivery.atMostOnce === atMostOnce);
          if (items.length > 0) await this.#settle(items, decideRecovery({ ...scene, atMostOnce }), session);
        }
      }
    }
  }

  /**
   * Their programs ended while the daemon was down, so no screen can tell any more. Deliveries to a program that is
   * neither seen nor known to have ended are checked again by the next call.
   */
  async orphans(whereabouts: (sessionId: SessionId) => Promise<"live" | "gone" | "unknown">): Promise<void> {
    const { read } = this.#context.store;
    // What goes outside is recovered by its outlet. What another host has may be much, and stays until its news come.
    const mailboxes = read
      .mailboxesWithDelivering()
      .filter((mailbox) => !isOutlet(mailbox) && hostOfMailbox(mailbox) === undefined);
    const items = read
      .deliveries({ mailboxes, states: ["delivering"], limit: MOST_IN_FLIGHT })
      // What is in a turn without a terminal is recovered by that turn.
      .filter(({ delivery }) => delivery.transport !== "headless")
      .filter(({ delivery }) => this.#undecided === undefined || this.#undecided.has(delivery.id));
    this.#undecided = new Set();
    for (const item of items) {
      const { attempt } = item.delivery;
      const where = attempt === undefined ? "gone" : await whereabouts(attempt.sessionId);
      if (where === "unknown") this.#undecided.add(item.delivery.id);
      if (where !== "gone") continue;
      const proof = attempt === undefined ? undefined : this.#hookProof(item);
      await this.#settle(
        [item],
        decideRecovery({
          transport: attempt?.transport ?? "paste",
          atMostOnce: item.delivery.atMostOnce,
          proof,
          mixed: attempt !== undefined && this.#hookMixed(attempt),
          raw: isRaw(item),
          provenAbsent: false,
          sameProcess: false,
          composer: "unreadable",
        }),
        undefined,
      );
    }
  }

  #submission(attempt: Attempt | undefined): StoredHookEvent | undefined {
    if (attempt === undefined) return undefined;
    return this.#context.store.read
      .hookEvents(attempt.sessionId, 0)
      .find(
        (event) =>
          event.event === "prompt-submitted" &&
          event.emittedAt >= attempt.startedAt - HOOK_GRACE_MS &&
          (event.tokens.includes(attempt.token) || event.promptDigest === attempt.promptDigest),
      );
  }

  /** Its end was reported before its beginning was known. */
  #turnIsOver(delivery: Delivery, evidence: Evidence): boolean {
    const { attempt } = delivery;
    if (attempt === undefined || (evidence !== "submitted" && evidence !== "transcript")) return false;
    const prompt = this.#submission(attempt);
    const begun = prompt?.emittedAt ?? attempt.startedAt;
    const isItsEnd = (told: StoredHookEvent) =>
      told.event === "turn-ended" && told.subAgent === undefined && told.emittedAt > begun;
    return this.#context.store.read
      .hookEvents(attempt.sessionId, 0)
      .some((told) => isItsEnd(told) && (prompt === undefined || !isElsewhere(prompt, told)));
  }

  #hookProof({ delivery }: Item): Evidence | undefined {
    const { attempt } = delivery;
    if (attempt === undefined) return undefined;
    const { transport, sessionId, startedAt, wasBusy } = attempt;
    if (this.#submission(attempt) !== undefined) return evidenceOfSubmit(transport, wasBusy);
    const isPrinted = printedByHook(attempt, this.#context.store.read.hookEvents(sessionId, startedAt));
    return transport === "hook" && isPrinted ? "accepted" : undefined;
  }

  #hookMixed(attempt: Attempt): boolean {
    const { read } = this.#context.store;
    return mixedByHook(attempt, read.hookEvents(attempt.sessionId, attempt.startedAt - HOOK_GRACE_MS));
  }

  /** A witness that would have reported by now counts; one that may still report is waited for. */
  async #settledScene(session: LiveSession, item: Item): Promise<CrashScene> {
    const { clock } = this.#context;
    const scene = await session.lock.hold(() => this.#scene(session, item));
    const sinceMs = clock.now() - (item.delivery.attempt?.startedAt ?? 0);
    // If the clock was set back, this would otherwise wait for days.
    const graceMs = scene.transport === "hook" ? ANSWER_GRACE_MS : HOOK_GRACE_MS;
    const leftMs = graceMs - Math.max(0, sinceMs);
    const open =
      scene.proof === undefined &&
      !scene.mixed &&
      (!scene.provenAbsent || scene.submitted === true || scene.raw === true || scene.transport === "hook") &&
      scene.composer !== "our-text";
    if (!open || leftMs <= 0) return scene;
    await pause(clock, leftMs + 1);
    return session.lock.hold(() => this.#scene(session, item));
  }

  async #scene(session: LiveSession, item: Item): Promise<CrashScene> {
    const { transcripts, clock } = this.#context;
    const attempt = item.delivery.attempt;
    const transport = attempt?.transport ?? "paste";
    // A resumed session runs in another process, whose screen shows nothing of what the first one was given.
    const sameProcess = attempt !== undefined && session.record.startedAt <= attempt.startedAt;
    const submitted = attempt?.submittedAt !== undefined;
    const raw = isRaw(item);
    const base = { transport, atMostOnce: item.delivery.atMostOnce, sameProcess, submitted, raw } as const;
    const unread = { provenAbsent: false, composer: "unreadable" } as const;
    if (attempt === undefined) return { ...base, ...unread, proof: undefined, mixed: false };
    if (transport === "hook") return { ...base, ...unread, ...(await this.#hookScene(session, attempt)) };
    const hook = this.#hookProof(item);
    if (hook !== undefined) return { ...base, ...unread, proof: hook, mixed: false };
    if (this.#hookMixed(attempt)) return { ...base, ...unread, proof: undefined, mixed: true };
    const transcript = await transcripts.find(
      session.record.program,
      session.facts,
      soughtBy(attempt, this.#context.digest),
      attempt.startedAt,
    );
    if (transcript.kind === "mixed") return { ...base, ...unread, proof: undefined, mixed: true };
    if (transcript.kind === "found") {
      const proof = transcript.as === "turn" ? "transcript" : "queued-in-agent";
      return { ...base, ...unread, proof, mixed: false };
    }
    const observation = await session.observe();
    const untouched = attempt.screenDigest !== undefined && observation.digest === attempt.screenDigest;
    const ours = composerHolds(observation, attempt.token);
    const shown = ours ? undefined : screenTells(observation, attempt.token, this.#draftUnder(attempt));
    const isGraceOver = clock.now() - attempt.startedAt > HOOK_GRACE_MS;
    const hooksWouldHaveTold = session.record.hooked && isGraceOver && !raw;
    const { reading } = observation;
    return {
      ...base,
      proof: shown === "screen" && transport === "paste" ? "screen" : undefined,
      mixed: shown === "mixed" && transport === "paste",
      // While busy, a program may hold a text in its inbox without a hook; its transcript would show it.
      provenAbsent:
        (untouched && (isGraceOver || !raw) && !namesCode(item)) ||
        (hooksWouldHaveTold && (transcript.kind === "absent" || !attempt.wasBusy)),
      composer: ours
        ? "our-text"
        : reading.kind !== "composer"
          ? "unreadable"
          : reading.draft.kind === "empty"
            ? "empty"
            : "other-text",
    };
  }

  /** What went in the answer to a hook leaves no sign on the screen: its session file tells, or the hook's report. */
  async #hookScene(
    { record, facts }: LiveSession,
    attempt: Attempt,
  ): Promise<Pick<CrashScene, "proof" | "mixed" | "provenAbsent">> {
    const { transcripts, store, digest } = this.#context;
    const sought = soughtBy(attempt, digest);
    const found = await transcripts.find(record.program, facts, sought, attempt.startedAt);
    if (found.kind === "mixed") return { proof: undefined, mixed: true, provenAbsent: false };
    const isPrinted = printedByHook(attempt, store.read.hookEvents(attempt.sessionId, attempt.startedAt));
    const byHook = this.#submission(attempt) === undefined ? undefined : evidenceOfSubmit("hook", false);
    const inFile = found.kind === "found" ? "transcript" : undefined;
    const byReport = found.kind === "unreadable" && isPrinted ? "accepted" : undefined;
    return {
      proof: byHook ?? inFile ?? byReport,
      mixed: false,
      provenAbsent: found.kind === "absent" && !isPrinted,
    };
  }

  /** The person's text that was in the composer when this was typed. */
  #draftUnder({ sessionId, startedAt }: Attempt): string | undefined {
    return this.#context.store.read
      .keptDrafts({ sessionId, open: true })
      .find(({ keptAt }) => keptAt <= startedAt)?.text;
  }

  async #settle(batch: readonly Item[], recovery: Recovery, session: LiveSession | undefined): Promise<void> {
    const submitted =
      recovery.do === "submit-only" && session !== undefined && (await this.#submitOnly(session, batch));
    const { store, clock, log } = this.#context;
    await store.write((tx) => {
      for (const { delivery, message } of batch) {
        // The recipient may have answered meanwhile.
        if (tx.findDelivery(delivery.id)?.state !== "delivering") continue;
        const at = clock.now();
        const hold = session === undefined ? offlineHold(delivery.to, at, message.shortId, tx) : null;
        const { receipt, patch } = recovered(recovery, { at, hold, submitted });
        tx.moveDelivery(delivery.id, receipt, patch);
        if (recovery.do === "delivered" && this.#turnIsOver(delivery, recovery.evidence))
          recordTurnEnd(tx, { delivery }, { at, note: "the agent has ended its turn" });
      }
    });
    const sessionId = batch[0]?.delivery.attempt?.sessionId;
    if (recovery.do === "leave-mixed" && sessionId !== undefined) this.#onMixed(sessionId, batch);
    log.info("delivery.recovered", {
      deliveries: batch.map(({ delivery }) => delivery.id),
      decision: recovery.do,
    });
  }

  /** One guarded submit if our own text is in the composer; never another paste. */
  async #submitOnly(session: LiveSession, batch: readonly Item[]): Promise<boolean> {
    const { token, composerDigest } = batch[0]?.delivery.attempt ?? {};
    return session.lock.hold(async () => {
      const seen = await session.observe();
      if (token === undefined || seen.screen === undefined) return false;
      // Not with a person's words after it: they would be sent too.
      if (this.#context.digest(composerText(seen) ?? "") !== composerDigest) return false;
      const injection = session.profile.inject("", seen.reading);
      const submit = injection.submit ?? injection.strokes.filter((stroke) => stroke.kind !== "paste");
      const outcome = await session.terminal.gate(expectationAt(session, seen, seen.screen), submit);
      if (outcome.kind !== "sent") return false;
      return (
        (await session.watch((now) => showsAboveComposer(now, token), { timeoutMs: 5_000 })) !== undefined
      );
    });
  }
}

function isRaw({ message }: Item): boolean {
  return message.form.kind === "raw";
}

/** Its code is forgotten by now, so that the next attempt would say that nothing was typed. */
function namesCode({ message: { form } }: Item): boolean {
  return form.kind === "raw" && form.dialog !== undefined && isCode(form.dialog);
}

function byToken(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = item.delivery.attempt?.token ?? item.delivery.id;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
}
