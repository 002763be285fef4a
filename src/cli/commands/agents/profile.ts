import type { Command } from "../../command.ts";

const ONE = { least: 1, most: 1 } as const;

const list: Command = {
  name: "list",
  summary: "list the programs that Bellhop knows, was taught, or can be taught by one command",
  usage: ["profile list"],
  examples: [{ command: "bellhop profile list", does: "with the releases that were proven" }],
  run: async (context) => (await import("../../local/profiles/profiling.ts")).listProfiles(context),
};

const show: Command = {
  name: "show",
  summary: "print a profile that comes with Bellhop, and what was proven of it",
  usage: ["profile show NAME"],
  words: ONE,
  examples: [{ command: "bellhop profile show qwen", does: "as it would stand in config.yaml" }],
  run: async (context, args) =>
    (await import("../../local/profiles/profiling.ts")).showProfile(context, args),
};

const add: Command = {
  name: "add",
  summary: "add a profile that comes with Bellhop to config.yaml",
  usage: ["profile add NAME [--dry-run]"],
  options: { "dry-run": { kind: "flag", summary: "show the change, but change nothing" } },
  words: ONE,
  examples: [{ command: "bellhop profile add pi", does: "Bellhop then finds Pi in your terminals" }],
  run: async (context, args) => (await import("../../local/profiles/profiling.ts")).addProfile(context, args),
};

const learn: Command = {
  name: "learn",
  summary: "capture the screens of a running program, for a report or a new profile",
  usage: ["profile learn WHO --to FOLDER [--name CASE]"],
  options: {
    to: { kind: "value", value: "FOLDER", summary: "where the captures go, by program and release" },
    name: {
      kind: "value",
      value: "CASE",
      summary: "capture what it shows now, under this name, and ask nothing",
    },
  },
  words: ONE,
  examples: [
    {
      command: "bellhop profile learn api --to screens",
      does: "says what to do, and captures when you press Enter",
    },
    { command: "bellhop profile learn api --to screens --name idle-empty", does: "one screen, as it is now" },
  ],
  run: async (context, args) =>
    (await import("../../local/profiles/learning.ts")).learnProfile(context, args),
};

const check: Command = {
  name: "check",
  summary: "read captured screens with a profile, and say what it sees",
  usage: ["profile check FOLDER [--profile NAME]"],
  options: {
    profile: { kind: "value", value: "NAME", summary: "instead of the one of the program that drew them" },
  },
  words: ONE,
  examples: [
    { command: "bellhop profile check screens --profile my-agent", does: "with the one in config.yaml" },
  ],
  run: async (context, args) =>
    (await import("../../local/profiles/profiling.ts")).checkCaptures(context, args),
};

export const profile: Command = {
  name: "profile",
  summary: "what Bellhop knows of agent programs: list, add, capture, check",
  usage: ["profile list|show|add|learn|check"],
  examples: [{ command: "bellhop profile list", does: "the programs that it knows" }],
  subcommands: [list, show, add, learn, check],
};
