import { HOOKED_TITLES } from "../../../core/rights/agent-programs.ts";
import type { Command, OptionSpec } from "../../command.ts";

const DRY_RUN: OptionSpec = { kind: "flag", summary: "show what would change, but change nothing" };
const DIFF: OptionSpec = { kind: "flag", summary: "with --dry-run: show every changed line" };
const NAMES = [...HOOKED_TITLES.keys()];
const PROGRAM = `[${NAMES.join("|")}]`;
const WORDS = { least: 0, most: 1 } as const;

const install: Command = {
  name: "install",
  summary: "install hooks, so that agent programs tell Bellhop what they do",
  usage: [`hooks install ${PROGRAM} [--allow-rules|--no-allow-rules] [--dry-run [--diff]]`],
  options: {
    "dry-run": DRY_RUN,
    diff: DIFF,
    "allow-rules": {
      kind: "flag",
      summary: "let the agents run Bellhop's commands for agents without asking you",
    },
    "no-allow-rules": {
      kind: "flag",
      summary: "install the hooks only; the agents ask you before they answer",
    },
    yes: { kind: "flag", short: "y", summary: "accept the allow rules without being asked" },
  },
  words: WORDS,
  wordChoices: NAMES,
  examples: [
    {
      command: "bellhop hooks install",
      does: `for ${[...HOOKED_TITLES.values()].join(" and ")}, whichever is installed`,
    },
    { command: "bellhop hooks install --dry-run", does: "what it would do, on one screen" },
    { command: "bellhop hooks install codex --dry-run --diff", does: "every changed line" },
  ],
  run: async (context, args) => (await import("../../local/hooking.ts")).installHooks(context, args),
};

const remove: Command = {
  name: "remove",
  summary: "remove exactly what install added",
  usage: [`hooks remove ${PROGRAM} [--dry-run [--diff]]`],
  options: { "dry-run": DRY_RUN, diff: DIFF },
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop hooks remove claude", does: "its other settings stay untouched" }],
  run: async (context, args) => (await import("../../local/hooking.ts")).removeHooks(context, args),
};

const status: Command = {
  name: "status",
  summary: "check whether the hooks are in place",
  usage: [`hooks status ${PROGRAM}`],
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop hooks status", does: "only looks; changes nothing" }],
  run: async (context, args) => (await import("../../local/hooking.ts")).showHooks(context, args),
};

export const hooks: Command = {
  name: "hooks",
  summary: "install, remove or check the hooks of agent programs",
  usage: [`hooks install|remove|status ${PROGRAM}`],
  examples: [{ command: "bellhop hooks status", does: "check whether they are in place" }],
  subcommands: [install, remove, status],
};
