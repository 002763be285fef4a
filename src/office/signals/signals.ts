/**
 * Hooks in: who spoke, what it proves, what it means for readiness. Doors and the spool call it.
 * It records before it acts, ignores a sub-agent's turns, and never answers a hook with an error.
 */
import { SENT } from "../../core/evidence.ts";
import type { Instant, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isTurnBoundary } from "../../core/readiness/readiness.ts";
import { findTokens, marksOf } from "../../core/text/prompt.ts";
import { carriedBy } from "../../core/text/whole-prompt.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { HookEventResponse } from "../../wire/shapes/daemon.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { EvidenceDesk, Submitted } from "../typing/evidence-desk.ts";
import type { Openings } from "../typing/openings.ts";
import { sessionBriefing } from "./briefing.ts";
import type { HookAnswering } from "./hook-answering.ts";
import { HookRecords, type HookRecordsParts, RECENT } from "./hook-records.ts";

export interface SignalParts extends Ground, HookRecordsParts {
  readonly evidence: EvidenceDesk;
  readonly openings: Openings;
  readonly answering: HookAnswering;
  /** The session that a hook came from, as far as is known without a scan. */
  speaking(event: HookEvent): LiveSession | undefined;
  /** Finds the session that a hook came from; scans if it is new. */
  locate(event: HookEvent): Promise<LiveSession | undefined>;
  /** A hook reported which conversation of the program this is. */
  learn(session: LiveSession, event: HookEvent): Promise<LiveSession>;
  /** The session that a hook came from, if it has ended since. */
  former(event: HookEvent): SessionId | undefined;
  onTurnEnded(session: LiveSession, at: Instant): void;
}

export class Signals {
  readonly #parts: SignalParts;
  readonly #records: HookRecords;

  constructor(parts: SignalParts) {
    this.#parts = parts;
    this.#records = new HookRecords(parts);
  }

  async receive(reported: HookEvent): Promise<HookEventResponse> {
    const { context, answering } = this.#parts;
    context.checkpoint("hook.received");
    if (isOfTool(reported)) {
      // One comes with every tool: it tells nothing that would have to be written down, or looked for.
      const known = this.#parts.speaking(reported);
      return known === undefined ? {} : answering.offer(known, reported, known.record.programSessionId);
    }
    const event = await this.#withEnding(reported);
    const speaker = await this.#parts.locate(event);
    if (speaker === undefined) {
      await this.#receiveLate(event);
      return {};
    }
    const conversation = speaker.record.programSessionId;
    const submitted = this.#submitted(speaker.record.id, event.prompt);
    const isOfWindow = event.subAgent === undefined && event.hidden !== true;
    const session = isOfWindow ? await this.#parts.learn(speaker, event) : speaker;
    const fenced = event.turn === "prompt-submitted" ? this.#fence(session, submitted) : undefined;
    const changed = await this.#records.keep(session.record.id, event, submitted, fenced !== undefined);
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
    if (event.printed !== undefined) answering.printed(event.printed);
    if (event.hidden === true) return {};
    const told = this.#answer(session, event);
    // Whoever has stopped a turn wants no new one to begin at once.
    if (told.output !== undefined || event.turn === "turn-failed") return told;
    return answering.offer(session, event, conversation);
  }

  /** Some programs report a turn that was stopped like one that ended: in it, nothing counts as read. */
  async #withEnding(event: HookEvent): Promise<HookEvent> {
    if (event.turn !== "turn-ended") return event;
    const { program, transcriptPath, emittedAt } = event;
    const how = await this.#parts.context.transcripts.ending(program, transcriptPath, emittedAt);
    return how === "as-told" || how === "whole" ? event : { ...event, turn: "turn-failed" };
  }

  /** From the spool, for a program that has ended since: its proof still counts. */
  async #receiveLate(event: HookEvent): Promise<void> {
    const { context, states } = this.#parts;
    const former = this.#parts.former(event);
    if (former === undefined) {
      context.log.warn("hook.unplaced", { program: event.program, event: event.name });
      return;
    }
    states.changed(await this.#records.keep(former, event, this.#submitted(former, event.prompt), false));
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
    if (session.profile.promptHook === "only-tells") return undefined;
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

  #apply(session: LiveSession, event: HookEvent, submitted: Submitted): void {
    const at = event.emittedAt;
    if (event.hidden === true) {
      if (event.turn === "prompt-submitted") this.#parts.evidence.report(session.record.id, submitted);
      return;
    }
    if (event.subAgent?.change !== undefined) {
      session.signal({ kind: "sub-agent", change: event.subAgent.change, id: event.subAgent.id, at });
    }
    if (event.turn !== undefined) {
      const subAgent = event.subAgent?.id;
      session.signal({ kind: "hook", event: event.turn, at, ...present({ subAgent }) });
    }
    if (event.subAgent !== undefined) return;
    if (event.delegates) session.hooks.delegated();
    if (isTurnBoundary(event.turn)) session.hooks.turnChanged();
    if (event.turn === "turn-ended") session.hooks.turnEnded(event.continued ? "continued" : "other");
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

/** Unless it tells that a file was opened. */
function isOfTool({ ofTool, opened }: HookEvent): boolean {
  return ofTool === true && opened === undefined;
}
