import { present } from "../../../core/present.ts";
import { sanitiseText } from "../../../core/text/sanitise.ts";
import type { ShownConversation } from "../../../wire/shapes/sessions.ts";
import { countFrom, MOST_ENTRIES, rangeInWords } from "../../arguments/given-count.ts";
import type { Command } from "../../command.ts";
import { clockTime } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";

const LAST = { option: "--last", of: "entries", most: MOST_ENTRIES };

export const transcript: Command = {
  name: "transcript",
  summary: "print an agent's conversation, from the program's own session file",
  usage: ["transcript WHO [--last N]"],
  options: {
    last: {
      kind: "value",
      short: "n",
      value: "N",
      takes: rangeInWords(LAST),
      summary: `how many of the last prompts, answers and tool calls (default: 20; up to ${MOST_ENTRIES})`,
    },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop transcript coder", does: "what was said last (only of Claude Code and Codex)" },
    { command: "bellhop transcript coder --last 200 | less", does: "further back" },
    { command: "bellhop transcript coder --json", does: "for scripts, with the file's path" },
  ],
  run: async ({ ask, out }, args) => {
    const last = countFrom(args.value("last"), LAST);
    const said = await ask("transcript", { who: args.words[0] ?? "", ...present({ last }) });
    out.result(said, () => print(out, said, last));
  },
};

const TITLES = { prompt: "prompt", agent: "answer", tool: "tool" } as const;

function print(out: Output, { entries, file, agent, more }: ShownConversation, last = entries.length): void {
  if (entries.length === 0) out.note(`Nothing has been said yet: ${sanitiseText(file)}`);
  for (const { by, at, text, cut } of entries) {
    const title = `${at === undefined ? "" : `${clockTime(at)} `}${TITLES[by]}`;
    const lines = sanitiseText(text).split("\n");
    out.line(out.paint(by === "prompt" ? "bold" : "dim", title));
    for (const line of lines) out.line(line === "" ? "" : `  ${line}`);
    if (cut === true) out.line(out.paint("dim", `  … the rest is in ${sanitiseText(file)}`));
  }
  if (more && last < MOST_ENTRIES) {
    const further = Math.min(MOST_ENTRIES, Math.max(100, last * 5));
    out.note(out.paint("dim", `There is more before this: bellhop transcript ${agent} --last ${further}`));
  }
}
