/** Waits for the answer to a question: pushed by the daemon, which may be restarted meanwhile. */
import { BellhopError, EXIT } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import type { AnswerResponse, SendResponse } from "../wire/shapes/messages.ts";
import type { CommandContext } from "./context.ts";
import { ANSWER_GRACE_MS } from "./sending.ts";

export const NO_LONGER = "no-longer";

const AGAIN_AFTER_MS = 500;

export async function answerWithin(
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
        // The question is stored: a daemon that comes back knows of it.
        if (!isAway(error) || now() >= until) throw error;
        if ((await backAgain(context, signal, until)) === NO_LONGER) return NO_LONGER;
      }
    }
  } finally {
    out.progress("");
  }
}

/** One that was stopped is not started for this. */
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
