import type { Instant, SessionId } from "../core/message.ts";
import type { TurnEvent } from "../core/readiness/readiness.ts";

/** What an agent program's own hook told us, in Bellhop's words. */
export interface HookEvent {
  readonly program: string;
  /** The program's name for it. */
  readonly name: string;
  readonly emittedAt: Instant;
  readonly turn?: TurnEvent;
  /** Set when a sub-agent fired it. */
  readonly subAgent?: { readonly id: string; readonly change?: "started" | "stopped" };
  readonly programSessionId?: string;
  readonly transcriptPath?: string;
  readonly folder?: string;
  readonly version?: string;
  readonly agentPid?: number;
  readonly tmux?: { readonly socket: string; readonly pane: string };
  /** `prompt-submitted` only: verbatim. */
  readonly prompt?: string;
  /** The file that its read tool has opened. */
  readonly opened?: string;
  /** `BELLHOP_SESSION_ID` in the program's environment. */
  readonly bellhopSession?: string;
  readonly detail?: string;
  /** Who reports it said whose it is. */
  readonly sessionId?: SessionId;
}
