/** `bellhop hooks install` and `remove`: planned first, so that a person sees every change before it is made. */
import { assertNever } from "../core/errors.ts";
import { allowAnswerFile } from "./allow-answer.ts";
import { claudeAllowRules, withAllowRules, withoutAllowRules } from "./claude-settings.ts";
import { planTrust } from "./codex-plan.ts";
import { CODEX_RULES, withCodexRules, withoutCodexRules } from "./codex-rules.ts";
import { withHandlers, withoutHandlers } from "./handlers.ts";
import { codexRulesFile, type HookSetting, handlersOf, jsonIn, scriptIn, settingsFile } from "./places.ts";
import { HOOKED_PROGRAMS, type HookedProgram } from "./programs.ts";
import { hookScript } from "./script.ts";
import { applyChange, type FileChange, isLink, readSettings } from "./settings-file.ts";

export interface HookPlan {
  readonly program: HookedProgram;
  /** Only files that really change, in the order in which they must. */
  readonly changes: readonly FileChange[];
  readonly notes: readonly string[];
}

/** What is done about the allow rules: as the person said, or nothing where nobody was asked. */
export type AllowRules = "give" | "refuse" | "leave";

export function planInstall(
  program: HookedProgram,
  setting: HookSetting,
  { allowRules }: { readonly allowRules: AllowRules },
): HookPlan {
  const script = scriptIn(setting);
  const scriptChange = change(script, () => hookScript(), 0o700);
  const settings = settingsFile(program, setting);
  const hooks = edit(settings, (text) => withHandlers(text, settings, program, script));
  switch (program) {
    case "claude": {
      const rules = claudeAllowRules(setting.bellhopHome, setting.userHome);
      if (allowRules === "leave") return plan(program, [scriptChange, hooks], []);
      const ruled = allowRules === "give" ? withAllowRules : withoutAllowRules;
      const both = andThen(hooks, (text) => ruled(text, settings, rules));
      const said = allowRules === "give" ? "yes\n" : "no\n";
      return plan(
        program,
        [scriptChange, change(allowAnswerFile(setting.bellhopHome), () => said, 0o600), both],
        [],
      );
    }
    case "codex": {
      const trust = planTrust(setting, hooks, "install");
      const rules = codexRulesFile(setting);
      const ruled = allowRules === "give" ? withCodexRules : withoutCodexRules;
      const rulesChange = allowRules === "leave" ? [] : [change(rules, ruled, 0o600)];
      // Trust before the hooks: a window that opens in between must not ask about them.
      return plan(program, [scriptChange, ...trust.changes, ...rulesChange, hooks], trust.notes);
    }
    default:
      return assertNever(program);
  }
}

/** Each rule as its program's file will hold it. */
export function allowRuleTexts(program: HookedProgram, setting: HookSetting): readonly string[] {
  switch (program) {
    case "claude":
      return claudeAllowRules(setting.bellhopHome, setting.userHome);
    case "codex":
      return CODEX_RULES.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    default:
      return assertNever(program);
  }
}

export function planRemove(program: HookedProgram, setting: HookSetting): HookPlan {
  const script = scriptIn(setting);
  const settings = settingsFile(program, setting);
  const hooks = edit(settings, (text) => withoutHandlers(text, settings, script));
  const others = HOOKED_PROGRAMS.filter((each) => each !== program);
  const scriptChange = others.some((other) => mayUse(other, script, setting))
    ? []
    : [change(script, () => undefined, 0o700)];
  switch (program) {
    case "claude": {
      const rules = claudeAllowRules(setting.bellhopHome, setting.userHome);
      const both = andThen(hooks, (text) => withoutAllowRules(text, settings, rules));
      const answer = change(allowAnswerFile(setting.bellhopHome), () => undefined, 0o600);
      return plan(program, [both, answer, ...scriptChange], []);
    }
    case "codex": {
      const trust = planTrust(setting, hooks, "remove");
      const rulesChange = change(codexRulesFile(setting), withoutCodexRules, 0o600);
      return plan(program, [hooks, ...trust.changes, rulesChange, ...scriptChange], trust.notes);
    }
    default:
      return assertNever(program);
  }
}

/** A file that cannot be read may well name the script. */
function mayUse(program: HookedProgram, script: string, setting: HookSetting): boolean {
  try {
    return handlersOf(program, setting).some((each) => each.script === script);
  } catch {
    return true;
  }
}

export function applyPlan({ changes }: HookPlan): void {
  for (const each of changes) applyChange(each);
}

/** A file of our own, in a folder that is there for it. */
function change(
  path: string,
  make: (text: string | undefined) => string | undefined,
  mode: number,
): FileChange {
  const before = readSettings(path);
  return { path, before, after: make(before), mode, folder: "goes-too" };
}

/** A JSON file; an empty one counts as an empty object, and one that becomes empty goes. */
function edit(path: string, make: (text: string) => string): FileChange {
  const before = readSettings(path);
  return andThen({ path, before, after: before, mode: 0o600, folder: "stays" }, make);
}

function andThen(change: FileChange, make: (text: string) => string): FileChange {
  const text = jsonIn(change.after);
  const made = make(text);
  if (made === text) return change;
  const mark = change.after?.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { ...change, after: made.trim() === "{}" && !isLink(change.path) ? undefined : mark + made };
}

function plan(program: HookedProgram, changes: readonly FileChange[], notes: readonly string[]): HookPlan {
  return { program, changes: changes.filter(({ before, after }) => before !== after), notes };
}
