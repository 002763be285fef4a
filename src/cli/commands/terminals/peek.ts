import { BellhopError, EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { Arguments, Command } from "../../command.ts";
import { followScreen } from "../../following.ts";
import { printScreen } from "../../screens.ts";

const MOST_LINES = 10_000;
const RANGE = `a number from 1 to ${MOST_LINES}`;

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
      takes: RANGE,
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
    return EXIT.ok;
  },
};

function requestFrom(args: Arguments) {
  const lines = linesFrom(args.value("lines"));
  if (lines !== undefined && args.flag("follow")) {
    throw new BellhopError("usage.invalid", {
      message: "--follow and --lines cannot both be given: --follow shows only the screen.",
      next: "Give one of them.",
    });
  }
  return {
    who: args.words[0] ?? "",
    ...(args.flag("ansi") ? { ansi: true } : {}),
    ...present({ lines }),
  };
}

function linesFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const lines = /^\d+$/.test(text) ? Number(text) : 0;
  if (lines >= 1 && lines <= MOST_LINES) return lines;
  throw new BellhopError("usage.invalid", {
    message: `"${sanitiseLine(text, 40)}" is not a number of lines.`,
    next: `Write --lines with ${RANGE}.`,
  });
}
