/**
 * Hooks in: who spoke, what it proves, what it means for readiness. Doors and the spool call it.
 * It records before it acts, ignores a sub-agent's turns, and never answers a hook with an error.
 */
import { evidenceOfSubmit, isAtLeast, SENT } from "../../core/evidence.ts";
import {
  type Evidence,
  type Instant,
  LIMITS,
  type MessageId,
  type Receipt,
  type SessionId,
} from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { findTokens, marksOf } from "../../core/text/prompt.ts";
import { carriedBy, PROMPT_MIXED, SENT_WITH_OTHER_TEXT } from "../../core/text/whole-prompt.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { Item, StoreWriter } from "../../ports/store.ts";
import type { HookEventResponse } from "../../wire/shapes/daemon.ts";
import { recordTurnEnd } from "../delivery/ledger.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { EvidenceDesk, Submitted } from "../typing/evidence-desk.ts";
import type { Openings } from "../typing/openings.ts";
import { sessionBriefing } from "./briefing.ts";

/** Deliveries that a session may have open at once, with a margin. */
const RECENT = LIMITS.batch + 100;

export interface SignalParts extends Ground {
  readonly evidence: EvidenceDesk;
  readonly openings: Openings;
  /** Finds the session that a hook came from; scans if it is new. */
  locate(event: HookEvent): Promise<LiveSession | undefined>;
  /** A hook reported which conversation of the program this is. */
  learn(session: LiveSession, event: HookEvent): Promise<LiveSession>;
  /** The session that a hook came from, if it has ended since. */
  former(event: HookEvent): SessionId | undefined;
  onTurnEnded(session: LiveSession, at: Instant): void;
  /** They were sent together with text that is not ours. */
  onMixed(sessionId: SessionId, items: readonly Item[]): void;
}

export class Signals {
  readonly #parts: SignalParts;

  constructor(parts: SignalParts) {
    this.#parts = parts;
  }

  async receive(event: HookEvent): Promise<HookEventResponse> {
    const { context } = this.#parts;
    context.checkpoint("hook.received");
    const speaker = await this.#parts.locate(event);
    if (speaker === undefined) {
      await this.#receiveLate(event);
      return {};
    }
    const submitted = this.#submitted(speaker.record.id, event.prompt);
    const session = event.subAgent === undefined ? await this.#parts.learn(speaker, event) : speaker;
    const fenced = event.turn === "prompt-submitted" ? this.#fence(session, submitted) : undefined;
    const changed = await this.#record(session.record.id, event, submitted, fenced !== undefined);
    context.checkpoint("hook.recorded");
    if (fenced !== undefined) {
      context.log.info("hook.fenced", { session: session.record.id, tokens: submitted.tokens });
      return { output: { decision: "block", reason: fenced } };
    }
    this.#apply(session, event, submitted);
    // What a sub-agent opened, the agent itself has not seen.
    if (event.opened !== undefined && event.subAgent === undefined)
      await this.#parts.openings.told(session.record.id, event.opened);
    this.#parts.states.changed(changed);
    return this.#answer(session, event);
  }

  /** From the spool, for a program that has ended since: its proof still counts. */
  async #receiveLate(event: HookEvent): Promise<void> {
    const { context, states } = this.#parts;
    const former = this.#parts.former(event);
    if (former === undefined) {
      context.log.warn("hook.unplaced", { program: event.program, event: event.name });
      return;
    }
    states.changed(await this.#record(former, event, this.#submitted(former, event.prompt), false));
  }

