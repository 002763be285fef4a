/** Runs one turn that is written down already: with its conversation, or anew if the program does not know that one. */
import type { SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { Runner, TurnOrder, TurnOutcome } from "../../ports/runner.ts";
import { forgetConversation } from "./record.ts";
import type { TriagingParts } from "./triaging.ts";
import { conversationOf, type Seat } from "./who.ts";

/** What programs say if they do not know the conversation they were to resume. Nothing has run then. */
const NO_CONVERSATION =
  /no (?:conversation|session|thread|rollout)\b|(?:session|thread|conversation) not found/iu;

export interface ExecutingParts extends TriagingParts {
  readonly runner: Runner;
  doing(turn: Turn, what: string | undefined): void;
  /** Whoever asks from under this process is that session, until the returned function is called. */
  runs(process: ProcessIdentity, sessionId: SessionId): () => void;
}

/** The turn as it was begun, with the process that ran it. */
export interface Executed {
  readonly turn: Turn;
  readonly outcome: TurnOutcome;
}

interface Said {
  readonly folder: string;
  readonly prompt: string;
}

export async function execute(
  parts: ExecutingParts,
  seat: Seat,
  begun: Turn,
  said: Said,
  signal: AbortSignal,
): Promise<Executed> {
  const conversation = conversationOf(parts, seat);
  const first = await ran(parts, begun, order(seat, begun, said, conversation), signal);
  const { outcome } = first;
  if (conversation === undefined || outcome.kind !== "failed" || !NO_CONVERSATION.test(outcome.why))
    return first;
  await forgetConversation(parts, seat);
  return ran(parts, begun, order(seat, begun, said, undefined), signal);
}

function order(
  { autoRun }: Seat,
  { id, runner, sessionId, agent }: Turn,
  said: Said,
  conversation: string | undefined,
): TurnOrder {
  const { role, model, permissionMode, tools, deadlineMs, command } = autoRun;
  return {
    ...{ turnId: id, runner, command, sessionId, agent, tools, deadlineMs },
    ...said,
    ...present({ conversation, role, model, permissionMode }),
  };
}

async function ran(
  { context, runner, doing, runs }: ExecutingParts,
  begun: Turn,
  ordered: TurnOrder,
  signal: AbortSignal,
): Promise<Executed> {
  let turn = begun;
  let ended = () => {};
  try {
    const outcome = await runner.run(ordered, {
      signal,
      started: async (process) => {
        turn = { ...begun, process };
        ended = runs(process, turn.sessionId);
        await context.store.write((tx) => tx.putTurn(turn));
        context.checkpoint("turn.released");
      },
      doing: (what) => doing(begun, what),
    });
    return { turn, outcome };
  } finally {
    ended();
    doing(begun, undefined);
  }
}
