/** How OpenCode is hooked: a plugin of ours in each window, named in its tui.json, and rules in its opencode.json. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../../core/present.ts";
import { conversationId } from "../../../core/session.ts";
import { terminalOrigin, text, usualWords } from "../../../hooks/events.ts";
import {
  type HookAlteration,
  type HookedProgram,
  type HookOrder,
  type HookPayload,
  type HookSetting,
  type HookWords,
  scriptIn,
} from "../../../hooks/hooked-program.ts";
import { TERMINAL_VARIABLES } from "../../../hooks/script.ts";
import { type FileChange, jsonFile, jsonIn, ownFile, readSettings } from "../../../hooks/settings-file.ts";
import type { HookEvent } from "../../../ports/program.ts";
import { PLUGIN_FILES } from "../plugin/files.ts";
import { pluginBeside, pluginEntries } from "./entry.ts";
import { presentPatterns, rulesNeeded, withoutRules, withRules } from "./rules.ts";

export const opencodeHooks: HookedProgram = {
  name: "opencode",
  events: [
    ...["SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "PermissionRequest", "PostToolUse"],
    ...["SubagentStart", "SubagentStop"],
  ],
  environment: ["OPENCODE_PID", ...TERMINAL_VARIABLES],
  folder: ({ environment, userHome }) =>
    join(environment.XDG_CONFIG_HOME || join(userHome, ".config"), "opencode"),
  file: "tui.json",
  entries: pluginEntries,
  alter,
  allowRules: (setting) =>
    wanted(setting).flatMap(({ pattern, action }) => (action === "allow" ? [pattern] : [])),
  allowRulesState: (setting) => {
    const [settings, path] = settingsText(setting);
    const all = wanted(setting);
    const there = all.filter(({ permission, pattern }) =>
      presentPatterns(settings, path, permission).includes(pattern),
    ).length;
    // Where nothing asks, nothing is needed.
    if (all.length === there) return "installed";
    return there === 0 ? "absent" : "incomplete";
  },
  advice: ({ environment, ...setting }) => {
    const other = join(opencodeHooks.folder({ environment, ...setting }), "opencode.jsonc");
    return existsSync(other)
      ? [
          `Bellhop does not read ${other}: if OpenCode asks before it runs Bellhop's commands, allow them there.`,
        ]
      : [];
  },
  uses: "OpenCode uses them in new windows.",
  words: opencodeWords,
  origin: opencodeOrigin,
};

function alter(hooks: FileChange, setting: HookSetting, order: HookOrder): HookAlteration {
  const folder = join(pluginBeside(scriptIn(setting)), "..");
  const isInstall = order.purpose === "install";
  const files = Object.entries(PLUGIN_FILES).map(([name, content]) =>
    ownFile(join(folder, name), () => (isInstall ? content : undefined), 0o600),
  );
  if (isInstall && order.allowRules === "leave") return { hooks, beside: files, notes: [] };
  const isGiven = isInstall && order.allowRules === "give";
  const path = rulesFile(setting);
  const rules = jsonFile(path, (settings) =>
    isGiven
      ? withRules(settings, path, rulesNeeded(settings, path, setting))
      : withoutRules(settings, path, setting),
  );
  return { hooks, beside: [...files, rules], notes: [] };
}

function wanted(setting: HookSetting) {
  const [settings, path] = settingsText(setting);
  return rulesNeeded(settings, path, setting).flatMap(({ permission, rules }) =>
    rules.map(([pattern, action]) => ({ permission, pattern, action })),
  );
}

function rulesFile(setting: HookSetting): string {
  return join(opencodeHooks.folder(setting), "opencode.json");
}

function settingsText(setting: HookSetting): [text: string, path: string] {
  const path = rulesFile(setting);
  return [jsonIn(readSettings(path)), path];
}

/**
 * The plugin uses the words that most programs use; only a window may come to show a conversation that is at work, while
 * another one, in which it left a prompt, goes on too.
 */
function opencodeWords(event: string, payload: HookPayload): HookWords {
  if (event === "SessionStart" && text(payload, "source") === "busy") return {};
  const conversation = conversationId(text(payload, "session_id"));
  const hidden = payload.hidden === true ? true : undefined;
  return { ...usualWords(event, payload), ...present({ conversation, hidden }) };
}

function opencodeOrigin(environment: Readonly<Record<string, string>>): Partial<HookEvent> {
  const pid = /^[1-9]\d{0,9}$/.exec(environment.OPENCODE_PID ?? "")?.[0];
  return { ...terminalOrigin(environment), ...(pid === undefined ? {} : { agentPid: Number(pid) }) };
}
