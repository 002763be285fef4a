/** What a running program tells of itself, by its hooks and in its own notes, and its own way in. */
import type { Instant, SessionId } from "../core/message.ts";
import type { TurnEvent } from "../core/readiness/readiness.ts";
import type { ProcessIdentity } from "./processes.ts";

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

/** What a running program told us about itself (hooks, its own files); kept in memory only where it is secret. */
export interface ProgramFacts {
  readonly sessionId: SessionId;
  readonly programSessionId?: string;
  readonly agentPid: number;
  readonly folder?: string;
  readonly transcriptPath?: string;
  readonly version?: string;
  readonly inboxPath?: string;
  readonly inboxToken?: string;
}

export type InboxOffer =
  | { readonly kind: "offered" }
  | { readonly kind: "not-offered"; readonly why: string };

export type HandoverOutcome =
  /** The program took the bytes. That alone proves nothing: evidence comes by hook or transcript. */
  /** `acknowledged`: the receiver gave a positive answer, not mere silence. */
  | { readonly kind: "handed-over"; readonly acknowledged?: true }
  /** It certainly did not get it: another rung may be tried. */
  | { readonly kind: "refused"; readonly why: string }
  /** It may have it: no fall-back to keys. */
  | { readonly kind: "unknown"; readonly why: string };

/** A program's own way in: touches no composer. */
export interface Inbox {
  offers(facts: ProgramFacts): Promise<InboxOffer>;
  handOver(facts: ProgramFacts, text: string, signal: AbortSignal): Promise<HandoverOutcome>;
}

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
