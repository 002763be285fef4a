/** Carries out `bellhop hooks`. Loaded on demand, because it loads every program. */
import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { BellhopError } from "../../core/errors.ts";
import { HOOKED_TITLES } from "../../core/rights/agent-programs.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";
import { openHome } from "../../home/home.ts";
import { diffText } from "../../hooks/diff.ts";
import {
  type AllowRules,
  type HookedProgram,
  type HookSetting,
  isPresent,
} from "../../hooks/hooked-program.ts";
import { applyPlan, type HookPlan, planInstall, planRemove } from "../../hooks/install.ts";
import { type HooksStatus, hooksStatus } from "../../hooks/status.ts";
import { HOOKED_PROGRAMS } from "../../programs/index.ts";
import { type Arguments, usage } from "../command.ts";
import type { CommandContext } from "../context.ts";
import type { Output } from "../printing/output.ts";
import { printTable } from "../printing/table.ts";
import { previewInstall, previewRemove } from "./hook-preview.ts";
import { requireOwner } from "./owner-only.ts";

export async function installHooks(context: CommandContext, args: Arguments): Promise<undefined> {
  await requireOwner(context);
  const setting = hookSetting(context);
  const programs = chosenPrograms(args, setting);
  checkDiff(args);
  const allowRules = await wantsAllowRules(context, args, programs);
  const planned = (program: HookedProgram) => planInstall(program, setting, { allowRules });
  if (!args.flag("dry-run")) openHome(context.env, { create: true });
  const plans = carryOut(programs, planned, args);
  if (previews(context, args)) {
    const said = args.flag("allow-rules") || args.flag("yes") ? "given" : "asked";
    const lines = previewInstall(plans, setting, allowRules === "refuse" ? "refused" : said);
    preview(context.out, lines, "install", args);
  } else tell(context.out, plans, args, "installed");
  if (!context.out.json && !args.flag("dry-run")) tellWhatFollows(context.out, plans, allowRules);
}

export async function removeHooks(context: CommandContext, args: Arguments): Promise<undefined> {
  await requireOwner(context);
  checkDiff(args);
  const setting = hookSetting(context);
  const programs = chosenPrograms(args, setting);
  const plans = carryOut(programs, (program) => planRemove(program, setting), args);
  if (previews(context, args)) preview(context.out, previewRemove(plans, setting), "remove", args);
  else tell(context.out, plans, args, "removed");
}

export async function showHooks(context: CommandContext, { words }: Arguments): Promise<undefined> {
  const chosen = namedPrograms(words).map(({ name }) => name);
  const found = hooksStatus(hookSetting(context)).filter(({ program }) => chosen.includes(program));
  context.out.result(found, () => printStatus(context.out, found));
}

function checkDiff(args: Arguments): void {
  if (!args.flag("diff") || args.flag("dry-run")) return;
  throw usage("--diff goes with --dry-run.", "Add --dry-run, or leave it out.");
}

/** A person's dry run fits one screen; a script's, or one with --diff, shows everything. */
function previews({ out }: CommandContext, args: Arguments): boolean {
  return args.flag("dry-run") && !args.flag("diff") && !out.json;
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
  // All are planned before the first change: a broken file of one program leaves the other untouched too.
  const plans = programs.map(planned);
  if (args.flag("dry-run")) return plans;
  // Each is planned again in its turn: they share the script, which is added with the first and removed with the last.
  return programs.map((program) => {
    const plan = planned(program);
    applyPlan(plan);
    return plan;
  });
}

export function hookSetting({ env, home }: CommandContext): HookSetting {
  return {
    bellhopHome: home().root,
    userHome: env.HOME || homedir(),
    environment: env,
    programs: HOOKED_PROGRAMS,
  };
}

/** The named program, or all. */
function namedPrograms([named]: readonly string[]): readonly HookedProgram[] {
  return HOOKED_PROGRAMS.filter(({ name }) => named === undefined || name === named);
}

function chosenPrograms({ words }: Arguments, setting: HookSetting): readonly HookedProgram[] {
  const programs = namedPrograms(words);
  const chosen = words.length > 0 ? programs : programs.filter((program) => isPresent(program, setting));
  if (chosen.length > 0) return chosen;
  const titles = [...HOOKED_TITLES.values()];
  throw new BellhopError("hooks.unknown_program", {
    message: `${titles.length > 2 ? "None of " : "Neither "}${listed(titles, titles.length > 2 ? "and" : "nor")} has a settings folder here.`,
    next: `Start the program once, or name it: "bellhop hooks install claude".`,
  });
}

function listed(words: readonly string[], last: string): string {
  return [words.slice(0, -1).join(", "), words.at(-1)].join(` ${last} `);
}

async function wantsAllowRules(
  context: CommandContext,
  args: Arguments,
  programs: readonly HookedProgram[],
): Promise<AllowRules> {
  if (args.flag("allow-rules") && args.flag("no-allow-rules"))
    throw usage("--allow-rules and --no-allow-rules cannot both be given.", "Give one of them.");
  if (args.flag("no-allow-rules")) return "refuse";
  if (args.flag("allow-rules") || args.flag("yes")) return "give";
  const setting = hookSetting(context);
  const installed = hooksStatus(setting).filter(({ program }) =>
    programs.some(({ name }) => name === program),
  );
  // Rules of another version were a different question.
  if (installed.every(({ allowRules }) => allowRules === "installed")) return "give";
  // Shown as after a yes: a dry run does not ask.
  if (args.flag("dry-run") && !context.out.json) return "give";
  if (context.out.json || !process.stdin.isTTY || !process.stderr.isTTY) return "leave";
  return (await askPerson(allowQuestion(programs, setting))) ? "give" : "refuse";
}

/** Every rule, as it will be written to the program's own file. */
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
  printTable(out, found, {
    PROGRAM: ({ program }) => program,
    HOOKS: ({ state }) => state,
    "ALLOW RULES": ({ allowRules }) => allowRules,
    SETTINGS: ({ settings, present }) => (present ? settings : `${settings} (missing)`),
  });
  for (const { program, state, advice } of found) {
    for (const line of advice) out.line(sanitiseLine(`${program}: ${line}`));
    if (state === "outdated" || state === "foreign") {
      out.line(`${program}: "bellhop hooks install ${program}" installs the hooks of this version.`);
    }
  }
}

/** Asks the person at the terminal. Enter alone means yes. */
async function askPerson(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [Y/n] `);
    return /^(?:y(?:es)?)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
