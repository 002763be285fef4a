/** Hooks for one session that we start ourselves: told on the program's command line, no settings file changed. */
import { basename, join } from "node:path";
import type { CommandOrder } from "../ports/hosts.ts";
import { allowAnswer } from "./allow-answer.ts";
import { claudeAllowRules } from "./claude-settings.ts";
import { type SessionSettings, withSettings } from "./given-settings.ts";
import { handlerFor } from "./handlers.ts";
import { HOOKED_EVENTS } from "./programs.ts";
import { resumedClaude, resumedCodex } from "./resumed-command.ts";
import { HOOK_SCRIPT, hookScript } from "./script.ts";
import { applyChange, readSettings } from "./settings-file.ts";

export interface PerSessionSetting {
  readonly bellhopHome: string;
  readonly userHome: string;
}

/** The command as it is to be run; with a conversation's id, so that it goes on with it. */
export function preparedCommand(
  { command, folder, resume }: CommandOrder,
  setting: PerSessionSetting,
): readonly string[] {
  const [program = "", ...rest] = command;
  switch (basename(program)) {
    case "claude": {
      const args = resume === undefined ? rest : resumedClaude(rest, resume);
      return [program, ...withSettings(args, claudeSettings(setting), folder)];
    }
    case "codex":
      // Its hooks must be trusted by a person, once, in a file: "bellhop hooks install codex".
      return resume === undefined ? command : [program, ...resumedCodex(rest, resume)];
    default:
      return command;
  }
}

function claudeSettings({ bellhopHome, userHome }: PerSessionSetting): SessionSettings {
  const script = join(bellhopHome, HOOK_SCRIPT);
  // In one step, and only where it differs: other sessions' hooks may be reading it.
  applyChange({
    path: script,
    before: readSettings(script),
    after: hookScript(),
    mode: 0o700,
    folder: "stays",
  });
  const hooks = Object.fromEntries(
    HOOKED_EVENTS.claude.map((event) => [event, [{ hooks: [handlerFor("claude", event, script)] }]]),
  );
  const allow = allowAnswer(bellhopHome) === "yes" ? claudeAllowRules(bellhopHome, userHome) : [];
  return { hooks, ...(allow.length === 0 ? {} : { permissions: { allow } }) };
}
