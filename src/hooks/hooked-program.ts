/** What must be known about a program to hook it. Each folder of `programs/` provides its own. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import type { HookEvent } from "../ports/program.ts";
import type { FileChange } from "./settings-file.ts";

export interface HookSetting {
  /** An absolute path. */
  readonly bellhopHome: string;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All programs that can be hooked: they share one script. */
  readonly programs: readonly HookedProgram[];
}

export interface HookedProgram {
  readonly name: string;
  /** The events that Bellhop hears of. */
  readonly events: readonly string[];
  /**
   * Events whose payload is passed on only up to this field, which with all after it may be of any size, and which are
   * worth nothing later.
   */
  readonly brief?: Readonly<Record<string, string>>;
  /** For events about tools: those for which the hook runs, in the program's own pattern; all if none is given. */
  readonly onlyTools?: Readonly<Record<string, string>>;
  /** The environment variables that a hook passes on. */
  readonly environment: readonly string[];
  /** How long the program lets a hook run, if it runs one for each event. Our own deadline is shorter. */
  timeoutSeconds?(event: string): number;
  /** Its own form of an entry, if that is not Claude Code's; `timeout` is in seconds before. */
  entry?(handler: HookHandler): HookHandler;
  /** The program's folder, and the JSON file in it that names what it runs for us. */
  folder(setting: HookSetting): string;
  readonly file: string;
  /** How that file names it; without this, as a handler for each event, in the form that Claude Code introduced. */
  readonly entries?: HookEntries;
  /** What changes with its hooks; `hooks` is that file before and after. */
  alter(hooks: FileChange, setting: HookSetting, order: HookOrder): HookAlteration;
  /** Each rule that lets it run Bellhop's commands unasked, as written in its file. */
  allowRules(setting: HookSetting): readonly string[];
  allowRulesState(setting: HookSetting): "absent" | "installed" | "incomplete";
  /** Other settings that keep Bellhop from working, as sentences. */
  advice(setting: HookSetting): readonly string[];
  /** When it starts to use newly installed hooks, as a sentence. */
  readonly uses: string;
  /** Why its hooks may be installed but have not been heard of, as a sentence. */
  readonly silence?: string;
  /** For events that it names differently from `events.ts`. */
  words?(event: string, payload: HookPayload): HookWords;
  /** Where a hook ran, according to its environment. */
  origin(environment: Readonly<Record<string, string>>): Partial<HookEvent>;
}

/** An entry in the form that Claude Code introduced. */
export type HookHandler = {
  readonly name?: string;
  readonly type: "command";
  readonly command: string;
  readonly timeout: number;
};

/** What a settings file runs for a Bellhop: of this home or of another. */
export interface HookEntry {
  readonly program: string;
  /** The script in that Bellhop's home. */
  readonly script: string;
}

/** Our entries in a settings file. Pure: text in, text out. */
export interface HookEntries {
  find(text: string, path: string): readonly HookEntry[];
  /** Everything that this version wants, once, and nothing else of ours. */
  add(text: string, path: string, script: string): string;
  remove(text: string, path: string, script: string): string;
}

/** What to do about the allow rules: what the person chose, or nothing if they were not asked. */
export type AllowRules = "give" | "refuse" | "leave";

export type HookOrder =
  | { readonly purpose: "install"; readonly allowRules: AllowRules }
  | { readonly purpose: "remove" };

export interface HookAlteration {
  readonly hooks: FileChange;
  /** Written before the hooks are added, and after they are removed. */
  readonly beside: readonly FileChange[];
  /** What a person should know. */
  readonly notes: readonly string[];
}

export type HookPayload = { readonly [key: string]: Json };
export type HookWords = Pick<
  HookEvent,
  | "turn"
  | "turnOf"
  | "conversation"
  | "hidden"
  | "subAgent"
  | "prompt"
  | "opened"
  | "detail"
  | "continued"
  | "ofTool"
  | "delegates"
>;

/** What an agent may run unasked: the commands it is told to run, and none that changes another's queue. */
export const AGENT_COMMANDS = "send ask reply read ls inbox remind wake output".split(" ");

/** Where the script is in Bellhop's home; it finds the home by its own path. */
export const HOOK_SCRIPT = "hooks/bellhop-hook";

export function scriptIn({ bellhopHome }: Pick<HookSetting, "bellhopHome">): string {
  // The path is written into shell commands and rules of other programs, each of which treats these differently.
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

/** Its folder exists, so it is probably used here. */
export function isPresent(program: HookedProgram, setting: HookSetting): boolean {
  return existsSync(program.folder(setting));
}

/** The folder that an environment variable names, or the usual one in the person's home. */
export function chosenFolder(setting: HookSetting, variable: string, usual: string): string {
  const chosen = setting.environment[variable];
  return chosen === undefined || chosen === "" ? join(setting.userHome, usual) : resolve(chosen);
}
