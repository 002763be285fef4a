/** What `doctor` says about the hooks in the agent programs' settings. */
import { assertNever } from "../../core/errors.ts";
import { type HooksStatus, hooksStatus } from "../../hooks/status.ts";
import type { CommandContext } from "../context.ts";
import { broken, doubtful, type Finding, well } from "./check.ts";
import { hookSetting } from "./hooking.ts";
import { fromError } from "./machine-checks.ts";

export function hookFindings(context: CommandContext): readonly Finding[] {
  try {
    return hooksStatus(hookSetting(context))
      .filter(({ present }) => present)
      .flatMap(checkHooks);
  } catch (error) {
    return [fromError("hooks", error)];
  }
}

export function checkHooks(status: HooksStatus): readonly Finding[] {
  const name = `hooks of ${status.program}`;
  const install = `bellhop hooks install ${status.program}`;
  return [
    hooksFinding(name, install, status),
    ...adviceFindings(name, status),
    ...rulesFinding(name, install, status),
  ];
}

function hooksFinding(name: string, install: string, { state, settings, advice }: HooksStatus): Finding {
  switch (state) {
    case "installed":
      return well(name, `installed in ${settings}`);
    case "outdated":
      return doubtful(name, `those in ${settings} are from another version`, `Renew them with "${install}".`);
    case "foreign":
      return doubtful(
        name,
        `${settings} has only the hooks of another Bellhop home`,
        `Add those of this one with "${install}".`,
      );
    case "absent":
      return doubtful(
        name,
        "not installed: Bellhop can only read the screen",
        `Install them with "${install}".`,
      );
    case "unreadable":
      return broken(name, advice[0] ?? `${settings} cannot be read`, "Correct the file.");
    default:
      return assertNever(state);
  }
}

function adviceFindings(name: string, { state, advice }: HooksStatus): readonly Finding[] {
  if (state === "unreadable" || state === "outdated") return [];
  return advice.map((line) =>
    doubtful(name, line, "Change that setting if you want messages to come through."),
  );
}

function rulesFinding(name: string, install: string, { state, allowRules }: HooksStatus): readonly Finding[] {
  if (state !== "installed" || allowRules === "installed") return [];
  const detail = "the agent must ask you before it answers a message";
  return [
    doubtful(name, detail, `Let it answer at once with "${install} --allow-rules", or leave it as it is.`),
  ];
}
