/** Whether the hooks are as this version would install them. Changes nothing. */
import { BellhopError } from "../core/errors.ts";
import { type HookedProgram, type HookSetting, isPresent, scriptIn, settingsFile } from "./hooked-program.ts";
import { entriesIn, planInstall } from "./install.ts";

export interface HooksStatus {
  readonly program: string;
  /** Its folder exists, so it is probably used here. */
  readonly present: boolean;
  readonly settings: string;
  /** `foreign`: hooks of a Bellhop with another home. */
  readonly state: "absent" | "installed" | "outdated" | "foreign" | "unreadable";
  readonly allowRules: "absent" | "installed" | "incomplete" | "unknown";
  /** What a person should know, as sentences. */
  readonly advice: readonly string[];
}

export function hooksStatus(setting: HookSetting): readonly HooksStatus[] {
  return setting.programs.map((program) => statusOf(program, setting));
}

function statusOf(program: HookedProgram, setting: HookSetting): HooksStatus {
  const settings = settingsFile(program, setting);
  const base = { program: program.name, present: isPresent(program, setting), settings };
  try {
    const script = scriptIn(setting);
    const found = entriesIn(program, setting).filter((each) => each.program === program.name);
    const ours = found.filter((each) => each.script === script);
    const { changes, notes } = planInstall(program, setting, { allowRules: "leave" });
    const own = changes.length === 0 ? "installed" : "outdated";
    const state = ours.length > 0 ? own : found.length > 0 ? "foreign" : "absent";
    const advice = [
      ...notes,
      ...(state === "outdated" ? changes.map(({ path }) => `${path} was written by another version.`) : []),
      ...program.advice(setting),
    ];
    return { ...base, state, allowRules: program.allowRulesState(setting), advice };
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return { ...base, state: "unreadable", allowRules: "unknown", advice: [error.message] };
  }
}
