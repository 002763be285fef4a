import { homedir } from "node:os";
import { BellhopError, EXIT } from "../../../core/errors.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import { openHome } from "../../../home/home.ts";
import { diffText } from "../../../hooks/diff.ts";
import {
  type AllowRules,
  type HookedProgram,
  type HookSetting,
  isPresent,
} from "../../../hooks/hooked-program.ts";
import { applyPlan, type HookPlan, planInstall, planRemove } from "../../../hooks/install.ts";
import { type HooksStatus, hooksStatus } from "../../../hooks/status.ts";
import { HOOKED_PROGRAMS, PROGRAMS } from "../../../programs/index.ts";
import type { Arguments, Command, OptionSpec } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { askPerson, hearsPerson } from "../../local/ask-person.ts";
import { previewInstall, previewRemove, type RulesChoice } from "../../local/hook-preview.ts";
import { requireOwner } from "../../local/owner-only.ts";
import type { Output } from "../../printing/output.ts";
import { printTable } from "../../printing/table.ts";

const DRY_RUN: OptionSpec = { kind: "flag", summary: "show what would change, but change nothing" };
const DIFF: OptionSpec = { kind: "flag", summary: "with --dry-run: show every changed line" };
const NAMES = HOOKED_PROGRAMS.map(({ name }) => name);
const TITLES = PROGRAMS.filter(({ hooks }) => hooks !== undefined).map(({ title }) => title);
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
    { command: "bellhop hooks install", does: `for ${listed(TITLES, "and")}, whichever is installed` },
    { command: "bellhop hooks install --dry-run", does: "what it would do, on one screen" },
    { command: "bellhop hooks install codex --dry-run --diff", does: "every changed line" },
  ],
  run: async (context, args) => {
    await requireOwner(context);
    const setting = settingOf(context);
    const programs = chosenPrograms(args, setting);
    checkDiff(args);
    const allowRules = await wantsAllowRules(context, args, programs);
    const planned = (program: HookedProgram) => planInstall(program, setting, { allowRules });
    if (!args.flag("dry-run")) openHome(context.env, { create: true });
    const plans = carryOut(programs, planned, args);
    if (previews(context, args)) {
      const lines = previewInstall(plans, setting, allowRules === "refuse" ? "refused" : rulesChoice(args));
      preview(context.out, lines, "install", args);
    } else tell(context.out, plans, args, "installed");
    if (!context.out.json && !args.flag("dry-run")) tellWhatFollows(context.out, plans, allowRules);
    return EXIT.ok;
  },
};

const remove: Command = {
  name: "remove",
  summary: "remove exactly what install added",
  usage: [`hooks remove ${PROGRAM} [--dry-run [--diff]]`],
  options: { "dry-run": DRY_RUN, diff: DIFF },
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop hooks remove claude", does: "its other settings stay untouched" }],
  run: async (context, args) => {
    await requireOwner(context);
    checkDiff(args);
    const setting = settingOf(context);
    const programs = chosenPrograms(args, setting);
    const plans = carryOut(programs, (program) => planRemove(program, setting), args);
    if (previews(context, args)) preview(context.out, previewRemove(plans, setting), "remove", args);
    else tell(context.out, plans, args, "removed");
    return EXIT.ok;
  },
};

const status: Command = {
  name: "status",
  summary: "check whether the hooks are in place",
  usage: [`hooks status ${PROGRAM}`],
  options: {},
  words: WORDS,
  wordChoices: NAMES,
  examples: [{ command: "bellhop hooks status", does: "only looks; changes nothing" }],
  run: async (context, args) => {
    const { out } = context;
    const chosen = args.words[0] === undefined ? NAMES : [programNamed(args.words[0]).name];
    const found = hooksStatus(settingOf(context)).filter(({ program }) => chosen.includes(program));
    if (out.json) out.value(found);
    else printStatus(out, found);
    return EXIT.ok;
  },
};

export const hooks: Command = {
  name: "hooks",
  summary: "install, remove or check the hooks of agent programs",
  usage: [`hooks install|remove|status ${PROGRAM}`],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop hooks status", does: "check whether they are in place" }],
  subcommands: [install, remove, status],
};

function listed(words: readonly string[], last: string): string {
  return [words.slice(0, -1).join(", "), words.at(-1)].join(` ${last} `);
}

function checkDiff(args: Arguments): void {
  if (!args.flag("diff") || args.flag("dry-run")) return;
  throw new BellhopError("usage.invalid", {
    message: "--diff goes with --dry-run.",
    next: "Add --dry-run, or leave it out.",
  });
}

/** A person's dry run is one screen; a script's, and one with --diff, is everything. */
function previews({ out }: CommandContext, args: Arguments): boolean {
  return args.flag("dry-run") && !args.flag("diff") && !out.json;
}

function rulesChoice(args: Arguments): RulesChoice {
  return args.flag("allow-rules") || args.flag("yes") ? "given" : "asked";
}

function preview(
  out: Output,
  lines: readonly string[],
  command: "install" | "remove",
  { words }: Arguments,
): void {
  for (const line of lines) out.line(sanitiseLine(line));
  const again = ["bellhop hooks", command, ...words].join(" ");
  out.line(`Nothing was changed. Every line: ${again} --dry-run --diff. Do it: ${again}`);
}

