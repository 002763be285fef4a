import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { Command } from "../../command.ts";

const attempt: Command = {
  name: "try",
  summary: "show what would become of an answer from your phone; nothing is sent",
  usage: ["desk try TEXT"],
  words: { least: 1, most: 1 },
  examples: [
    { command: 'bellhop desk try "[api] go on"', does: "which agent would get it, and what it would read" },
    { command: 'bellhop desk try "go on" --json', does: "for scripts, with every rule that was considered" },
  ],
  run: async ({ ask, out }, args) => {
    const tried = await ask("desk_try", { text: args.words[0] ?? "" });
    out.result(tried, () => {
      const { to, body, rule, considered, answer } = tried;
      if (to !== undefined) {
        out.line(`→ ${sanitiseLine(to.agent)} (${sanitiseLine(to.label)}), by the rule "${rule}":`);
        out.line(`  ${sanitiseText(body ?? "")}`);
      } else {
        out.line("Nobody would get it. You would be told:");
        for (const line of sanitiseText(answer ?? "").split("\n")) out.line(`  ${line}`);
      }
      out.line("");
      for (const one of considered) out.line(out.paint("dim", `${one.rule}: ${sanitiseLine(one.why)}`));
    });
  },
};

export const desk: Command = {
  name: "desk",
  summary: "see whom an answer from your phone would reach",
  usage: ["desk try TEXT"],
  examples: [{ command: 'bellhop desk try "[api] go on"', does: "nothing is sent" }],
  subcommands: [attempt],
};
