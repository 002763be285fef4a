/** What Bellhop knows of one agent program: a folder here gives one, and `index.ts` lists it. */
import type { HookedProgram, HookSetting } from "../hooks/hooked-program.ts";
import type { Clock } from "../ports/clock.ts";
import type { CommandOrder } from "../ports/hosts.ts";
import type { Processes } from "../ports/processes.ts";
import type { Profile } from "../ports/profile.ts";
import type { Inbox, ProgramNote, RegistryEntry } from "../ports/program.ts";
import type { TranscriptReader } from "./transcripts/reader.ts";

export interface Program {
  /** As it is called on a command line, in config.yaml and in every address. */
  readonly name: string;
  /** As its makers write it. */
  readonly title: string;
  /** Releases that the version matrix has proven, oldest first. */
  readonly proven: readonly string[];
  /** What it sets in all that it runs. `core/rights/agent-variables.ts` has the same, for those who load no program. */
  readonly variables: readonly string[];
  /** How its processes are recognised, its screens read, and which keys it is given. Pure. */
  readonly profile: Profile;
  /** For a person who edits with vim's keys, where the screen alone does not show it. */
  readonly profileForVim?: Profile;
  /** Its own way in. `profile.inbox` says the same to the office. */
  readonly inbox?: (tools: ProgramTools) => Inbox;
  /** What it writes down, or can be asked, about its running instances. */
  readonly sessions?: (tools: ProgramTools) => ProgramSessions;
  /** How it writes down a conversation. */
  readonly transcript?: TranscriptReader;
  /** What of its own hooks "bellhop hooks" must know. */
  readonly hooks?: HookedProgram;
  /** Its command as we run it: with hooks for that session only, or so that it goes on with a conversation. */
  readonly command?: (order: CommandOrder, setting: CommandSetting) => readonly string[];
  /** `login`: its commands run in a login shell, which may set another PATH. */
  readonly shell?: "login";
}

/** What of the system it may look at. */
export interface ProgramTools {
  readonly clock: Pick<Clock, "monotonic">;
  readonly processes: Pick<Processes, "environment" | "tree">;
}

export type CommandSetting = Pick<HookSetting, "bellhopHome" | "userHome" | "programs">;

export type RunningProgram = { readonly pid: number; readonly startedAt: string };

export interface ProgramSessions {
  /** May throw: then nothing is known. */
  lookUp(agent: RunningProgram): Promise<RegistryEntry | undefined>;
  /** Only its state, where that is cheap enough to be asked with every look at the screen. */
  note?(agent: RunningProgram): Promise<ProgramNote | undefined>;
}
