/** The daemon itself: its status, what it finds, and what hooks report to it. */

import type { Trouble } from "../../core/errors.ts";
import type { AgentName, Instant, Json, SessionId, Transport } from "../../core/message.ts";
import type { ReadinessKind } from "../../core/readiness/readiness.ts";
import type { Wants } from "./attention.ts";
import type { ShownClusterBriefly } from "./cluster.ts";
import type { ShownBridge } from "./outside.ts";

/** A daemon of an earlier version does not report what needs attention. */
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
  /** What a person should know: an invalid config that is not used, a tmux server that does not answer. */
  readonly warnings: readonly string[];
  /** The bridges that are configured; a daemon of an earlier version has none. */
  readonly bridges?: readonly ShownBridge[];
  /** Absent without a cluster. */
  readonly cluster?: ShownClusterBriefly;
  /** What keeps it from working, for as long as that lasts. */
  readonly trouble: readonly Trouble[];
}

export interface DiagnosedSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly program: string;
  readonly version?: string;
  /** Why its release counts as unproven: it is handled the careful way. */
  readonly unproven?: string;
  readonly hooked: boolean;
  /** The ways of delivery open to it now, best first, and why the others are not. */
  readonly transports: readonly Transport[];
  readonly closed: readonly { readonly transport: Transport; readonly why: string }[];
  readonly reading: string;
  readonly readiness: ReadinessKind;
  readonly because: string;
  /** The PATH of its process, where its commands are looked up. */
  readonly path?: string;
  /** It is not in front of its terminal: until it is, nothing can be delivered. */
  readonly suspended?: true;
}

/** What the hook should print for the agent program, if anything. */
export interface HookEventResponse {
  readonly output?: Json;
  /** Text waits that may go in this hook's answer: `hook_take` with this code gets it. */
  readonly take?: string;
}
