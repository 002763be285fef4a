/** Carries out `bellhop mcp install`, `remove` and `status`. Loaded on demand, because it loads every program. */
import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { BellhopError } from "../../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";
import { openHome } from "../../home/home.ts";
import { diffText } from "../../hooks/diff.ts";
import {
  applyMcpPlan,
  type McpPlan,
  type McpStatus,
  mcpStatus,
  planRegister,
  planUnregister,
} from "../../hooks/mcp/register.ts";
import type { McpProgram, McpSetting } from "../../hooks/mcp/registered-program.ts";
import { MCP_PROGRAMS } from "../../programs/index.ts";
import { type Arguments, usage } from "../command.ts";
import type { CommandContext } from "../context.ts";
import type { Output } from "../printing/output.ts";
import { printTable } from "../printing/table.ts";
import { requireOwner } from "./owner-only.ts";

type Deed = "installed" | "removed";

export async function installMcp(context: CommandContext, args: Arguments): Promise<undefined> {
  if (!args.flag("dry-run")) openHome(context.env, { create: true });
  await change(context, args, "installed", planRegister);
}

export async function removeMcp(context: CommandContext, args: Arguments): Promise<undefined> {
  await change(context, args, "removed", planUnregister);
}

export async function showMcp(context: CommandContext, { words }: Arguments): Promise<undefined> {
  const found = named(words).map((program) => mcpStatus(program, settingOf(context)));
  context.out.result(found, () => printStatus(context.out, found));
}

async function change(
  context: CommandContext,
  args: Arguments,
  deed: Deed,
  planned: (program: McpProgram, setting: McpSetting) => McpPlan,
): Promise<void> {
  await requireOwner(context);
  if (args.flag("dry-run") && args.flag("yes"))
    throw usage("--dry-run and --yes cannot both be given.", "Give one of them.");
  const setting = settingOf(context);
  // All are planned before the first change: a file that is refused leaves the others untouched too.
  const plans = chosen(args, setting).map((program) => planned(program, setting));
  const isDone = !args.flag("dry-run") && (await isWanted(context, args, plans, deed));
  if (isDone) for (const plan of plans) applyMcpPlan(plan, context.now);
  tell(context.out, plans, deed, args.flag("dry-run") ? "dry-run" : isDone ? "done" : "declined");
}

/** Shows the change and asks, unless --yes was given or nothing changes. */
async function isWanted(
  { out }: CommandContext,
  args: Arguments,
  plans: readonly McpPlan[],
  deed: Deed,
): Promise<boolean> {
  if (args.flag("yes") || plans.every(({ change }) => change === undefined)) return true;
  if (out.json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw usage(
      "This changes settings of another program, and there is nobody to ask.",
      "Look with --dry-run; do it with --yes.",
    );
  for (const diff of diffsOf(plans)) out.note(sanitiseText(diff));
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const verb = deed === "installed" ? "Add" : "Remove";
    return /^(?:y(?:es)?)?$/i.test((await reader.question(`${verb} this? [Y/n] `)).trim());
  } finally {
    reader.close();
  }
}

const ASKS = " It asks you before each call; docs/mcp.md says how to allow them.";

function tell(
  out: Output,
  plans: readonly McpPlan[],
  deed: Deed,
  outcome: "done" | "dry-run" | "declined",
): void {
  if (out.json) {
    const programs = plans.map(({ program, change }) => ({
      program: program.name,
      changed: change === undefined ? [] : [change.path],
      ...(outcome === "dry-run" ? { diff: diffsOf([{ program, change }]) } : {}),
    }));
    out.value({ dryRun: outcome === "dry-run", programs });
    return;
  }
  if (outcome === "declined") out.line("Nothing was changed.");
  if (outcome === "declined") return;
  for (const { program, change } of plans) {
    if (change === undefined) out.line(`${program.name}: nothing to change`);
    else if (outcome === "dry-run") out.line(`${program.name}: would be ${deed}`);
    else {
      const where = `${deed === "installed" ? "in" : "from"} ${sanitiseLine(change.path)}`;
      out.line(`${out.paint("bold", program.name)}: ${deed} ${where}`);
    }
    if (outcome === "dry-run")
      for (const diff of diffsOf([{ program, change }])) out.line(sanitiseText(diff));
    else if (change !== undefined && deed === "installed") {
      out.line(`  ${program.uses}${program.asks ? ASKS : ""}`);
    }
  }
  if (outcome === "dry-run") out.line("Nothing was changed.");
}

/** Only the changed lines: those around them may hold secrets of other servers. */
function diffsOf(plans: readonly (Pick<McpPlan, "program"> & { change?: McpPlan["change"] | undefined })[]) {
  return plans.flatMap(({ change }) =>
    change === undefined ? [] : [diffText(change.path, change.before, change.after, { context: 0 })],
  );
}

function settingOf({ env, home }: CommandContext): McpSetting {
  return { bellhopHome: home().root, userHome: env.HOME || homedir(), environment: env };
}

function named([name]: readonly string[]): readonly McpProgram[] {
  return MCP_PROGRAMS.filter((program) => name === undefined || program.name === name);
}

function chosen({ words }: Arguments, setting: McpSetting): readonly McpProgram[] {
  const programs = named(words);
  const found = words.length > 0 ? programs : programs.filter((program) => program.isPresent(setting));
  if (found.length > 0) return found;
  throw new BellhopError("hooks.unknown_program", {
    message: `None of ${MCP_PROGRAMS.map(({ title }) => title).join(", ")} has settings here.`,
    next: `Start the program once, or name it: "bellhop mcp install claude".`,
  });
}

function printStatus(out: Output, found: readonly McpStatus[]): void {
  printTable(out, found, {
    PROGRAM: ({ program }) => program,
    "MCP SERVER": ({ state }) => state,
    SETTINGS: ({ settings, present }) => (present ? settings : `${settings} (missing)`),
  });
  for (const { program, advice } of found)
    if (advice !== undefined) out.line(sanitiseLine(`${program}: ${advice}`));
}
