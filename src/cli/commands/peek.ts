import { EXIT } from "../../core/errors.ts";
import { sanitiseText } from "../../core/sanitise.ts";
import type { Command } from "../command.ts";

export const peek: Command = {
  name: "peek",
  aliases: ["output"],
  summary: "print what an agent's terminal shows",
  usage: ["peek WHO [--ansi]", "output WHO [--ansi]"],
  options: { ansi: { kind: "flag", summary: "with its colours" } },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop peek coder", does: "its screen as text" },
    { command: "bellhop output coder | tail -20", does: "the last lines" },
  ],
  run: async ({ ask, out }, args) => {
    const ansi = args.flag("ansi");
    const answer = await ask("peek", { who: args.words[0] ?? "", ...(ansi ? { ansi } : {}) });
    if (out.json) out.value(answer);
    else out.line(ansi ? withColoursOnly(answer.screen) : sanitiseText(answer.screen));
    return EXIT.ok;
  },
};

const COLOUR = /(\x1b\[[0-9;:]*m)/;

/** Colours pass, everything else that a terminal would obey does not. */
export function withColoursOnly(screen: string): string {
  const safe = screen
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : sanitiseText(part)))
    .join("");
  return `${safe}\x1b[0m`;
}
