import type { Instant } from "../core/message.ts";
import type { ProgramFacts } from "./inbox.ts";
import type { ProcessIdentity } from "./processes.ts";

/** What a program writes down about its own running instances, where it does. */
export interface RegistryEntry extends Omit<ProgramFacts, "sessionId" | "agentPid" | "folder"> {
  readonly status?: ProgramNote;
  /** With vim keys an empty composer does not show whether text would be taken as text. */
  readonly editing?: "plain" | "vim";
}

/** What the program last noted of its own state. */
export interface ProgramNote {
  readonly is: "idle" | "busy" | "waiting";
  readonly at: Instant;
}

export interface ProgramRegistry {
  lookUp(program: string, agent: ProcessIdentity): Promise<RegistryEntry | undefined>;
  /** Only its state, where that is cheap enough to be asked with every look at the screen. */
  note(program: string, agent: ProcessIdentity): Promise<ProgramNote | undefined>;
}
