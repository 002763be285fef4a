import { EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { LONGEST_GRACE_MS } from "../../../wire/host/host.ts";
import { asGiven, durationFrom } from "../../arguments/given-duration.ts";
import { type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { environmentOf, tellStarted } from "../../running.ts";

export const stop: Command = {
  name: "stop",
  summary: "stop an agent that Bellhop started: ask it to exit, then kill it",
  usage: ["stop WHO [--grace D]"],
  options: {
    grace: {
      kind: "value",
      value: "D",
      summary: "how long it may take to exit by itself (default: 5s; at most 1h)",
    },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop stop coder", does: "its messages wait until it runs again" },
    { command: "bellhop stop coder --grace 30s", does: "more time to finish" },
  ],
  run: async ({ ask, out }, args) => {
    const grace = args.value("grace");
    const graceMs = grace === undefined ? undefined : graceFrom(grace);
    const answer = await ask(
      "session_stop",
      { who: args.words[0] ?? "", ...present({ graceMs }) },
      { timeoutMs: (graceMs ?? 5_000) + 30_000 },
    );
    if (out.json) out.value(answer);
    else if (answer.outcome === "stopped") out.line(`"${answer.agent}" has ended.`);
    else {
      out.line(`"${answer.agent}" was killed, but has not ended yet.`);
      out.note(
        `Check with "bellhop ls" whether it is still running, and try again: bellhop stop ${answer.agent}`,
      );
    }
    return answer.outcome === "stopped" ? EXIT.ok : EXIT.failed;
  },
};

function graceFrom(text: string): number {
  const ms = durationFrom(text, "--grace");
  if (ms <= LONGEST_GRACE_MS) return ms;
  throw usage(`"${asGiven(text)}" is too long for --grace.`, "Give it an hour at most: --grace 1h");
}

/** Ending the program may take a while, and so may starting it again. */
const AGAIN_MS = 60_000;

export const restart: Command = {
  name: "restart",
  summary: "start an agent again, with its name and mailbox and a new conversation",
  usage: ["restart WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop restart coder", does: "a new conversation; in tmux, in the same window" }],
  run: (context, args) => again(context, args.words[0] ?? ""),
};

export const resume: Command = {
  name: "resume",
  summary: "start an agent again and continue its conversation",
  usage: ["resume WHO"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop resume coder", does: "the same conversation, name and mailbox" }],
  run: (context, args) => again(context, args.words[0] ?? "", true),
};

async function again(context: CommandContext, who: string, resume?: true): Promise<undefined> {
  const started = await context.ask(
    "restart",
    { who, ...present({ resume }), environment: environmentOf(context) },
    { timeoutMs: AGAIN_MS },
  );
  tellStarted(context.out, started);
}
