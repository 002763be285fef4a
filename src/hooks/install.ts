/** `bellhop hooks install` and `remove`: planned first, so that a person sees every change before it is made. */
import { entriesOf } from "./handlers.ts";
import {
  type AllowRules,
  type HookEntry,
  type HookedProgram,
  type HookSetting,
  scriptIn,
  settingsFile,
} from "./hooked-program.ts";
import { hookScript } from "./script.ts";
import { applyChange, type FileChange, jsonFile, jsonIn, ownFile, readSettings } from "./settings-file.ts";

export interface HookPlan {
  readonly program: HookedProgram;
  /** Only files that change, in the order in which they must be written. */
  readonly changes: readonly FileChange[];
  readonly notes: readonly string[];
}

export function planInstall(
  program: HookedProgram,
  setting: HookSetting,
  { allowRules }: { readonly allowRules: AllowRules },
): HookPlan {
  const script = scriptIn(setting);
  const settings = settingsFile(program, setting);
  const added = jsonFile(settings, (text) => entriesOf(program).add(text, settings, script));
  const { hooks, beside, notes } = program.alter(added, setting, { purpose: "install", allowRules });
  const scriptChange = ownFile(script, () => hookScript(setting.programs), 0o700);
  return plan(program, [scriptChange, ...beside, hooks], notes);
}

export function planRemove(program: HookedProgram, setting: HookSetting): HookPlan {
  const script = scriptIn(setting);
  const settings = settingsFile(program, setting);
  const taken = jsonFile(settings, (text) => entriesOf(program).remove(text, settings, script));
  const { hooks, beside, notes } = program.alter(taken, setting, { purpose: "remove" });
  const others = setting.programs.filter(({ name }) => name !== program.name);
  const isUsed =
    runsScript(entriesOf(program).find(jsonIn(hooks.after), settings), script) ||
    others.some((other) => mayUse(other, script, setting));
  const scriptChange = isUsed ? [] : [ownFile(script, () => undefined, 0o700)];
  return plan(program, [hooks, ...beside, ...scriptChange], notes);
}

/** What the program's file runs for any Bellhop. */
export function entriesIn(program: HookedProgram, setting: HookSetting): readonly HookEntry[] {
  const settings = settingsFile(program, setting);
  return entriesOf(program).find(jsonIn(readSettings(settings)), settings);
}

/** A file that cannot be read may still name the script. */
function mayUse(program: HookedProgram, script: string, setting: HookSetting): boolean {
  try {
    return runsScript(entriesIn(program, setting), script);
  } catch {
    return true;
  }
}

function runsScript(entries: readonly HookEntry[], script: string): boolean {
  return entries.some((entry) => entry.script === script);
}

export function applyPlan({ changes }: HookPlan): void {
  for (const each of changes) applyChange(each);
}

function plan(program: HookedProgram, changes: readonly FileChange[], notes: readonly string[]): HookPlan {
  return { program, changes: changes.filter(({ before, after }) => before !== after), notes };
}
