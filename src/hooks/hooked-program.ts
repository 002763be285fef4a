/** What hooks must know of a program that can be hooked. Each folder of `programs/` says it of its own. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import type { HookEvent } from "../ports/program.ts";
import type { FileChange } from "./settings-file.ts";

export interface HookSetting {
  /** Absolute. */
  readonly bellhopHome: string;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All that can be hooked: they share one script. */
  readonly programs: readonly HookedProgram[];
}

export interface HookedProgram {
  readonly name: string;
  /** Those that Bellhop wants to hear of. */
  readonly events: readonly string[];
  /** What a hook passes on of its environment. */
  readonly environment: readonly string[];
  /** How long the program lets a hook run. Our own deadline is shorter. */
  timeoutSeconds(event: string): number;
  /** Its own folder, and the JSON file in it that names hooks. */
  folder(setting: HookSetting): string;
  readonly file: string;
  /** What changes with its hooks: `hooks` is that file as it was and as it will be. */
  alter(hooks: FileChange, setting: HookSetting, order: HookOrder): HookAlteration;
  /** Each rule that lets it run Bellhop's commands unasked, as its file will hold it. */
  allowRules(setting: HookSetting): readonly string[];
  allowRulesState(setting: HookSetting): "absent" | "installed" | "incomplete";
  /** What else in its settings keeps Bellhop from working, as sentences. */
  advice(setting: HookSetting): readonly string[];
  /** When it uses hooks that were just installed, as a sentence. */
  readonly uses: string;
  /** Why its hooks may be in place and yet nothing was heard of them, as a sentence. */
  readonly silence?: string;
  /** Where it calls things otherwise than the words of `events.ts`. */
  words?(event: string, payload: HookPayload): HookWords;
  /** Where a hook ran, by its environment. */
  origin(environment: Readonly<Record<string, string>>): Partial<HookEvent>;
}

/** What is done about the allow rules: as the person said, or nothing where nobody was asked. */
export type AllowRules = "give" | "refuse" | "leave";

export type HookOrder =
  | { readonly purpose: "install"; readonly allowRules: AllowRules }
  | { readonly purpose: "remove" };

export interface HookAlteration {
  readonly hooks: FileChange;
  /** Made before the hooks come, and after they have gone. */
  readonly beside: readonly FileChange[];
  /** What a person should know. */
  readonly notes: readonly string[];
}

export type HookPayload = { readonly [key: string]: Json };
export type HookWords = Pick<HookEvent, "turn" | "subAgent" | "prompt" | "opened" | "detail">;

/** What an agent may run without being asked: what it is told to run, and nothing that changes another's queue. */
export const AGENT_COMMANDS = "send ask reply read ls inbox remind wake output".split(" ");

/** Where the script lies in Bellhop's home; it finds the home by its own path. */
export const HOOK_SCRIPT = "hooks/bellhop-hook";

export function scriptIn({ bellhopHome }: Pick<HookSetting, "bellhopHome">): string {
  // It is written into shell commands and rules of other programs, each with an idea of its own about these.
  if (/[\\\p{Cc}]/u.test(bellhopHome)) {
    throw new BellhopError("home.unsafe", {
      message: "The path of Bellhop's home has a backslash or a control character, which a hook cannot name.",
      next: "Set BELLHOP_HOME to a folder with a simpler path.",
    });
  }
  return join(bellhopHome, HOOK_SCRIPT);
}

export function settingsFile(program: HookedProgram, setting: HookSetting): string {
  return join(program.folder(setting), program.file);
}

/** The program's own folder exists, so it is probably used here. */
export function isPresent(program: HookedProgram, setting: HookSetting): boolean {
  return existsSync(program.folder(setting));
}

/** A folder that an environment variable names, or the usual one in the person's home. */
export function chosenFolder(setting: HookSetting, variable: string, usual: string): string {
  const chosen = setting.environment[variable];
  return chosen === undefined || chosen === "" ? join(setting.userHome, usual) : resolve(chosen);
}
