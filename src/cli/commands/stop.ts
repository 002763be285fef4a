import { EXIT } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { durationFrom } from "../given-duration.ts";
import { environmentOf, tellStarted } from "../running.ts";

export const stop: Command = {
  name: "stop",
  summary: "end an agent that Bellhop hosts: asked first, then made to",
  usage: ["stop WHO [--grace D]"],
  options: { grace: { kind: "value", value: "D", summary: "how long it may take to end by itself (5s)" } },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop stop coder", does: "its messages wait until it runs again" },
    { command: "bellhop stop coder --grace 30s", does: "more time to finish" },
  ],
  run: async ({ ask, out }, args) => {
    const grace = args.value("grace");
    const graceMs = grace === undefined ? undefined : durationFrom(grace, "--grace");
    const answer = await ask(
      "session_stop",
      { who: args.words[0] ?? "", ...(graceMs === undefined ? {} : { graceMs }) },
      { timeoutMs: (graceMs ?? 5_000) + 30_000 },
    );
    if (out.json) out.value(answer);
    else if (answer.outcome === "stopped") out.line(`"${answer.agent}" has ended.`);
    else out.line(`"${answer.agent}" has not ended yet.`);
    return answer.outcome === "stopped" ? EXIT.ok : EXIT.failed;
  },
};

const AGAIN = {
  words: { least: 1, most: 1 },
  options: {},
} as const;

export const restart: Command = {
  ...AGAIN,
  name: "restart",
  summary: "start a hosted agent again, with its name and its mailbox",
  usage: ["restart WHO"],
  examples: [{ command: "bellhop restart coder", does: "a new conversation in the same mailbox" }],
  run: (context, args) => again(context, args.words[0] ?? "", false),
};

export const resume: Command = {
  ...AGAIN,
  name: "resume",
  summary: "start a hosted agent again where its conversation ended",
  usage: ["resume WHO"],
  examples: [{ command: "bellhop resume coder", does: "the same conversation, name and mailbox" }],
  run: (context, args) => again(context, args.words[0] ?? "", true),
};

async function again(
  context: Parameters<NonNullable<Command["run"]>>[0],
  who: string,
  keepConversation: boolean,
): Promise<number> {
  const { out } = context;
  const started = await context.ask("restart", {
    who,
    ...(keepConversation ? { resume: true } : {}),
    environment: environmentOf(context),
  });
  tellStarted(out, started);
  return EXIT.ok;
}
