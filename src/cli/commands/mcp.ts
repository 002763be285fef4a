import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { EXIT } from "../../core/errors.ts";
import type { Command } from "../command.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "serve the tools of Bellhop to an agent program (MCP)",
  usage: ["mcp"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [
    {
      command: "bellhop mcp",
      does: 'what an agent program starts: "claude mcp add bellhop -- bellhop mcp", or the same with codex',
    },
  ],
  run: async ({ env, daemonEntry, out }) => {
    if (process.stdin.isTTY)
      out.note("This speaks MCP on stdin and stdout, for an agent program. Ctrl+C ends it; see --help.");
    // A bundle of its own: loading it costs more than any other command.
    const bundle = pathToFileURL(join(dirname(daemonEntry), "mcp.mjs")).href;
    const { serveMcp } = (await import(bundle)) as typeof import("../../mcp/stdio.ts");
    await serveMcp({ env, daemonEntry, complain: (line) => out.note(line) });
    return EXIT.ok;
  },
};
