import { EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { Command } from "../../command.ts";

export const name: Command = {
  name: "name",
  summary: "give an agent a name, or take over the mailbox of that name",
  usage: ["name [WHO] NAME"],
  options: {},
  words: { least: 1, most: 2 },
  examples: [
    { command: "bellhop name reviewer", does: "run by an agent: it names itself" },
    { command: "bellhop name api-2 reviewer", does: "rename another agent" },
  ],
  run: async ({ ask, out, claims }, args) => {
    const [first = "", second] = args.words;
    const request = second === undefined ? { who: "", name: first } : { who: first, name: second };
    const answer = await ask("name", { ...request, claims: claims() });
    if (out.json) out.value(answer);
    else out.line(`session ${answer.sessionId} is agent/${sanitiseLine(answer.agent)}`);
    return EXIT.ok;
  },
};
