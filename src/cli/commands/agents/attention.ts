import { EXIT } from "../../../core/errors.ts";
import type { ShownAttention } from "../../../wire/shapes/attention.ts";
import type { Command } from "../../command.ts";
import { age } from "../../printing/moments.ts";
import { printTable } from "../../printing/table.ts";
import { printWants } from "../../printing/wants.ts";

export const attention: Command = {
  name: "attention",
  summary: "show what wants you: permissions, questions, messages that may not have arrived",
  usage: ["attention"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop attention", does: "who waits for you, and for what" },
    { command: "bellhop attention --json", does: "for scripts" },
  ],
  run: async ({ ask, out, now }) => {
    const { attention: all, mail } = await ask("attention", {});
    if (out.json) {
      out.value(all);
      return EXIT.ok;
    }
    if (all.length === 0) out.line("Nothing wants you.");
    else {
      printTable<ShownAttention>(
        out,
        [
          { title: "WHAT", cell: ({ kind }) => kind },
          { title: "AGENT", cell: ({ agent }) => agent ?? "" },
          { title: "FOR", cell: ({ since }) => age(since, now()) },
          { title: "TEXT", cell: ({ text }) => text },
        ],
        all,
        nextStep,
      );
    }
    printWants(out, { mail });
    return EXIT.ok;
  },
};

/** Where it is answered. */
function nextStep({ kind, session, id }: ShownAttention): string {
  if ((kind === "permission" || kind === "question") && session !== null)
    return `↳ look: bellhop peek ${session} · answer it in its terminal`;
  if (kind === "loop") return `↳ let it through: bellhop unmatched reroute ${id}`;
  if (kind === "dead-letter") return `↳ try again: bellhop unmatched reroute ${id}`;
  return "";
}
