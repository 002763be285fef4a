import { present } from "../../../core/present.ts";
import { countFrom, rangeInWords } from "../../arguments/given-count.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import { followScreen, printScreen } from "../../screens.ts";

const LINES = { option: "--lines", of: "lines", most: 10_000 };

export const peek: Command = {
  name: "peek",
  aliases: ["output"],
  summary: "print what an agent's terminal shows, or showed last",
  usage: ["peek WHO [--ansi] [--lines N | --follow]", "output WHO [--ansi] [--lines N | --follow]"],
  options: {
    ansi: { kind: "flag", summary: "keep its colours" },
    lines: {
      kind: "value",
      short: "n",
      value: "N",
      takes: rangeInWords(LINES),
      summary: "the last N lines, including those that scrolled off",
    },
    follow: {
      kind: "flag",
      short: "f",
      summary: "keep showing it as it changes, until Ctrl+C or the agent's end",
    },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop peek coder", does: "its screen as text" },
    { command: "bellhop peek coder --follow --ansi", does: "watch it work, in colour" },
    { command: "bellhop output coder --lines 200", does: "including what scrolled off" },
  ],
  run: async (context, args) => {
    const request = requestFrom(args);
    if (args.flag("follow")) return followScreen(context, request);
    printScreen(context, request, await context.ask("peek", request));
  },
};

function requestFrom(args: Arguments) {
  const lines = countFrom(args.value("lines"), LINES);
  if (lines !== undefined && args.flag("follow")) {
    throw usage(
      "--follow and --lines cannot both be given: --follow shows only the screen.",
      "Give one of them.",
    );
  }
  return { who: args.words[0] ?? "", ...present({ ansi: args.given("ansi"), lines }) };
}
