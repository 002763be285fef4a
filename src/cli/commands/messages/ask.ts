import { BellhopError, EXIT } from "../../../core/errors.ts";
import type { Instant } from "../../../core/message.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { AnswerResponse, SendResponse } from "../../../wire/shapes/messages.ts";
import { durationFrom } from "../../arguments/given-duration.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { ANSWER_GRACE_MS, finishSending, readSaying, sendingOptions } from "../../sending.ts";

const WITHIN = "10m";
const INTERRUPTED = 130;
const NO_LONGER = "no-longer";
const AGAIN_AFTER_MS = 500;

/** The other options are for messages whose answer is not waited for. */
const OPTIONS = sendingOptions(
  "priority",
  "important",
  "urgent",
  "file",
  "timeout",
  "any-way-in",
  "idempotency-key",
);

export const ask: Command = {
  name: "ask",
  summary: "ask an agent something, wait for the answer and print it",
  usage: ['ask WHO "QUESTION" [--within D] [options]', "ask WHO - [options]", "ask WHO --file F [options]"],
  options: {
    within: { kind: "value", value: "D", summary: `how long to wait for the answer (default: ${WITHIN})` },
    ...OPTIONS,
  },
  words: { least: 1, most: 2 },
  examples: [
    { command: 'bellhop ask coder "is the build green?"', does: "print the answer and nothing else" },
    { command: 'bellhop ask coder "which port?" --within 2m', does: "wait two minutes at most" },
    { command: "git diff | bellhop ask reviewer -", does: "take the question from stdin" },
    { command: 'bellhop ask coder "done?" --json', does: "the answer with its sender and id" },
  ],
  run: async (context, args) => {
    const [to = ""] = args.words;
    const withinMs = durationFrom(args.value("within") ?? WITHIN, "--within");
    const saying = await readSaying(context, args, 1);
    const sent = await context.ask("send", { ...saying, to, asks: true });
    if (sent.unmatched) return finishSending(context, sent, saying, undefined);
    const found = await answerWithin(context, sent, withinMs);
    if (found === NO_LONGER) {
      context.out.note(`Stopped waiting. ${whatStays(sent)}`);
      return INTERRUPTED;
    }
    return tell(context, sent, found, args.value("within") ?? WITHIN);
  },
};

async function tell(
  context: CommandContext,
  sent: SendResponse,
  found: AnswerResponse,
  within: string,
): Promise<number> {
  const { out } = context;
  const { answer } = found;
  const { messageId, shortId } = sent;
  if (out.json) out.value({ messageId, shortId, ...found });
  if (answer === undefined) throw noAnswer(sent, found, within);
  if (!out.json) out.line(sanitiseText(answer.body));
  await out.drained();
  // Otherwise it would also arrive as mail. If this fails, the caller still has the answer.
  await context.ask("ack", { id: answer.id, claims: context.claims() }).catch(() => {});
  return EXIT.ok;
}

const ENDED = {
  expired: "message.expired",
  cancelled: "message.cancelled",
  failed: "message.failed",
} as const;

function noAnswer(sent: SendResponse, { state, hold }: AnswerResponse, within: string): BellhopError {
  const { shortId } = sent;
  if (state === "expired" || state === "cancelled" || state === "failed") {
    return new BellhopError(ENDED[state], {
      message: `No answer will come: the question #${shortId} is ${state}.`,
      next: `See why with "bellhop explain ${shortId}".`,
    });
  }
  const why = hold === undefined ? "" : ` (${hold.reason}: ${sanitiseLine(hold.release)})`;
  return new BellhopError("wait.timed_out", {
    message: `No answer within ${within}: the question #${shortId} is ${state}${why}.`,
    next: state === "queued" ? whatStays(sent) : whatComes(sent),
  });
}

function whatStays(sent: SendResponse): string {
  return `The question stays in the queue; cancel it with "bellhop queue cancel ${sent.shortId}". ${whatComes(sent)}`;
}

function whatComes({ shortId }: SendResponse): string {
  return `A later answer goes to your inbox: "bellhop inbox". See the question: bellhop show ${shortId}`;
}

/** Pushed by the daemon, which may be restarted meanwhile. */
async function answerWithin(
  context: CommandContext,
  { messageId, shortId }: SendResponse,
  withinMs: number,
): Promise<AnswerResponse | typeof NO_LONGER> {
  const { out, now } = context;
  const signal = context.interrupted();
  const left = new Promise<typeof NO_LONGER>((resolve) => {
    signal.addEventListener("abort", () => resolve(NO_LONGER), { once: true });
  });
  const until = now() + withinMs;
  out.progress(`#${shortId} is sent. Waiting for the answer; Ctrl+C stops waiting, and the question stays.`);
  try {
    for (;;) {
      const timeoutMs = Math.max(0, until - now());
      try {
        const asked = context.ask(
          "answer",
          { id: messageId, timeoutMs, take: true },
          { timeoutMs: timeoutMs + ANSWER_GRACE_MS },
        );
        asked.catch(() => {});
        return await Promise.race([asked, left]);
      } catch (error) {
        // The question is stored: a daemon that comes back knows it.
        if (!isAway(error) || now() >= until) throw error;
        if ((await backAgain(context, signal, until)) === NO_LONGER) return NO_LONGER;
      }
    }
  } finally {
    out.progress("");
  }
}

/** Does not start a daemon that was stopped. */
async function backAgain(
  { pause, reach, now }: CommandContext,
  signal: AbortSignal,
  until: Instant,
): Promise<"back" | typeof NO_LONGER> {
  for (;;) {
    await pause(AGAIN_AFTER_MS, signal);
    if (signal.aborted) return NO_LONGER;
    try {
      await reach("never");
      return "back";
    } catch (error) {
      if (!isAway(error) || now() >= until) throw error;
    }
  }
}

function isAway(error: unknown): boolean {
  return (
    error instanceof BellhopError &&
    error.exitCode === EXIT.unreachable &&
    error.code !== "daemon.version_mismatch"
  );
}
