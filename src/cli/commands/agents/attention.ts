import type { ShownAttention } from "../../../wire/shapes/attention.ts";
import type { Command } from "../../command.ts";
import { age } from "../../printing/moments.ts";
import { printList } from "../../printing/table.ts";
import { printWants } from "../../printing/wants.ts";

export const attention: Command = {
  name: "attention",
  summary: "show what wants you: permissions, questions, messages that may not have arrived",
  usage: ["attention"],
  examples: [
    { command: "bellhop attention", does: "who waits for you, and for what" },
    { command: "bellhop attention --json", does: "for scripts" },
  ],
  run: async ({ ask, out, now }) => {
    const { attention: all, mail } = await ask("attention", {});
    printList(
      out,
      all,
      "Nothing wants you.",
      {
        WHAT: ({ kind }) => kind,
        AGENT: ({ agent }) => agent ?? "",
        FOR: ({ since }) => age(since, now()),
        TEXT: ({ text }) => text,
      },
      nextStep,
    );
    if (!out.json) printWants(out, { mail });
  },
};

/** The command that answers it. */
function nextStep({ kind, session, id }: ShownAttention): string {
  if ((kind === "permission" || kind === "question") && session !== null)
    return `↳ look: bellhop peek ${session} · answer it in its terminal`;
  if (kind === "loop") return `↳ let it through: bellhop unmatched reroute ${id}`;
  if (kind === "dead-letter") return `↳ try again: bellhop unmatched reroute ${id}`;
  return "";
}
