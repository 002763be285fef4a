/** The daemon itself: how it stands, what it finds, and what hooks tell it. */

import type { Trouble } from "../../core/errors.ts";
import type { AgentName, Instant, Json, SessionId, Transport } from "../../core/message.ts";
import type { ReadinessKind } from "../../core/readiness/readiness.ts";
import type { Wants } from "./attention.ts";

/** A daemon of an earlier version does not say what wants the person. */
export interface StatusResponse extends Partial<Wants> {
  readonly running: true;
  readonly pid: number;
  readonly version: string;
  readonly home: string;
  readonly socket: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly tokenFile: string;
  readonly sessions: number;
  readonly queued: number;
  readonly startedAt: Instant;
  /** What a person should know: a bad config kept back, a tmux server that does not answer. */
  readonly warnings: readonly string[];
  /** What keeps it from its work, for as long as it lasts. */
  readonly trouble: readonly Trouble[];
}

export interface DiagnosedSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly program: string;
  readonly version?: string;
  readonly hooked: boolean;
  /** Rungs that are open for it now, best first, and why the others are not. */
  readonly transports: readonly Transport[];
  readonly closed: readonly { readonly transport: Transport; readonly why: string }[];
  readonly reading: string;
  readonly readiness: ReadinessKind;
  readonly because: string;
  /** Its process's own, where its commands are looked for. */
  readonly path?: string;
  /** It is not in front of its terminal: no way in is open until it is. */
  readonly suspended?: true;
}

/** What the hook is to print for the agent program, if anything. */
export interface HookEventResponse {
  readonly output?: Json;
}
