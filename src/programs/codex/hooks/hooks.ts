/** How Codex is hooked: hooks.json, an entry in config.toml that trusts each hook, and a rules file. */
import { join } from "node:path";
import { commonWords, detail, text, usualWords } from "../../../hooks/events.ts";
import {
  chosenFolder,
  type HookedProgram,
  type HookOrder,
  type HookPayload,
  type HookSetting,
  type HookWords,
} from "../../../hooks/hooked-program.ts";
import { type FileChange, ownFile, readSettings } from "../../../hooks/settings-file.ts";
import { CODEX_RULES, withCodexRules, withoutCodexRules } from "./rules.ts";
import { planTrust } from "./trust-plan.ts";

export const codexHooks: HookedProgram = {
  name: "codex",
  events: [
    ...["SessionStart", "UserPromptSubmit", "Stop", "PermissionRequest", "Interrupt"],
    ...["SubagentStart", "SubagentStop", "SessionEnd", "PostToolUse"],
  ],
  brief: { PostToolUse: "tool_input" },
  // It runs hooks in a shared server, with the environment of the window that started the server.
  environment: [],
  origin: () => ({}),
  // Codex limits these two to this.
  timeoutSeconds: (event) => (event === "SessionEnd" || event === "Interrupt" ? 3 : 10),
  folder: (setting) => chosenFolder(setting, "CODEX_HOME", ".codex"),
  file: "hooks.json",
  alter: (hooks, setting, order) => {
    // Trust comes before the hooks: a window that opens in between must not ask about them.
    const trust = planTrust(codexHooks, setting, hooks, order.purpose);
    return { hooks, beside: [...trust.changes, ...rulesChange(setting, order)], notes: trust.notes };
  },
  allowRules: () => CODEX_RULES.split("\n").filter((line) => line !== "" && !line.startsWith("#")),
  allowRulesState: (setting) => {
    const rules = readSettings(rulesFile(setting)) ?? "";
    if (rules.includes(CODEX_RULES)) return "installed";
    return /\bbellhop\b/.test(rules) ? "incomplete" : "absent";
  },
  advice: () => [],
  uses: "Codex uses them in new conversations: after /new, or in a new window.",
  silence: "It reports from its first prompt on.",
  words: codexWords,
};

function rulesFile(setting: HookSetting): string {
  return join(codexHooks.folder(setting), "rules", "bellhop.rules");
}

function rulesChange(setting: HookSetting, order: HookOrder): readonly FileChange[] {
  if (order.purpose === "install" && order.allowRules === "leave") return [];
  const isGiven = order.purpose === "install" && order.allowRules === "give";
  return [ownFile(rulesFile(setting), isGiven ? withCodexRules : withoutCodexRules, 0o600)];
}

function codexWords(event: string, payload: HookPayload): HookWords {
  switch (event) {
    case "SessionStart":
      return usualWords(event, payload);
    // Threads end inside a server shared by many windows, so this does not mean that a window has ended.
    case "SessionEnd":
      return detail(text(payload, "reason"));
    // Escape ended the turn, so it is unknown whether anything in it was read.
    case "Interrupt":
      return commonWords("StopFailure", payload);
    default:
      return commonWords(event, payload);
  }
}
