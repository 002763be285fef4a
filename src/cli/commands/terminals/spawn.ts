import { followSession } from "../../../client/follow.ts";
import { BellhopError } from "../../../core/errors.ts";
import { UNOPENED } from "../../../core/evidence.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ResponseOf } from "../../../wire/verbs/index.ts";
import { readBody } from "../../arguments/body.ts";
import { durationFrom } from "../../arguments/given-duration.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { MOST_WORDS, RUNNING_OPTIONS, runRequest, tellStarted, whileStarting } from "../../running.ts";

const WAIT_MS = 30 * 60_000;
/** Longer than a program without hooks has to show that it works. */
const SAY_WHY_AFTER_MS = 90_000;

export const spawn: Command = {
  name: "spawn",
  summary: "start a child agent with a first message; its parent hears when that turn ends",
  usage: [
    'spawn "PROMPT" [--name N] [--wait [--wait-timeout D]] [-- PROGRAM [ARGUMENT…]]',
    "spawn - [options]",
  ],
  options: {
    ...RUNNING_OPTIONS,
    wait: { kind: "flag", summary: "wait until its first turn has ended" },
    "wait-timeout": {
      kind: "value",
      value: "D",
      summary: "with --wait: wait at most this long (default: 30m)",
    },
  },
  words: { least: 1, most: MOST_WORDS },
  examples: [
    { command: 'bellhop spawn "implement the login" --name login', does: "start Claude Code in this folder" },
    {
      command: 'bellhop spawn "review this" --wait -- codex',
      does: "start Codex, and wait until its first turn has ended",
    },
    { command: "git diff | bellhop spawn - --name reviewer", does: "take the message from stdin" },
  ],
  run: async (context, args) => {
    const { out } = context;
    const waitMs = readWait(args);
    const prompt = await readBody(context, args, 0);
    const command = args.words.length > 1 ? args.words.slice(1) : ["claude"];
    const asked = context.ask("spawn", { ...runRequest(context, args, command), prompt });
    const started = await whileStarting(context, sanitiseLine(command[0] ?? ""), asked);
    if (waitMs === undefined) {
      tellStarted(out, started);
      return;
    }
    const state = await firstTurn(context, started, waitMs);
    const { agent } = started;
    out.result({ ...started, state }, `"${agent}" has ended its first turn. Look: bellhop output ${agent}`);
  },
};

/** Read before anything is started: a mistake here must not leave an agent behind. */
function readWait(args: Arguments): number | undefined {
  const given = args.value("wait-timeout");
  if (args.flag("wait")) return given === undefined ? WAIT_MS : durationFrom(given, "--wait-timeout");
  if (given === undefined) return undefined;
  throw usage("--wait-timeout goes with --wait.", "Add --wait, or leave out --wait-timeout.");
}

/** Waits until the turn has ended or never will: an agent that is gone does not answer. */
async function firstTurn(
  context: CommandContext,
  started: ResponseOf<"spawn">,
  timeoutMs: number,
): Promise<string> {
  const { agent, messageId } = started;
  const ended = endOf(context, started);
  const waited = untilRead(context, started, timeoutMs);
  try {
    const first = await Promise.race([waited, ended.promise]);
    const { state, reached } = first === "ended" ? await standing(context, messageId) : first;
    if (reached) return state;
    throw new BellhopError(
      state === "unconfirmed"
        ? "delivery.unconfirmed"
        : first === "ended"
          ? "session.exited"
          : "message.failed",
      {
        message:
          first === "ended"
            ? `"${agent}" ended before it had answered; its first message is ${state}.`
            : `Its first message is ${state}.`,
        next: `Look with "bellhop output ${agent}".`,
      },
    );
  } finally {
    ended.close();
    waited.catch(() => {});
  }
}

/** If the wait is in vain, the caller should learn why long before the time is over. */
async function untilRead(context: CommandContext, started: ResponseOf<"spawn">, timeoutMs: number) {
  const request = { id: started.messageId, state: "read" } as const;
  const wait = (ms: number) =>
    context.ask("wait", { ...request, timeoutMs: ms }, { timeoutMs: "never" }).catch(onlyTimedOut);
  const firstMs = Math.min(timeoutMs, SAY_WHY_AFTER_MS);
  const first = await wait(firstMs);
  if (!(first instanceof BellhopError)) return first;
  const now = await standing(context, started.messageId);
  if (now.reached) return now;
  const why = await whyUnended(context, started);
  if (timeoutMs === firstMs) throw why ?? first;
  if (why !== undefined && !context.out.json) context.out.note(`${why.message} Still waiting.`);
  const second = await wait(timeoutMs - firstMs);
  if (!(second instanceof BellhopError)) return second;
  throw (await whyUnended(context, started)) ?? second;
}

function onlyTimedOut(error: unknown): BellhopError {
  if (error instanceof BellhopError && error.code === "wait.timed_out") return error;
  throw error;
}

/** Without hooks, the end of a turn that showed no sign of work cannot be detected. */
async function whyUnended(
  context: CommandContext,
  { agent, sessionId, messageId }: ResponseOf<"spawn">,
): Promise<BellhopError | undefined> {
  const { state } = await standing(context, messageId);
  const { readiness } = await context.ask("session", { who: sessionId });
  if (state !== "delivered" || readiness !== "idle") return undefined;
  return new BellhopError("wait.timed_out", {
    message: `"${agent}" has its first message and looks idle, but nothing has shown whether its turn has ended.`,
    next: `Look with "bellhop output ${agent}". With hooks it would say so itself: "bellhop hooks status".`,
  });
}

/** Its current state: it may have answered and ended at the same time. */
async function standing({ ask }: CommandContext, id: string) {
  const { deliveries } = await ask("show", { id });
  const { state, receipts } = deliveries[0] ?? { state: "failed", receipts: [] };
  const isTurnOver = receipts.some(({ note }) => note === UNOPENED);
  return { state, reached: state === "read" || state === "replied" || isTurnOver };
}

function endOf(context: CommandContext, { sessionId, messageId }: ResponseOf<"spawn">) {
  let close = (): void => {};
  const promise = new Promise<"ended">((resolve) => {
    const following = followSession(
      { socket: context.home().socket, claims: context.claims() },
      sessionId,
      {
        session: ({ readiness }) => {
          if (readiness === "exited") resolve("ended");
          // Opening the file of a long prompt may have gone unnoticed, but its turn has ended.
          if (readiness === "idle")
            void standing(context, messageId).then(
              ({ reached }) => reached && resolve("ended"),
              () => {},
            );
        },
        away: () => {},
        refused: () => {},
      },
      (ms) => context.pause(ms, new AbortController().signal),
    );
    close = () => following.close();
  });
  return { promise, close: () => close() };
}