function carryOut(
  programs: readonly HookedProgram[],
  planned: (program: HookedProgram) => HookPlan,
  args: Arguments,
): readonly HookPlan[] {
  // All of them before the first change: a broken file of one program leaves the other untouched too.
  const plans = programs.map(planned);
  if (args.flag("dry-run")) return plans;
  // Each again when its turn comes: they share the script, which comes with the first and goes with the last.
  return programs.map((program) => {
    const plan = planned(program);
    applyPlan(plan);
    return plan;
  });
}

function settingOf(context: CommandContext): HookSetting {
  const { env } = context;
  return {
    bellhopHome: context.home().root,
    userHome: env.HOME || homedir(),
    environment: env,
    programs: HOOKED_PROGRAMS,
  };
}

function chosenPrograms(args: Arguments, setting: HookSetting): readonly HookedProgram[] {
  const [named] = args.words;
  if (named !== undefined) return [programNamed(named)];
  const present = HOOKED_PROGRAMS.filter((program) => isPresent(program, setting));
  if (present.length > 0) return present;
  throw new BellhopError("hooks.unknown_program", {
    message: `${TITLES.length > 2 ? "None of " : "Neither "}${listed(TITLES, TITLES.length > 2 ? "and" : "nor")} has a settings folder here.`,
    next: `Start the program once, or name it: "bellhop hooks install claude".`,
  });
}

function programNamed(name: string): HookedProgram {
  const program = HOOKED_PROGRAMS.find((each) => each.name === name);
  if (program !== undefined) return program;
  const meant = nearest(name, NAMES);
  throw new BellhopError("hooks.unknown_program", {
    message: `Bellhop has no hooks for "${sanitiseLine(name, 64)}".`,
    next: meant === undefined ? `Name one of: ${NAMES.join(", ")}.` : `Did you mean "${meant}"?`,
  });
}

async function wantsAllowRules(
  context: CommandContext,
  args: Arguments,
  programs: readonly HookedProgram[],
): Promise<AllowRules> {
  if (args.flag("allow-rules") && args.flag("no-allow-rules")) {
    throw new BellhopError("usage.invalid", {
      message: "--allow-rules and --no-allow-rules cannot both be given.",
      next: "Give one of them.",
    });
  }
  if (args.flag("no-allow-rules")) return "refuse";
  if (args.flag("allow-rules") || args.flag("yes")) return "give";
  const setting = settingOf(context);
  const installed = hooksStatus(setting).filter(({ program }) =>
    programs.some(({ name }) => name === program),
  );
  // Those of another version were another question.
  if (installed.every(({ allowRules }) => allowRules === "installed")) return "give";
  // As it will be if they say yes: nobody is asked about what is only shown.
  if (args.flag("dry-run") && !context.out.json) return "give";
  if (context.out.json || !hearsPerson()) return "leave";
  return (await askPerson(allowQuestion(programs, setting))) ? "give" : "refuse";
}

/** Every rule, as it will stand in the program's own file. */
export function allowQuestion(programs: readonly HookedProgram[], setting: HookSetting): string {
  const rules = programs.flatMap((program) =>
    program.allowRules(setting).map((rule) => `  ${program.name}: ${rule}`),
  );
  return [
    "These rules let the agents run the following without asking you each time:",
    ...rules,
    "Bellhop still refuses an agent whatever is not its own: raw keys, the mail and queues of others, and the like",
    "(docs/safety.md). Your answer also counts for terminals that Bellhop hosts. Add these rules?",
  ].join("\n");
}

function tell(out: Output, plans: readonly HookPlan[], args: Arguments, done: "installed" | "removed"): void {
  const dryRun = args.flag("dry-run");
  if (out.json) {
    const programs = plans.map(({ program, changes, notes }) => ({
      program: program.name,
      changed: changes.map(({ path }) => path),
      notes,
      ...(dryRun ? { diff: diffsOf(changes) } : {}),
    }));
    out.value({ dryRun, programs });
    return;
  }
  for (const { program, changes, notes } of plans) {
    if (changes.length === 0) out.line(`${program.name}: nothing to change`);
    else out.line(`${out.paint("bold", program.name)}: hooks ${dryRun ? `would be ${done}` : done}`);
    if (dryRun) for (const diff of diffsOf(changes)) out.line(sanitiseText(diff));
    else for (const { path } of changes) out.line(`  ${sanitiseLine(path)}`);
    for (const note of notes) out.line(`  ${sanitiseLine(note)}`);
  }
}

function diffsOf(changes: HookPlan["changes"]): readonly string[] {
  return changes.map(({ path, before, after }) => diffText(path, before, after));
}

function tellWhatFollows(out: Output, plans: readonly HookPlan[], allowRules: AllowRules): void {
  for (const { program, changes } of plans) if (changes.length > 0) out.line(program.uses);
  if (allowRules !== "give") {
    out.line(
      'The agents will ask you before they answer; "bellhop hooks install --allow-rules" lets them answer at once.',
    );
  }
}

function printStatus(out: Output, found: readonly HooksStatus[]): void {
  printTable<HooksStatus>(
    out,
    [
      { title: "PROGRAM", cell: ({ program }) => program },
      { title: "HOOKS", cell: ({ state }) => state },
      { title: "ALLOW RULES", cell: ({ allowRules }) => allowRules },
      {
        title: "SETTINGS",
        cell: ({ settings, present }) => (present ? settings : `${settings} (missing)`),
      },
    ],
    found,
  );
  for (const { program, state, advice } of found) {
    for (const line of advice) out.line(sanitiseLine(`${program}: ${line}`));
    if (state === "outdated" || state === "foreign") {
      out.line(`${program}: "bellhop hooks install ${program}" installs the hooks of this version.`);
    }
  }
}
