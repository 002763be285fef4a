/** How an agent's automatic turns go: a session's own words over its agent's, over everybody's. Each value for itself. */
import type { TurnRule } from "./rules.ts";

/** What may be said of a session, of an agent, or of all. `true` and `false` are short for `enabled`. */
export interface AutoRunWords {
  readonly enabled?: boolean;
  /** A small model that decides whether a turn is worth it; empty: everything is. */
  readonly triageModel?: string;
  readonly debounceMs?: number;
  readonly maxBatchSize?: number;
  readonly alwaysAccept?: readonly TurnRule[];
  readonly alwaysReject?: readonly TurnRule[];
  /** A program with a headless mode, or `command`. */
  readonly runner?: string;
  /** For the runner `command`: its words; the prompt comes on standard input. */
  readonly command?: readonly string[];
  readonly cwd?: string;
  readonly role?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly permissionMode?: string;
  readonly deadlineMs?: number;
  readonly turnsPerHour?: number;
  readonly turnsPerDay?: number;
  readonly usdPerDay?: number;
  /** What happens to messages from outside if triage fails. */
  readonly untriaged?: "hold" | "run";
}

export type AutoRun = Required<Omit<AutoRunWords, "cwd" | "role" | "model" | "permissionMode">> &
  Pick<AutoRunWords, "cwd" | "role" | "model" | "permissionMode">;

export type AutoRunKey = keyof AutoRunWords;
export type AutoRunLevel = "session" | "agent" | "config" | "standard";

export const STANDARD_AUTO_RUN: AutoRun = {
  enabled: false,
  triageModel: "haiku",
  debounceMs: 3_000,
  maxBatchSize: 20,
  alwaysAccept: [],
  alwaysReject: [],
  runner: "claude",
  command: [],
  tools: [],
  deadlineMs: 600_000,
  turnsPerHour: 20,
  turnsPerDay: 100,
  usdPerDay: 10,
  untriaged: "hold",
};

/** The runner that is no program of ours, but a command of the owner's. There is no model that it could ask. */
export const COMMAND_RUNNER = "command";
/** As a triage model: the one that the program would use anyway. */
export const PROGRAMS_OWN_MODEL = "default";

function standardTriageModel(runner: string): string {
  if (runner === COMMAND_RUNNER) return "";
  return runner === STANDARD_AUTO_RUN.runner ? STANDARD_AUTO_RUN.triageModel : PROGRAMS_OWN_MODEL;
}

export interface AutoRunLayers {
  readonly session?: AutoRunWords | undefined;
  readonly agent?: AutoRunWords | undefined;
  readonly config?: AutoRunWords | undefined;
}

export interface ResolvedAutoRun {
  readonly autoRun: AutoRun;
  /** Who said it, for each value that counts. */
  readonly from: Readonly<Partial<Record<AutoRunKey, AutoRunLevel>>>;
}

/** The later one counts. */
const LEVELS = ["config", "agent", "session"] as const;

export function resolveAutoRun(layers: AutoRunLayers): ResolvedAutoRun {
  let autoRun = STANDARD_AUTO_RUN;
  const from: Partial<Record<AutoRunKey, AutoRunLevel>> = {};
  for (const key of keysOf(STANDARD_AUTO_RUN)) from[key] = "standard";
  for (const level of LEVELS) {
    const said = saidIn(layers[level] ?? {});
    autoRun = { ...autoRun, ...said };
    for (const key of keysOf(said)) from[key] = level;
  }
  if (from.triageModel === "standard")
    autoRun = { ...autoRun, triageModel: standardTriageModel(autoRun.runner) };
  return { autoRun, from };
}

/** As it is written: a flag or an object. An object says nothing about `enabled` unless it names it: a limit starts no turns. */
export function autoRunWords(written: boolean | AutoRunWords): AutoRunWords {
  return typeof written === "boolean" ? { enabled: written } : written;
}

/** A field that is there and undefined says nothing. */
function saidIn(words: AutoRunWords): AutoRunWords {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

const keysOf = (words: AutoRunWords): AutoRunKey[] => Object.keys(words) as AutoRunKey[];
