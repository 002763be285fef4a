import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "../../command.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "serve Bellhop's tools to an agent program, over MCP",
  usage: ["mcp"],
  examples: [
    {
      command: "bellhop mcp",
      does: 'agent programs start it; set it up with "claude mcp add bellhop -- bellhop mcp", or the same with codex',
    },
  ],
  run: async ({ env, daemonEntry, out }) => {
    if (process.stdin.isTTY)
      out.note(
        "This command is for agent programs: it speaks MCP on stdin and stdout. Ctrl+C ends it; see --help.",
      );
    // A separate bundle: it takes longer to load than any other command.
    const bundle = pathToFileURL(join(dirname(daemonEntry), "mcp.mjs")).href;
    const { serveMcp } = (await import(bundle)) as typeof import("../../../mcp/stdio.ts");
    await serveMcp({ env, daemonEntry, complain: (line) => out.note(line) });
  },
};
