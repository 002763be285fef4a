/** Whether the hooks are as this version would install them. Changes nothing. */
import { existsSync } from "node:fs";
import { BellhopError } from "../core/errors.ts";
import { allowRulesIn, claudeAdvice, claudeAllowRules } from "./claude-settings.ts";
import { CODEX_RULES } from "./codex-rules.ts";
import { planInstall } from "./install.ts";
import {
  codexRulesFile,
  type HookSetting,
  handlersOf,
  jsonIn,
  programFolder,
  scriptIn,
  settingsFile,
} from "./places.ts";
import { HOOKED_PROGRAMS, type HookedProgram } from "./programs.ts";
import { readSettings } from "./settings-file.ts";

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

export function hooksStatus(setting: HookSetting): readonly HooksStatus[] {
  return HOOKED_PROGRAMS.map((program) => statusOf(program, setting));
}

function statusOf(program: HookedProgram, setting: HookSetting): HooksStatus {
  const settings = settingsFile(program, setting);
  const base = { program, present: existsSync(programFolder(program, setting)), settings };
  try {
    const found = handlersOf(program, setting).filter((each) => each.script !== undefined);
    const ours = found.filter((each) => each.script === scriptIn(setting));
    const { changes, notes } = planInstall(program, setting, { allowRules: "leave" });
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
      ...(state === "outdated" ? changes.map(({ path }) => `${path} was written by another version.`) : []),
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
