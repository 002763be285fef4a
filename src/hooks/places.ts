/** Which files the hooks of each program live in. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { assertNever, BellhopError } from "../core/errors.ts";
import { type FoundHandler, findHandlers } from "./handlers.ts";
import { HOOKED_PROGRAMS, type HookedProgram } from "./programs.ts";
import { HOOK_SCRIPT } from "./script.ts";
import { readSettings } from "./settings-file.ts";

export interface HookSetting {
  /** Absolute. */
  readonly bellhopHome: string;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function programFolder(program: HookedProgram, setting: HookSetting): string {
  const { environment, userHome } = setting;
  switch (program) {
    case "claude":
      return chosen(environment.CLAUDE_CONFIG_DIR) ?? join(userHome, ".claude");
    case "codex":
      return chosen(environment.CODEX_HOME) ?? join(userHome, ".codex");
    default:
      return assertNever(program);
  }
}

/** Programs whose own folder is there. */
export function presentPrograms(setting: HookSetting): readonly HookedProgram[] {
  return HOOKED_PROGRAMS.filter((program) => existsSync(programFolder(program, setting)));
}

function chosen(folder: string | undefined): string | undefined {
  return folder === undefined || folder === "" ? undefined : resolve(folder);
}

/** Codex names the file by its folder as it found it: as given, or with links resolved. */
export function hooksFileNames(setting: HookSetting): readonly string[] {
  const folder = programFolder("codex", setting);
  const names = [join(folder, "hooks.json")];
  if (existsSync(folder)) names.push(join(realpathSync(folder), "hooks.json"));
  return [...new Set(names)];
}

export function handlersOf(program: HookedProgram, setting: HookSetting): readonly FoundHandler[] {
  const settings = settingsFile(program, setting);
  return findHandlers(jsonIn(readSettings(settings)), settings);
}

/** No file and an empty one are an empty object. Some editors begin a file with a mark of their own. */
export function jsonIn(text: string | undefined): string {
  const plain = text?.replace(/^\uFEFF/, "") ?? "";
  return plain.trim() === "" ? "{}\n" : plain;
}

export function settingsFile(program: HookedProgram, setting: HookSetting): string {
  return join(programFolder(program, setting), program === "claude" ? "settings.json" : "hooks.json");
}

export function codexRulesFile(setting: HookSetting): string {
  return join(programFolder("codex", setting), "rules", "bellhop.rules");
}

export function scriptIn({ bellhopHome }: HookSetting): string {
  // It is written into shell commands and rules of other programs, each with an idea of its own about these.
  if (/[\\\p{Cc}]/u.test(bellhopHome)) {
    throw new BellhopError("home.unsafe", {
      message: "The path of Bellhop's home has a backslash or a control character, which a hook cannot name.",
      next: "Set BELLHOP_HOME to a folder with a simpler path.",
    });
  }
  return join(bellhopHome, HOOK_SCRIPT);
}
