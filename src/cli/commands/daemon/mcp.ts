import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { AGENT_PROGRAMS } from "../../../core/rights/agent-programs.ts";
import type { Command, OptionSpec } from "../../command.ts";

const NAMES = Object.keys(AGENT_PROGRAMS).filter((name) => AGENT_PROGRAMS[name]?.hasMcp === true);
const PROGRAM = `[${NAMES.join("|")}]`;
const WORDS = { least: 0, most: 1 } as const;
const CHANGING: Readonly<Record<string, OptionSpec>> = {
  "dry-run": { kind: "flag", summary: "show every changed line, but change nothing" },
  yes: { kind: "flag", short: "y", summary: "do it without asking" },
};

const install: Command = {
  name: "install",
  summary: "register Bellhop as an MCP server of an agent program",
  usage: [`mcp install ${PROGRAM} [--dry-run|--yes]`],
  options: CHANGING,
  words: WORDS,
  wordChoices: NAMES,
  examples: [
    {
      command: "bellhop mcp install",
      does: "for every program that is used here; shows the change, and asks",
    },
    { command: "bellhop mcp install codex --yes", does: "for Codex, without asking" },
    { command: "bellhop mcp install gemini --dry-run", does: "shows what would change" },
  ],
  run: async (context, args) => (await import("../../local/registering.ts")).installMcp(context, args),
};

const remove: Command = {
  name: "remove",
  summary: "remove exactly what install added",
  usage: [`mcp remove ${PROGRAM} [--dry-run|--yes]`],
  options: CHANGING,
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop mcp remove claude", does: "its other servers and settings stay untouched" }],
  run: async (context, args) => (await import("../../local/registering.ts")).removeMcp(context, args),
};

const status: Command = {
  name: "status",
  summary: "check which agent programs start Bellhop's MCP server",
  usage: [`mcp status ${PROGRAM}`],
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop mcp status", does: "only looks; changes nothing" }],
  run: async (context, args) => (await import("../../local/registering.ts")).showMcp(context, args),
};

export const mcp: Command = {
  name: "mcp",
  summary: "serve Bellhop's tools to an agent program, over MCP; or register it there",
  usage: ["mcp", `mcp install|remove|status ${PROGRAM}`],
  examples: [
    { command: "bellhop mcp install claude", does: "Claude Code then starts it with each session" },
    { command: "bellhop mcp", does: "the server itself: agent programs start it" },
  ],
  subcommands: [install, remove, status],
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
