/** `bellhop hooks install|remove|status`: plans first, so that a person sees every change before it is made. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { assertNever, BellhopError } from "../core/errors.ts";
import {
  allowRulesIn,
  claudeAdvice,
  claudeAllowRules,
  withAllowRules,
  withoutAllowRules,
} from "./claude-settings.ts";
import { CODEX_RULES, withCodexRules, withoutCodexRules } from "./codex-rules.ts";
import { changeTrust, movedPlaces, trustHash, trustName } from "./codex-trust.ts";
import { type FoundHandler, findHandlers, handlerFor, withHandlers, withoutHandlers } from "./handlers.ts";
import { HOOKED_EVENTS, HOOKED_PROGRAMS, type HookedProgram } from "./programs.ts";
import { HOOK_SCRIPT, hookScript } from "./script.ts";
import { applyChange, type FileChange, isLink, readSettings } from "./settings-file.ts";

export interface HookSetting {
  /** Absolute. */
  readonly bellhopHome: string;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface HookPlan {
  readonly program: HookedProgram;
  /** Only files that really change, in the order in which they must. */
  readonly changes: readonly FileChange[];
  readonly notes: readonly string[];
}

export interface HooksStatus {
  readonly program: HookedProgram;
  /** The program's own folder exists, so it is probably used here. */
  readonly present: boolean;
  readonly settings: string;
  /** `foreign`: hooks of a Bellhop with another home. */
  readonly state: "absent" | "installed" | "outdated" | "foreign" | "unreadable";
  readonly allowRules: "absent" | "installed" | "incomplete" | "unknown";
  /** What a person should know, as sentences. */
  readonly advice: readonly string[];
}

export function programFolder(program: HookedProgram, setting: HookSetting): string {
  const { environment, userHome } = setting;
  switch (program) {
    case "claude":
      return environment.CLAUDE_CONFIG_DIR || join(userHome, ".claude");
    case "codex":
      return environment.CODEX_HOME || join(userHome, ".codex");
    default:
      return assertNever(program);
  }
}

/** Programs whose own folder is there. */
export function presentPrograms(setting: HookSetting): readonly HookedProgram[] {
  return HOOKED_PROGRAMS.filter((program) => existsSync(programFolder(program, setting)));
}

export function planInstall(
  program: HookedProgram,
  setting: HookSetting,
  options: { readonly allowRules: boolean },
): HookPlan {
  const script = scriptIn(setting);
  const scriptChange = change(script, () => hookScript(), 0o700);
  const settings = settingsFile(program, setting);
  const hooks = edit(settings, (text) => withHandlers(text, settings, program, script));
  switch (program) {
    case "claude": {
      const rules = claudeAllowRules(setting.bellhopHome, setting.userHome);
      const both = options.allowRules
        ? andThen(hooks, (text) => withAllowRules(text, settings, rules))
        : hooks;
      return plan(program, [scriptChange, both], []);
    }
    case "codex": {
      const trust = codexTrust(setting, hooks, "install");
      const rules = codexRulesFile(setting);
      const rulesChange = options.allowRules ? [change(rules, withCodexRules, 0o600)] : [];
      // Trust before the hooks: a window that opens in between must not ask about them.
      return plan(program, [scriptChange, ...trust.changes, ...rulesChange, hooks], trust.notes);
    }
    default:
      return assertNever(program);
  }
}

export function planRemove(program: HookedProgram, setting: HookSetting): HookPlan {
  const script = scriptIn(setting);
  const settings = settingsFile(program, setting);
  const hooks = edit(settings, (text) => withoutHandlers(text, settings, script));
  const isUsedBy = (other: HookedProgram) =>
    other !== program && handlersOf(other, setting).some((each) => each.script === script);
  const scriptChange = HOOKED_PROGRAMS.some(isUsedBy) ? [] : [change(script, () => undefined, 0o700)];
  switch (program) {
    case "claude": {
      const rules = claudeAllowRules(setting.bellhopHome, setting.userHome);
      const both = andThen(hooks, (text) => withoutAllowRules(text, settings, rules));
      return plan(program, [both, ...scriptChange], []);
    }
    case "codex": {
      const trust = codexTrust(setting, hooks, "remove");
      const rulesChange = change(codexRulesFile(setting), withoutCodexRules, 0o600);
      return plan(program, [hooks, ...trust.changes, rulesChange, ...scriptChange], trust.notes);
    }
    default:
      return assertNever(program);
  }
}

export function applyPlan({ changes }: HookPlan): void {
  for (const each of changes) applyChange(each);
}

export function hooksStatus(setting: HookSetting): readonly HooksStatus[] {
  return HOOKED_PROGRAMS.map((program) => statusOf(program, setting));
}

