import { BellhopError, EXIT } from "../../../core/errors.ts";
import { readToken, agentToken as tokenOf } from "../../../home/token.ts";
import type { Command } from "../../command.ts";
import { requireOwner } from "../../local/owner-only.ts";

export const agentToken: Command = {
  name: "token",
  summary: "print the token that lets a program act as this agent only",
  usage: ["agent token NAME"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [
    {
      command: 'BELLHOP_TOKEN="$(bellhop agent token reviewer)" node worker.mjs',
      does: "for a program that acts as this agent",
    },
  ],
  run: async (context, args) => {
    await requireOwner(context);
    const { ask, home, out } = context;
    const { name } = await ask("agent_show", { name: args.words[0] ?? "" });
    const { token: path } = home();
    const owner = readToken(path);
    if (owner === undefined) {
      throw new BellhopError("file.missing", {
        message: `There is no token at ${path}.`,
        next: 'The daemon makes it when it starts: "bellhop down && bellhop up".',
      });
    }
    const token = tokenOf(owner, name);
    if (out.json) out.value({ agent: name, token });
    else out.line(token);
    return EXIT.ok;
  },
};
