/** What Bellhop knows about one agent program. Each folder here exports one, and `index.ts` lists them. */
import type { HookedProgram, HookSetting } from "../hooks/hooked-program.ts";
import type { Clock } from "../ports/clock.ts";
import type { CommandOrder } from "../ports/hosts.ts";
import type { Processes } from "../ports/processes.ts";
import type { Profile } from "../ports/profile.ts";
import type { Inbox, ProgramNote, RegistryEntry } from "../ports/program.ts";
import type { Headless } from "./headless.ts";
import type { TranscriptReader } from "./transcripts/reader.ts";

export interface Program {
  /** Its name on a command line, in config.yaml and in addresses; also in `core/rights/agent-programs.ts`. */
  readonly name: string;
  /** Releases proven by the version matrix, oldest first. */
  readonly proven: readonly string[];
  /** How to recognise its processes, read its screens, and which keys to send it. Pure. */
  readonly profile: Profile;
  /** For a person who edits with vim's keys, if the screen alone does not show that. */
  readonly profileForVim?: Profile;
  /** Its own inbox. `profile.inbox` tells the office the same. */
  readonly inbox?: (tools: ProgramTools) => Inbox;
  /** What it records, or can be asked, about its running instances. */
  readonly sessions?: (tools: ProgramTools) => ProgramSessions;
  /** How it records a conversation. */
  readonly transcript?: TranscriptReader;
  /** What "bellhop hooks" must know about its hooks. */
  readonly hooks?: HookedProgram;
  /** Its command as Bellhop runs it: with hooks for that session only, or so that it resumes a conversation. */
  readonly command?: (order: CommandOrder, setting: CommandSetting) => readonly string[];
  /** How it takes a turn without a terminal. */
  readonly headless?: Headless;
  /** `login`: its commands run in a login shell, which may set another PATH. */
  readonly shell?: "login";
}

/** The parts of the system that it may look at. */
export interface ProgramTools {
  readonly clock: Pick<Clock, "monotonic">;
  readonly processes: Pick<Processes, "environment" | "tree">;
  /** Bellhop's home, where a plugin of ours may have opened a socket. */
  readonly home: string;
}

export type CommandSetting = Pick<HookSetting, "bellhopHome" | "userHome" | "programs">;

export type RunningProgram = { readonly pid: number; readonly startedAt: string };

export interface ProgramSessions {
  /** If it throws, nothing is known. */
  lookUp(agent: RunningProgram): Promise<RegistryEntry | undefined>;
  /** Only its state, if that is cheap enough to ask at every look at the screen. */
  note?(agent: RunningProgram): Promise<ProgramNote | undefined>;
}
