/** What became of each turn, what runs now and what waits. Read-only. */
import { agentAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { OPEN_TURN_STATES, type Turn } from "../../core/turns/turn.ts";
import type { Runner } from "../../ports/runner.ts";
import type { ConversationEntry, ShownAutoRun, ShownTurn, TurnsResponse } from "../../wire/shapes/turns.ts";
import type { ResponseOf } from "../../wire/verbs/index.ts";
import type { ConversationRequest, TurnsRequest } from "../../wire/verbs/turns.ts";
import type { Ground } from "../presence/ground.ts";
import { itemsOf } from "./record.ts";
import { shownBudget } from "./spending.ts";
import type { Underway } from "./underway.ts";
import { autoRunFor, folderOf, mainSession, namedAgent, namedSession, sessionFor } from "./who.ts";

const STANDARD_LIST = 20;
const MOST_ANSWERS = 200;
const MOST_LINES = 50;

export interface TurnViewsParts extends Ground {
  readonly runner: Runner;
}

export class TurnViews {
  readonly #parts: TurnViewsParts;
  readonly #underway: Underway;

  constructor(parts: TurnViewsParts, underway: Underway) {
    this.#parts = parts;
    this.#underway = underway;
  }

  list({ agent: asked, session: named, limit }: TurnsRequest): TurnsResponse {
    const { context } = this.#parts;
    const { read } = context.store;
    const agent = asked === undefined ? undefined : namedAgent(this.#parts, asked);
    const session =
      agent === undefined || named === undefined ? undefined : namedSession(this.#parts, agent, named);
    const filter = {
      ...(agent === undefined ? {} : { agent }),
      ...(session === undefined ? {} : { sessionId: session.id }),
      limit: limit ?? STANDARD_LIST,
    };
    const turns = read.turns(filter);
    const isOpen = (turn: Turn) => OPEN_TURN_STATES.some((state) => state === turn.state);
    const turned = read.turnSwitch();
    const agents = agent === undefined ? read.agents().map(({ name }) => name) : [agent];
    return {
      switch: turned === undefined ? { off: false } : turned,
      turns: [...turns.filter(isOpen), ...turns.filter((turn) => !isOpen(turn))].map((turn) =>
        this.#shown(turn),
      ),
      budgets: agents.flatMap((name) => {
        const { autoRun } = autoRunFor(this.#parts, name, undefined);
        return autoRun.enabled ? [shownBudget(read, name, autoRun, context.clock.now())] : [];
      }),
      waiting: agents.flatMap((name) => this.#waitingFor(name)),
    };
  }

  #waitingFor(agent: AgentName): TurnsResponse["waiting"] {
    const { context, directory } = this.#parts;
    const held = context.store.read
      .deliveries({
        mailboxes: directory.aliases(agentAddress(agent)),
        states: ["queued"],
        forTerminals: true,
      })
      .filter(({ delivery }) => delivery.hold?.reason === "turn");
    const [first] = held;
    if (first?.delivery.hold === undefined) return [];
    return [{ agent, messages: held.length, release: first.delivery.hold.release }];
  }

  show(id: string): ShownTurn {
    const turn = this.#parts.context.store.read.turn(id);
    if (turn !== undefined) return this.#shown(turn);
    throw new BellhopError("turn.unknown", {
      message: `There is no turn "${id}".`,
      next: 'List them with "bellhop turns".',
    });
  }

  /** What a turn that runs without a terminal has done so far; undefined if none runs for this recipient. */
  screen(who: string, lines = MOST_LINES): ResponseOf<"peek"> | undefined {
    const { context, directory } = this.#parts;
    const address = directory.resolve(who);
    if (directory.takerOfMailbox(address) !== undefined) return undefined;
    const session = sessionFor(this.#parts, address);
    if (session === undefined) return undefined;
    const [turn] = context.store.read.turns({ sessionId: session.id, states: OPEN_TURN_STATES });
    if (turn === undefined) return undefined;
    const since = new Date(turn.startedAt).toISOString().slice(11, 19);
    const head = `turn ${turn.id} of ${turn.agent}: ${turn.state} since ${since} UTC (${turn.runner})`;
    const screen = [head, ...this.#underway.steps(turn.id).slice(-lines)].join("\n");
    return { sessionId: session.id, screen, turn: turn.id };
  }

  #shown({ deliveries, process: _pid, ...turn }: Turn): ShownTurn {
    const doing = this.#underway.steps(turn.id).at(-1);
    return {
      ...turn,
      messages: itemsOf(this.#parts, deliveries).map(({ message: { id, shortId, from } }) => ({
        id,
        shortId,
        from,
      })),
      ...(doing === undefined ? {} : { doing }),
    };
  }

  autoRunOf(asked: string, named?: string): ShownAutoRun {
    const { runner } = this.#parts;
    const agent = namedAgent(this.#parts, asked);
    const session = named === undefined ? undefined : namedSession(this.#parts, agent, named);
    const { autoRun, from } = autoRunFor(this.#parts, agent, session);
    const main = session ?? mainSession(this.#parts, agent, this.#parts.context.store.read);
    const obstacle = !autoRun.enabled
      ? undefined
      : (runner.obstacle(autoRun.runner, autoRun.command) ??
        (main !== undefined && folderOf(this.#parts, { session: main, autoRun, mailboxes: [] }) === undefined
          ? "it has no folder to work in: set cwd"
          : undefined));
    const about = session === undefined ? { agent } : { sessionId: session.id };
    const [open] = this.#parts.context.store.read.turns({ ...about, states: OPEN_TURN_STATES });
    return { values: autoRun, from, ...present({ obstacle, running: open?.id }) };
  }

  conversation({ agent: asked, session: named, before, limit }: ConversationRequest): {
    readonly entries: readonly ConversationEntry[];
    readonly before?: number;
  } {
    const agent = namedAgent(this.#parts, asked);
    const session = namedSession(this.#parts, agent, named);
    const most = Math.min(limit ?? STANDARD_LIST, MOST_ANSWERS);
    const page = { limit: most, ...(before === undefined ? {} : { before }) };
    const found = this.#parts.context.store.read.loggedTurns(session.id, page);
    const entries = found.toReversed().map(({ kind, turnId, sessionId, at, text, messages }) => ({
      type: kind,
      turnId,
      sessionId,
      at,
      text,
      messages,
    }));
    const oldest = found.at(-1)?.number;
    return { entries, ...(found.length < most || oldest === undefined ? {} : { before: oldest }) };
  }
}
