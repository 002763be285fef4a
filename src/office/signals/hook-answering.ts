/**
 * Text in the answers to hooks. A hook reports what happened (signals); if something waits that may go now, it gets a
 * code, and with that it takes the text (doors). So a hook for which nothing waits is answered at once. Only a process
 * under the program whose hook it is gets a text: anybody can report a hook, and what waits there is that agent's mail.
 * It never chooses and never writes: the courier does, as for any way in.
 */
import type { HookMoment } from "../../core/hook-answer.ts";
import type { SessionId } from "../../core/message.ts";
import { sharesServer } from "../../core/rights/agent-programs.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { HookEventResponse } from "../../wire/shapes/daemon.ts";
import type { Ground } from "../presence/ground.ts";
import type { HookAsking, HookWindow } from "../presence/hook-windows.ts";
import type { LiveSession } from "../presence/live-session.ts";

const CODE_BYTES = 18;
/** A hook asks at once, or not at all. */
const OFFERED_MS = 2_000;
/** The hook prints and reports within moments; after that, only the store knows the code. */
const AWAITED_MS = 60_000;
const MOST_CODES = 1_000;

export interface HookAnsweringParts extends Ground {
  /** Whether something waits that may go now. */
  hasForHook(session: LiveSession, moment: HookMoment): Promise<boolean>;
}

export class HookAnswering {
  readonly #parts: HookAnsweringParts;
  readonly #offers = new Map<string, { readonly session: LiveSession; readonly asking: HookAsking }>();
  readonly #windows = new Map<string, HookWindow>();

  constructor(parts: HookAnsweringParts) {
    this.#parts = parts;
  }

  /** The moment of a turn at which this hook could take a text. */
  momentOf(session: LiveSession, event: HookEvent): HookMoment | undefined {
    const { hookAnswers } = session.profile;
    if (event.takes !== true || event.subAgent !== undefined || hookAnswers === undefined) return undefined;
    const moments = hookAnswers.moments(session.facts.version);
    return Object.hasOwn(moments, event.name) ? moments[event.name] : undefined;
  }

  /**
   * The code with which the hook takes what waits. `conversation`: the one that was known before this event. A program
   * that the agent runs may report from the same place, but not from the same conversation.
   */
  async offer(
    session: LiveSession,
    event: HookEvent,
    conversation: string | undefined,
  ): Promise<HookEventResponse> {
    const moment = this.momentOf(session, event);
    const { hookAnswers } = session.profile;
    if (moment === undefined || hookAnswers === undefined || event.programSessionId !== conversation)
      return {};
    const { hooks } = session;
    if (this.#mayShareServer(session)) return {};
    if (moment === "tool-result" && hooks.delegates) return {};
    if (moment === "turn-end" && hooks.inARow >= hookAnswers.mostInARow) return {};
    if (hooks.open !== undefined || !(await this.#parts.hasForHook(session, moment))) return {};
    const code = `h${this.#parts.context.ids.secret(CODE_BYTES)}`;
    this.#keep(this.#offers, { session, asking: { code, moment, event: event.name } }, code, OFFERED_MS);
    return { take: code };
  }

  /** What the hook is to print; nothing unless this process is a hook of that program. */
  async take(code: string, pid: number): Promise<HookEventResponse> {
    const offer = this.#offers.get(code);
    this.#offers.delete(code);
    if (offer === undefined) return {};
    const { session, asking } = offer;
    const { context, directory } = this.#parts;
    if (!(await this.#isUnder(session, code, pid))) {
      context.log.warn("hook.not_its_own", { session: session.record.id, pid });
      return {};
    }
    const window = directory.get(session.record.id) === session ? session.hooks.ask(asking) : undefined;
    if (window === undefined) return {};
    this.#keep(this.#windows, window, code, AWAITED_MS);
    session.wakeSignal.ring();
    const text = await window.answer;
    const { hookAnswers } = session.profile;
    if (text === undefined || hookAnswers === undefined) return {};
    return { output: hookAnswers.output(asking.event, text, session.facts.version) };
  }

  printed(code: string): void {
    this.#windows.get(code)?.hasPrinted();
    this.#windows.delete(code);
  }

  /**
   * Whoever asks shows the code in the command line of a process under `pid`, and `pid` is under the program. Nobody
   * else can have a process there: the code was made for this hook a moment ago.
   */
  async #isUnder(session: LiveSession, code: string, pid: number): Promise<boolean> {
    const { processes } = this.#parts.context;
    try {
      const [hook, ...below] = await processes.tree(pid);
      const shows = [hook, ...below].some((one) => one?.argv.some((word) => word.includes(code)));
      const above = await processes.lineage(pid);
      // The same process both times: a pid can be given to another one in between.
      if (!shows || hook === undefined || above[0]?.startedAt !== hook.startedAt) return false;
      return this.#nearestAgent(above) === session.record.id;
    } catch {
      return false;
    }
  }

  /** What another window's agent runs would be under this one's program, and could pass for its hook. */
  #mayShareServer({ record: { id, program }, facts }: LiveSession): boolean {
    if (!sharesServer(program) || facts.alone === true) return false;
    return this.#parts.directory
      .all()
      .some(({ record, facts: other }) => record.program === program && record.id !== id && !other.alone);
  }

  #nearestAgent(
    above: readonly { readonly pid: number; readonly startedAt: string }[],
  ): SessionId | undefined {
    const live = this.#parts.directory.all();
    for (const { pid, startedAt } of above) {
      const found = live.find(
        ({ identity }) => identity.agentPid === pid && identity.agentStartedAt === startedAt,
      );
      if (found !== undefined) return found.record.id;
    }
    return undefined;
  }

  #keep<Kept>(among: Map<string, Kept>, kept: Kept, code: string, ms: number): void {
    const [oldest] = among.keys();
    if (among.size >= MOST_CODES && oldest !== undefined) among.delete(oldest);
    among.set(code, kept);
    this.#parts.context.clock.after(ms, () => among.delete(code));
  }
}
