/** Hooks for one session that Bellhop starts: given on the command line, without changing a settings file. */
import { join } from "node:path";
import { handlerFor } from "../../../hooks/handlers.ts";
import { HOOK_SCRIPT } from "../../../hooks/hooked-program.ts";
import { hookScript } from "../../../hooks/script.ts";
import { applyChange, readSettings } from "../../../hooks/settings-file.ts";
import type { CommandOrder } from "../../../ports/hosts.ts";
import type { CommandSetting } from "../../program.ts";
import { resumedWords } from "../../resumed-command.ts";
import { allowAnswer } from "./allow-answer.ts";
import { type SessionSettings, withSettings } from "./given-settings.ts";
import { claudeHooks } from "./hooks.ts";
import { claudeAllowRules } from "./settings.ts";

export function claudeCommand(
  { command, folder, resume }: CommandOrder,
  setting: CommandSetting,
): readonly string[] {
  const [program = "", ...rest] = command;
  const args = resume === undefined ? rest : resumedClaude(rest, resume);
  return [program, ...withSettings(args, sessionSettings(setting), folder)];
}

export function resumedClaude(words: readonly string[], id: string): readonly string[] {
  const rest = resumedWords(words, {
    choice: {
      ...{ "--continue": "flag", "-c": "flag", "--fork-session": "flag" },
      ...{ "--resume": "value", "-r": "value", "--session-id": "value" },
    },
    flags: ["--dangerously-skip-permissions", "--verbose", "--ide"],
    takeMany: [
      ...["--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"],
      ...["--add-dir", "--mcp-config"],
    ],
  });
  return ["--resume", id, ...rest];
}

function sessionSettings(setting: CommandSetting): SessionSettings {
  const script = join(setting.bellhopHome, HOOK_SCRIPT);
  // Written atomically, and only if it differs: hooks of other sessions may be reading it.
  applyChange({
    path: script,
    before: readSettings(script),
    after: hookScript(setting.programs),
    mode: 0o700,
    folder: "stays",
  });
  const hooks = Object.fromEntries(
    claudeHooks.events.map((event) => [event, [{ hooks: [handlerFor(claudeHooks, event, script)] }]]),
  );
  const allow = allowAnswer(setting.bellhopHome) === "yes" ? claudeAllowRules(setting) : [];
  return { hooks, ...(allow.length === 0 ? {} : { permissions: { allow } }) };
}
