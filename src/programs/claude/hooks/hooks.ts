/** How Claude Code is hooked: its settings.json holds hooks and rules, and it applies both at once. */
import { terminalOrigin } from "../../../hooks/events.ts";
import {
  chosenFolder,
  type HookAlteration,
  type HookedProgram,
  type HookOrder,
  type HookSetting,
  settingsFile,
} from "../../../hooks/hooked-program.ts";
import { TERMINAL_VARIABLES } from "../../../hooks/script.ts";
import { andThen, type FileChange, jsonIn, ownFile, readSettings } from "../../../hooks/settings-file.ts";
import type { HookEvent } from "../../../ports/program.ts";
import { allowAnswerFile } from "./allow-answer.ts";
import {
  allowRulesIn,
  claudeAdvice,
  claudeAllowRules,
  withAllowRules,
  withoutAllowRules,
} from "./settings.ts";

export const claudeHooks: HookedProgram = {
  name: "claude",
  events: [
    ...["SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "PermissionRequest", "Notification"],
    ...["SubagentStart", "SubagentStop", "SessionEnd", "PostToolUse"],
  ],
  brief: { PostToolUse: "tool_input" },
  environment: ["CLAUDE_PID", "AI_AGENT", ...TERMINAL_VARIABLES],
  timeoutSeconds: () => 10,
  folder: (setting) => chosenFolder(setting, "CLAUDE_CONFIG_DIR", ".claude"),
  file: "settings.json",
  alter,
  allowRules: claudeAllowRules,
  allowRulesState: (setting) => {
    const present = allowRulesIn(...settingsText(setting));
    const wanted = claudeAllowRules(setting);
    const there = wanted.filter((rule) => present.includes(rule)).length;
    return there === 0 ? "absent" : there === wanted.length ? "installed" : "incomplete";
  },
  advice: (setting) => claudeAdvice(...settingsText(setting)),
  uses: "Claude Code uses them at once, even where it is already running.",
  origin: claudeOrigin,
};

/** The rules are in the same file as the hooks; the person's answer is in one of ours, for hosted terminals. */
function alter(hooks: FileChange, setting: HookSetting, order: HookOrder): HookAlteration {
  const rules = claudeAllowRules(setting);
  const isInstall = order.purpose === "install";
  if (isInstall && order.allowRules === "leave") return { hooks, beside: [], notes: [] };
  const isGiven = isInstall && order.allowRules === "give";
  const ruled = isGiven ? withAllowRules : withoutAllowRules;
  const said = isGiven ? "yes\n" : isInstall ? "no\n" : undefined;
  return {
    hooks: andThen(hooks, (text) => ruled(text, hooks.path, rules)),
    beside: [ownFile(allowAnswerFile(setting.bellhopHome), () => said, 0o600)],
    notes: [],
  };
}

function settingsText(setting: HookSetting): [text: string, path: string] {
  const path = settingsFile(claudeHooks, setting);
  return [jsonIn(readSettings(path)), path];
}

function claudeOrigin(environment: Readonly<Record<string, string>>): Partial<HookEvent> {
  const pid = /^[1-9]\d{0,9}$/.exec(environment.CLAUDE_PID ?? "")?.[0];
  const version = /^claude-code_(\d+)-(\d+)-(\d+)_/.exec(environment.AI_AGENT ?? "");
  const { tmux, ...where } = terminalOrigin(environment);
  return {
    ...where,
    ...(version === null ? {} : { version: version.slice(1, 4).join(".") }),
    // A program that the agent started has inherited its pane, but not its pid.
    ...(pid !== undefined ? { agentPid: Number(pid) } : tmux === undefined ? {} : { tmux }),
  };
}
