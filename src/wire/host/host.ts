/**
 * The protocol of a PTY host: one line of JSON each way, then frames. Field names are those of the wire.
 * A viewer attaches; a daemon serves. Both show the host's own token.
 */
import type { Screen } from "../../core/readiness/screen.ts";
import type { HostOrder } from "../../ports/hosts.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { GateExpectation, GateOutcome, Stroke } from "../../ports/terminal.ts";
import type { PackedScreen } from "./packed-screen.ts";

export const HOST_VERSION = 1;
/** The longest time that a program may be given to end by itself. */
export const LONGEST_GRACE_MS = 3_600_000;

export interface HostHello {
  readonly type: "attach" | "serve";
  /** The versions that the client speaks; the host picks one. */
  readonly versions: readonly number[];
  readonly token: string;
  readonly cols?: number;
  readonly rows?: number;
  /** For a viewer; `type` if absent. A viewer that only looks sends no keys, and its size does not count. */
  readonly may?: "type" | "look";
  /**
   * For a viewer that only looks. From afar it may also ask for the keyboard and then type, and ask for another
   * picture; its size still does not count. A host of an earlier release does not know this, and lets it only look.
   */
  readonly from?: "afar";
}

export type HostWelcome =
  | {
      readonly ok: true;
      readonly version: number;
      readonly session_id: string;
      readonly agent: string;
      readonly cols: number;
      readonly rows: number;
      readonly state: HostState;
      /** It knows viewers from afar. */
      readonly afar?: true;
      /** In the step in which it types, it asks the system itself whether the agent is in front. */
      readonly asks_standing?: true;
    }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string; readonly next: string };
    };

/** Sent to every client whenever it changes. */
export interface HostState {
  readonly viewers: number;
  /** The number of the viewer that has the keyboard to itself. */
  readonly passthrough: number | null;
  readonly exit: HostExit | null;
  readonly title: string;
}

export interface HostExit {
  readonly code: number | null;
  readonly signal: number | null;
  readonly at: number;
}

/** From a viewer, as control frames. Keys are data frames. */
export type ViewerSays =
  | { readonly type: "resize"; readonly cols: number; readonly rows: number }
  /** A line of the bar, typed and submitted as one. */
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "passthrough"; readonly on: boolean }
  /** From afar: draws everything anew. */
  | { readonly type: "picture" };

/** To a viewer, as control frames. Screen output is data frames. */
export type ViewerHears =
  | { readonly type: "resize"; readonly cols: number; readonly rows: number }
  | { readonly type: "state"; readonly viewer: number; readonly state: HostState }
  | { readonly type: "announce"; readonly text: string }
  /** To a viewer from afar: the next bytes, this many, are a whole picture. */
  | { readonly type: "picture"; readonly bytes: number; readonly cols: number; readonly rows: number }
  | { readonly type: "refused"; readonly what: string; readonly message: string };

/** From the daemon, as control frames, each with an id that the answer repeats. */
export type DaemonSays =
  /** `packed`: the compact form, which an older daemon cannot read. */
  | { readonly type: "read"; readonly id: number; readonly above?: number; readonly packed?: boolean }
  | {
      readonly type: "gate";
      readonly id: number;
      readonly expectation: GateExpectation;
      readonly strokes: readonly Stroke[];
      /** Which process must be in front; an older daemon does not send this. */
      readonly agent?: ProcessIdentity;
    }
  | { readonly type: "announce"; readonly id: number; readonly text: string }
  | { readonly type: "stop"; readonly id: number; readonly graceMs: number };

export type DaemonHears =
  | {
      readonly type: "screen";
      readonly id: number;
      readonly screen: PackedScreen | Screen;
      readonly above?: readonly string[];
      /** A host of an earlier release does not tell. */
      readonly quietForMs?: number;
    }
  | { readonly type: "gate"; readonly id: number; readonly outcome: GateOutcome }
  | { readonly type: "announced"; readonly id: number; readonly to: number | "nobody-left" }
  | { readonly type: "stopping"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly type: "changed" }
  | { readonly type: "state"; readonly state: HostState };

/** Tells a host what to run, on its standard input. */
export interface HostSpec extends Omit<HostOrder, "columns"> {
  readonly cols: number;
  readonly scrollback: number;
  readonly socket: string;
  readonly record: string;
}

/** What a host records about itself, so that any daemon can find it. */
export interface HostRecord extends Pick<HostSpec, "sessionId" | "agent" | "command" | "folder" | "socket"> {
  readonly version: number;
  readonly token: string;
  readonly hostPid: number;
  readonly hostStartedAt: string;
  readonly programPid: number;
  readonly programStartedAt: string;
  readonly startedAt: number;
  readonly exit?: HostExit;
  /** The final output of an ended program: the screen's text, and with it the scrollback, with colours. */
  readonly lastScreen?: string;
  readonly lastLines?: readonly string[];
}
