/** Agents and the programs that run for them. */

import type { HostName } from "../../core/cluster/hosts.ts";
import type { AgentName, Hold, Instant, SessionId } from "../../core/message.ts";
import type { AskKind } from "../../core/readiness/question.ts";
import type { ReadinessKind } from "../../core/readiness/readiness.ts";
import type { Right } from "../../core/rights/rights.ts";
import type { ShownSubscription } from "./broker.ts";
import type { QueuedDelivery } from "./messages.ts";

export interface ListedTerminal {
  readonly kind: "tmux" | "pty";
  readonly server?: string;
  readonly pane?: string;
}

export interface RunResponse {
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly terminal: ListedTerminal;
  /** A warning: it was started, but something is wrong. */
  readonly note?: string;
}

/** How a program's run ended. */
export interface ShownEnding {
  /** `lost`: its host was killed. `unknown`: its terminal does not tell. */
  readonly how: "exited" | "killed" | "lost" | "unknown";
  readonly code?: number;
  readonly signal?: number;
  readonly at: Instant;
}

export interface ListedSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly label: string;
  readonly program: string;
  readonly terminal: ListedTerminal | null;
  readonly readiness: ReadinessKind;
  readonly hold?: Hold;
  readonly queued: number;
  readonly headline: string;
  readonly role?: string;
  /** What it asks the person. */
  readonly asks?: { readonly kind: AskKind; readonly text: string; readonly since: Instant };
  /** Why its release counts as unproven: it is handled the careful way. */
  readonly unproven?: string;
  /** For a session that no longer runs. */
  readonly ending?: ShownEnding;
}

/** An agent on another host, as that host last said. */
export interface ListedElsewhere {
  readonly host: HostName;
  readonly agent: AgentName;
  readonly program?: string;
  /** A readiness; `offline`: no program runs for it. */
  readonly readiness: string;
  /** The ids of those that run. */
  readonly sessions: readonly SessionId[];
  readonly hostState: "up" | "silent";
  /** When its host last said something of itself. */
  readonly heardAt: Instant;
}

/** For `ls` of all hosts. */
export interface ListedHosts {
  /** This host. */
  readonly host: HostName;
  readonly elsewhere: readonly ListedElsewhere[];
  /** The agents of this host for whom no program runs; only if all are asked for. */
  readonly mailboxes?: readonly ListedElsewhere[];
}

/** A screen with all that a profile reads: its lines with their colours, and the facts of the terminal. */
export interface CapturedScreen {
  readonly sessionId: SessionId;
  readonly program: string;
  readonly version?: string;
  /** How its profile reads it, in words. */
  readonly reading: string;
  readonly columns: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean };
  readonly alternate: boolean;
  readonly title: string;
  readonly command: string;
  readonly mode: string;
  readonly lines: readonly string[];
}

export interface ShownDraft {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly text: string;
  readonly exact: boolean;
  readonly state: string;
  readonly keptAt: Instant;
  readonly note?: string;
}

/** The content of a program's composer when last read; `unknown` if it cannot be read. */
export type ShownComposer = "empty" | "draft" | "dialog" | "unknown";

/** The current state of one mailbox owner. */
export interface ShownSession {
  readonly sessionId?: SessionId;
  readonly agent: AgentName;
  readonly readiness: ReadinessKind;
  /** For a running program. */
  readonly composer?: ShownComposer;
  readonly paused: boolean;
  /** Why the first of them waits. */
  readonly hold?: Hold;
  readonly program?: string;
  readonly headline?: string;
  readonly role?: string;
  readonly parent?: SessionId;
  /** How its program ended. */
  readonly exit?: { readonly code: number | null; readonly signal: number | null; readonly at: Instant };
  /** Waiting messages, in the order in which they would be delivered. */
  readonly deliveries: readonly QueuedDelivery[];
  readonly drafts: readonly ShownDraft[];
}

export interface ShownAgent {
  readonly name: AgentName;
  readonly createdAt: Instant;
  readonly origin: "discovered" | "added" | "declared";
  readonly paused: boolean;
  readonly queued: number;
  /** Its rights beyond its own mailbox and terminal. */
  readonly rights: readonly Right[];
  readonly subscriptions: readonly ShownSubscription[];
  readonly sessions: readonly {
    readonly id: SessionId;
    readonly name?: string;
    readonly title: string;
    /** Whether `main` means this session. */
    readonly isDefault: boolean;
    readonly createdAt: Instant;
    readonly lastUsedAt: Instant;
    readonly subscriptions: readonly ShownSubscription[];
    readonly program: string;
    readonly live: boolean;
    readonly label: string;
  }[];
}

export interface ShownConversation {
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly program: string;
  /** The file that holds the whole conversation. */
  readonly file: string;
  readonly entries: readonly {
    /** `prompt`: what it was given; `tool`: what it did, in one line. */
    readonly by: "prompt" | "agent" | "tool";
    readonly text: string;
    readonly at?: Instant;
    /** The original is longer. */
    readonly cut?: true;
  }[];
  /** Whether there are older ones. */
  readonly more: boolean;
}