  /** Checks the whole prompt: one that contains more than ours proves nothing about it. */
  #submitted(sessionId: SessionId, prompt: string | undefined): Submitted {
    if (prompt === undefined) return { tokens: [], mixed: [], promptDigest: undefined };
    const { store, digest } = this.#parts.context;
    const mixed = store.read
      .attemptedIn(sessionId, SENT, RECENT)
      .flatMap(({ delivery: { attempt } }) => attempt ?? [])
      .filter((attempt) => carriedBy(prompt, attempt, digest) === "mixed")
      .map(({ token }) => token);
    return {
      tokens: findTokens(prompt).filter((token) => !mixed.includes(token)),
      mixed: [...new Set(mixed)],
      promptDigest: digest(prompt),
    };
  }

  /** A second copy of a message that this session already has, while nothing here is sending it. */
  #fence(session: LiveSession, submitted: Submitted): string | undefined {
    const { context, evidence } = this.#parts;
    const token = submitted.tokens.length === 1 ? submitted.tokens[0] : undefined;
    if (token === undefined) return undefined;
    const copies = context.store.read
      .attemptedIn(session.record.id, SENT, RECENT)
      .flatMap(({ delivery: { state, attempt } }) => (attempt?.token === token ? [{ state, attempt }] : []));
    // Our own copy made it look busy when its keys were typed.
    const ours = copies.find(({ state, attempt }) => state === "delivering" && !attempt.wasBusy)?.attempt;
    if (copies.length === 0 || (ours === undefined && session.readiness().kind !== "idle")) return undefined;
    const before = ours?.startedAt ?? Number.POSITIVE_INFINITY;
    const earlier = context.store.read
      .hookEvents(session.record.id, 0)
      .some(
        (event) =>
          event.event === "prompt-submitted" && event.tokens.includes(token) && event.emittedAt < before,
      );
    if (!earlier) return undefined;
    if (ours !== undefined) evidence.report(session.record.id, submitted, "stopped");
    return `Bellhop: this message (${marksOf(token)
      .join(", ")
      .replace(/[#\]:]/gu, "")}) has already been delivered; the second copy was stopped.`;
  }

  async #record(
    sessionId: SessionId,
    event: HookEvent,
    submitted: Submitted,
    fenced: boolean,
  ): Promise<readonly MessageId[]> {
    const { context } = this.#parts;
    const now = context.clock.now();
    const changed: MessageId[] = [];
    const mixed: Item[] = [];
    await context.store.write((tx) => {
      mixed.length = 0;
      const told = {
        sessionId,
        emittedAt: event.emittedAt,
        receivedAt: now,
        ...present({ subAgent: event.subAgent?.id }),
      };
      tx.appendHookEvent({
        ...told,
        event: fenced ? "prompt-fenced" : (event.turn ?? event.name),
        tokens: submitted.tokens,
        ...present({ promptDigest: submitted.promptDigest }),
      });
      if (event.subAgent !== undefined || fenced) return;
      if (submitted.mixed.length > 0) {
        tx.appendHookEvent({ ...told, event: PROMPT_MIXED, tokens: submitted.mixed });
        mixed.push(...this.#noteMixed(tx, sessionId, submitted));
      }
      if (event.turn === "prompt-submitted") changed.push(...this.#prove(tx, sessionId, submitted));
      if (event.turn === "turn-ended") changed.push(...this.#endTurn(tx, sessionId, event.emittedAt));
    });
    if (mixed.length > 0) this.#parts.onMixed(sessionId, mixed);
    return [...changed, ...mixed.map(({ message }) => message.id)];
  }

  /** It came late, when it was no longer awaited. One in flight is recorded by its courier. */
  #noteMixed(tx: StoreWriter, sessionId: SessionId, { mixed }: Submitted): readonly Item[] {
    const items = tx
      .attemptedIn(sessionId, ["unconfirmed"], RECENT)
      .filter(({ delivery }) => delivery.attempt !== undefined && mixed.includes(delivery.attempt.token))
      .filter(
        ({ delivery }) => !tx.receiptsOf(delivery.id).some(({ note }) => note === SENT_WITH_OTHER_TEXT),
      );
    const at = this.#parts.context.clock.now();
    for (const { delivery } of items)
      tx.appendReceipt(delivery.id, { at, state: "unconfirmed", note: SENT_WITH_OTHER_TEXT });
    return items;
  }

  /** Late or stronger proof. One in flight is recorded by its courier. */
  #prove(tx: StoreWriter, sessionId: SessionId, submitted: Submitted): readonly MessageId[] {
    const items = tx
      .attemptedIn(sessionId, ["unconfirmed", "delivered"], RECENT)
      .filter((item) => matches(item, submitted));
    for (const { delivery } of items) {
      const evidence: Evidence = evidenceOfSubmit(delivery.attempt?.transport ?? "paste", false);
      if (delivery.evidence !== undefined && isAtLeast(delivery.evidence, evidence)) continue;
      const note = delivery.state === "unconfirmed" ? "late evidence" : undefined;
      const receipt: Receipt = {
        at: this.#parts.context.clock.now(),
        state: "delivered",
        evidence,
        ...present({ transport: delivery.transport, note }),
      };
      tx.moveDelivery(delivery.id, receipt, { evidence });
    }
    return items.map(({ message }) => message.id);
  }

  #endTurn(tx: StoreWriter, sessionId: SessionId, endedAt: number): readonly MessageId[] {
    const over = tx.attemptedIn(sessionId, ["delivered"], RECENT).filter(({ delivery }) => {
      const inThisTurn = delivery.evidence === "submitted" || delivery.evidence === "transcript";
      return inThisTurn && (delivery.attempt?.startedAt ?? Number.POSITIVE_INFINITY) < endedAt;
    });
    const at = this.#parts.context.clock.now();
    for (const item of over) recordTurnEnd(tx, item, { at, note: "the agent has ended its turn" });
    return over.map(({ message }) => message.id);
  }

  #apply(session: LiveSession, event: HookEvent, submitted: Submitted): void {
    const at = event.emittedAt;
    if (event.subAgent?.change !== undefined) {
      session.signal({ kind: "sub-agent", change: event.subAgent.change, id: event.subAgent.id, at });
    }
    if (event.turn !== undefined) {
      const subAgent = event.subAgent?.id;
      session.signal({ kind: "hook", event: event.turn, at, ...present({ subAgent }) });
    }
    if (event.subAgent !== undefined) return;
    if (event.turn === "prompt-submitted") this.#parts.evidence.report(session.record.id, submitted);
    if (event.turn === "turn-ended" || event.turn === "turn-failed") this.#parts.onTurnEnded(session, at);
  }

  #answer(session: LiveSession, event: HookEvent): HookEventResponse {
    if (event.turn !== "session-start" || event.subAgent !== undefined) return {};
    const { directory } = this.#parts;
    const peers = directory.all().filter((peer) => peer !== session);
    const additionalContext = sessionBriefing({
      name: session.record.agent,
      sessionId: session.record.id,
      sandboxed: session.profile.sandboxed,
      peers: peers.map(({ record }) => ({
        name: record.agent,
        sessionId: record.id,
        program: record.program,
      })),
    });
    return { output: { hookSpecificOutput: { hookEventName: event.name, additionalContext } } };
  }
}

function matches({ delivery }: Item, submitted: Submitted): boolean {
  const { attempt } = delivery;
  return (
    attempt !== undefined &&
    (submitted.tokens.includes(attempt.token) || attempt.promptDigest === submitted.promptDigest)
  );
}
