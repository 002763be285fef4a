/** What a running program tells about itself, through its hooks and its own files, and its inbox. */
import type { Instant, SessionId } from "../core/message.ts";
import type { TurnEvent } from "../core/readiness/readiness.ts";
import type { ProcessIdentity } from "./processes.ts";

/** What an agent program's hook reported, in Bellhop's terms. */
export interface HookEvent {
  readonly program: string;
  /** The program's own name for the event. */
  readonly name: string;
  readonly emittedAt: Instant;
  readonly turn?: TurnEvent;
  /** Set if a sub-agent fired it. */
  readonly subAgent?: { readonly id: string; readonly change?: "started" | "stopped" };
  readonly programSessionId?: string;
  /** Where one window may run several: in which of them it happened. */
  readonly conversation?: string;
  /** The window does not show that conversation: it proves what became of messages, and nothing about the window. */
  readonly hidden?: true;
  readonly transcriptPath?: string;
  readonly folder?: string;
  readonly version?: string;
  readonly agentPid?: number;
  readonly tmux?: { readonly socket: string; readonly pane: string };
  /** With `turn-ended`: it was the turn of this prompt alone. A prompt that was stopped has been forgotten by then. */
  readonly turnOf?: "last-prompt";
  /** Verbatim; only with `prompt-submitted`. */
  readonly prompt?: string;
  /** The file that its read tool opened. */
  readonly opened?: string;
  /** `BELLHOP_SESSION_ID` in the program's environment. */
  readonly bellhopSession?: string;
  readonly detail?: string;
  /** With the end of a turn: text in the answer to an earlier hook had made it go on. */
  readonly continued?: true;
  /** From here to the end of the turn, hooks after tools may be those of a sub-agent, and do not say so. */
  readonly delegates?: true;
  /** It comes with the result of every tool. */
  readonly ofTool?: true;
  /** The hook waits for text that may go in its answer, and prints it. */
  readonly takes?: true;
  /** The hook has printed the answer with this code. */
  readonly printed?: string;
  /** The session, if the reporter named it. */
  readonly sessionId?: SessionId;
}

/** What a running program told about itself (hooks, its own files); secrets are kept in memory only. */
export interface ProgramFacts {
  readonly sessionId: SessionId;
  readonly programSessionId?: string;
  readonly agentPid: number;
  readonly folder?: string;
  readonly transcriptPath?: string;
  readonly version?: string;
  readonly inboxPath?: string;
  readonly inboxToken?: string;
  /** For a program whose windows may share a server: this one runs its hooks and commands itself. */
  readonly alone?: true;
}

export type InboxOffer =
  | { readonly kind: "offered" }
  | { readonly kind: "not-offered"; readonly why: string };

export type HandoverOutcome =
  /** The program took the bytes. That alone proves nothing: evidence comes from a hook or transcript. */
  /** `acknowledged`: the receiver answered positively, not only by silence. */
  | { readonly kind: "handed-over"; readonly acknowledged?: true }
  /** The program certainly did not get it: another rung may be tried. */
  | { readonly kind: "refused"; readonly why: string }
  /** The program may have it: do not fall back to keys. */
  | { readonly kind: "unknown"; readonly why: string };

/** A program's own way in, without the composer. */
export interface Inbox {
  offers(facts: ProgramFacts): Promise<InboxOffer>;
  handOver(facts: ProgramFacts, text: string, signal: AbortSignal): Promise<HandoverOutcome>;
}

/** What a program records about its running instances, if it does. */
export interface RegistryEntry extends Omit<ProgramFacts, "sessionId" | "agentPid" | "folder"> {
  readonly status?: ProgramNote;
  /** With vim keys, an empty composer does not show whether text would be taken as text. */
  readonly editing?: "plain" | "vim";
}

/** What the program last recorded about its own state. */
export interface ProgramNote {
  readonly is: "idle" | "busy" | "waiting";
  readonly at: Instant;
}

export interface ProgramRegistry {
  lookUp(program: string, agent: ProcessIdentity): Promise<RegistryEntry | undefined>;
  /** Only its state, if reading that is cheap enough for every look at the screen. */
  note(program: string, agent: ProcessIdentity): Promise<ProgramNote | undefined>;
}
