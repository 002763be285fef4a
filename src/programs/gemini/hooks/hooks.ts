/** How Gemini CLI is hooked: its settings.json holds the hooks, a policy file the rules. */
import { join } from "node:path";
import type { Json } from "../../../core/message.ts";
import { detail, terminalOrigin, text, usualWords } from "../../../hooks/events.ts";
import {
  chosenFolder,
  type HookedProgram,
  type HookOrder,
  type HookPayload,
  type HookSetting,
  type HookWords,
  settingsFile,
} from "../../../hooks/hooked-program.ts";
import { jsonOf, rootOf } from "../../../hooks/json-text.ts";
import { TERMINAL_VARIABLES } from "../../../hooks/script.ts";
import { type FileChange, jsonIn, ownFile, readSettings } from "../../../hooks/settings-file.ts";
import type { HookEvent } from "../../../ports/program.ts";
import { geminiPolicy, geminiPolicyRules, withGeminiPolicy, withoutGeminiPolicy } from "./policy.ts";

/** Set for everything that its shell tool runs, and not for its own hooks. */
const RUN_BY_GEMINI = "GEMINI_CLI";
const NAME = "bellhop";
/** The tool that starts a sub-agent. What that reports of its own tools looks like the agent's. */
const DELEGATES = "invoke_agent";

export const geminiHooks: HookedProgram = {
  name: "gemini",
  events: [
    "SessionStart",
    "BeforeAgent",
    "AfterAgent",
    "Notification",
    "BeforeTool",
    "AfterTool",
    "SessionEnd",
  ],
  environment: [RUN_BY_GEMINI, ...TERMINAL_VARIABLES],
  origin,
  timeoutSeconds: () => 10,
  brief: { AfterTool: "tool_input" },
  onlyTools: { BeforeTool: DELEGATES },
  // It counts in milliseconds, and shows the name while the hook runs.
  entry: (handler) => ({ name: NAME, ...handler, timeout: handler.timeout * 1_000 }),
  folder,
  file: "settings.json",
  alter: (hooks, setting, order) => ({ hooks, beside: policyChange(setting, order), notes: [] }),
  allowRules: ({ bellhopHome }) => geminiPolicyRules(bellhopHome),
  allowRulesState: (setting) => {
    const policy = readSettings(policyFile(setting)) ?? "";
    if (policy.includes(geminiPolicy(setting.bellhopHome))) return "installed";
    return /\bbellhop\b/.test(policy) ? "incomplete" : "absent";
  },
  advice,
  uses: "Gemini CLI uses them from its next start on.",
  words,
};

/** Its variable names the folder in which `.gemini` is. */
function folder(setting: HookSetting): string {
  return join(chosenFolder(setting, "GEMINI_CLI_HOME", ""), ".gemini");
}

function policyFile(setting: HookSetting): string {
  return join(folder(setting), "policies", "bellhop.toml");
}

function policyChange(setting: HookSetting, order: HookOrder): readonly FileChange[] {
  if (order.purpose === "install" && order.allowRules === "leave") return [];
  const isGiven = order.purpose === "install" && order.allowRules === "give";
  const policy = geminiPolicy(setting.bellhopHome);
  const make = (text: string | undefined) =>
    isGiven ? withGeminiPolicy(text, policy) : withoutGeminiPolicy(text);
  return [ownFile(policyFile(setting), make, 0o600)];
}

function advice(setting: HookSetting): readonly string[] {
  const path = settingsFile(geminiHooks, setting);
  const settings = objectIn(jsonOf(rootOf(jsonIn(readSettings(path)), path)));
  const config = objectIn(settings.hooksConfig);
  const off = Array.isArray(config.disabled) && config.disabled.includes(NAME);
  return config.enabled === false || off ? [`"hooksConfig" in ${path} stops these hooks from running.`] : [];
}

/** A Gemini that an agent's shell runs has inherited the terminal of that agent, but does not own it. */
function origin(environment: Readonly<Record<string, string>>): Partial<HookEvent> {
  return environment[RUN_BY_GEMINI] === undefined ? terminalOrigin(environment) : {};
}

function words(event: string, payload: HookPayload): HookWords {
  switch (event) {
    case "BeforeAgent":
      return usualWords("UserPromptSubmit", payload);
    // Also after Escape and after an error: the transcript tells which (transcript/ending). A prompt that was stopped,
    // even at a dialog, where no hook tells, is not in the next request.
    case "AfterAgent":
      return { ...usualWords("Stop", payload), turnOf: "last-prompt" };
    case "Notification": {
      const asks = text(payload, "notification_type") === "ToolPermission";
      return asks
        ? { turn: "permission-asked", ...detail(text(objectIn(payload.details), "title")) }
        : detail(text(payload, "notification_type"));
    }
    case "BeforeTool":
      return text(payload, "tool_name") === DELEGATES ? { delegates: true } : {};
    case "AfterTool":
      return { ofTool: true };
    case "SessionStart":
    case "SessionEnd":
      return usualWords(event, payload);
    default:
      return {};
  }
}

function objectIn(value: Json | undefined): HookPayload {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as HookPayload) : {};
}