function statusOf(program: HookedProgram, setting: HookSetting): HooksStatus {
  const settings = settingsFile(program, setting);
  const base = { program, present: existsSync(programFolder(program, setting)), settings };
  try {
    const found = handlersOf(program, setting).filter((each) => each.script !== undefined);
    const ours = found.filter((each) => each.script === scriptIn(setting));
    const { changes, notes } = planInstall(program, setting, { allowRules: false });
    const state =
      ours.length > 0
        ? changes.length === 0
          ? "installed"
          : "outdated"
        : found.length > 0
          ? "foreign"
          : "absent";
    const advice = [
      ...notes,
      ...(state === "outdated" ? changes.map(({ path }) => `${path} is not as this version writes it.`) : []),
      ...(program === "claude" ? claudeAdvice(jsonIn(readSettings(settings)), settings) : []),
    ];
    return { ...base, state, allowRules: allowRulesOf(program, setting), advice };
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return { ...base, state: "unreadable", allowRules: "unknown", advice: [error.message] };
  }
}

function allowRulesOf(program: HookedProgram, setting: HookSetting): HooksStatus["allowRules"] {
  if (program === "codex") {
    const text = readSettings(codexRulesFile(setting)) ?? "";
    if (text.includes(CODEX_RULES)) return "installed";
    return /\bbellhop\b/.test(text) ? "incomplete" : "absent";
  }
  const settings = settingsFile(program, setting);
  const present = allowRulesIn(jsonIn(readSettings(settings)), settings);
  const wanted = claudeAllowRules(setting.bellhopHome, setting.userHome);
  const there = wanted.filter((rule) => present.includes(rule)).length;
  return there === 0 ? "absent" : there === wanted.length ? "installed" : "incomplete";
}

/** Fingerprints in config.toml, for hooks.json as it was and as it will be. */
function codexTrust(
  setting: HookSetting,
  hooks: FileChange,
  purpose: "install" | "remove",
): { readonly changes: readonly FileChange[]; readonly notes: readonly string[] } {
  const script = scriptIn(setting);
  const isOurs = (each: FoundHandler) => each.script === script;
  const before = findHandlers(jsonIn(hooks.before), hooks.path);
  const after = findHandlers(jsonIn(hooks.after), hooks.path);
  const files = hooksFileNames(setting);
  const named = (each: FoundHandler) => files.map((file) => trustName(file, each));
  const hashOf = (event: string) => trustHash(event, handlerFor("codex", event, script));
  const add = after
    .filter(isOurs)
    .flatMap((each) => named(each).map((name) => [name, hashOf(each.event)] as const));
  const moves = movedPlaces(before, after, isOurs).flatMap(({ from, to }) =>
    files.map((file) => [trustName(file, from), trustName(file, to)] as const),
  );
  const path = join(programFolder("codex", setting), "config.toml");
  const config = readSettings(path);
  const outcome = changeTrust(config ?? "", {
    add: new Map(purpose === "install" ? add : []),
    drop: new Set(before.filter(isOurs).flatMap(named)),
    dropHashes: new Set(HOOKED_EVENTS.codex.map(hashOf)),
    move: new Map(moves),
  });
  if (outcome.kind === "by-hand") {
    const note = `${path} has "hooks.state" in a form that Bellhop does not change (line ${outcome.line}): Codex will ask you to review the hooks; choose to trust them.`;
    return { changes: [], notes: purpose === "install" ? [note] : [] };
  }
  const emptied = outcome.text === "" && config !== "" && !isLink(path);
  return {
    changes: [{ path, before: config, after: emptied ? undefined : outcome.text, mode: 0o600 }],
    notes: [],
  };
}

/** Codex names the file by its folder as it found it: as given, or with links resolved. */
function hooksFileNames(setting: HookSetting): readonly string[] {
  const folder = programFolder("codex", setting);
  const names = [join(folder, "hooks.json")];
  if (existsSync(folder)) names.push(join(realpathSync(folder), "hooks.json"));
  return [...new Set(names)];
}

function handlersOf(program: HookedProgram, setting: HookSetting): readonly FoundHandler[] {
  const settings = settingsFile(program, setting);
  return findHandlers(jsonIn(readSettings(settings)), settings);
}

/** No file and an empty one are an empty object. Some editors begin a file with a mark of their own. */
function jsonIn(text: string | undefined): string {
  const plain = text?.replace(/^\uFEFF/, "") ?? "";
  return plain.trim() === "" ? "{}\n" : plain;
}

function settingsFile(program: HookedProgram, setting: HookSetting): string {
  return join(programFolder(program, setting), program === "claude" ? "settings.json" : "hooks.json");
}

function codexRulesFile(setting: HookSetting): string {
  return join(programFolder("codex", setting), "rules", "bellhop.rules");
}

function scriptIn({ bellhopHome }: HookSetting): string {
  // It is written into shell commands and rules of other programs, each with an idea of its own about these.
  if (/[\\\p{Cc}]/u.test(bellhopHome)) {
    throw new BellhopError("home.unsafe", {
      message: "The path of Bellhop's home has a backslash or a control character; no hook can name it.",
      next: "Set BELLHOP_HOME to a folder with a plainer path.",
    });
  }
  return join(bellhopHome, HOOK_SCRIPT);
}

function change(
  path: string,
  make: (text: string | undefined) => string | undefined,
  mode: number,
): FileChange {
  const before = readSettings(path);
  return { path, before, after: make(before), mode };
}

/** A JSON file; an empty one counts as an empty object, and one that becomes empty goes. */
function edit(path: string, make: (text: string) => string): FileChange {
  const before = readSettings(path);
  return andThen({ path, before, after: before, mode: 0o600 }, make);
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
