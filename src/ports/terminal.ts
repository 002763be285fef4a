import type { Instant } from "../core/message.ts";
import type { Screen } from "../core/readiness/screen.ts";
import type { ShownSign } from "../core/readiness/shown-sign.ts";
import type { View, ViewEar } from "./screen-view.ts";

export interface TerminalRef {
  readonly kind: "tmux" | "pty";
  /** The socket path of the tmux server, or of the one host. */
  readonly server: string;
  /** The pane's id, or the session that the host was started for. */
  readonly pane: string;
}

/** If any part differs, it is another terminal: pane ids start again when a server restarts. */
export interface TerminalIdentity extends TerminalRef {
  readonly serverPid: number;
  readonly serverStartedAt: string;
  readonly panePid: number;
  readonly agentPid: number;
  readonly agentStartedAt: string;
}

export type ScreenOutcome =
  | {
      readonly kind: "screen";
      readonly screen: Screen;
      /** If requested: lines that scrolled off, oldest first, with their colours (only SGR). */
      readonly above?: readonly string[];
      /** For how long at least nobody had pressed a key then, as the gate counts it; undefined: not known. */
      readonly quietForMs?: number;
    }
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly cause: string };

/** What must hold in the terminal in the same step in which the keys are typed. */
export interface GateExpectation {
  readonly panePid: number;
  /** The terminal's name for the agent's program when that is in front. */
  readonly command?: string;
  readonly alternate?: boolean;
  readonly cursorHidden?: boolean;
  readonly cursor?: { readonly x: number; readonly y: number };
  /** No key from any attached person for this long. */
  readonly quietForMs?: number;
  /**
   * Types even if a person has taken the keyboard, because this cannot wait until they give it back. A host of an
   * earlier release refuses anyway.
   */
  readonly keyboard?: "may-be-taken";
  /** What justified the keys must still be shown. A host of an earlier release does not check this. */
  readonly sign?: ShownSign;
}

export type Stroke =
  /** Written at once; `bracketed` wraps it if the program asked for bracketed paste. */
  | { readonly kind: "paste"; readonly text: string; readonly bracketed: boolean }
  | { readonly kind: "bytes"; readonly bytes: readonly number[] }
  /** A key by name (`Enter`, `Escape`, `C-u`, `Up`). */
  | { readonly kind: "key"; readonly name: string };

export type GateRefusal =
  | "dead"
  | "mode"
  | "synchronised"
  | "input-off"
  | "other-process"
  | "other-command"
  /** The agent is stopped, or is not its terminal's foreground process. */
  | "suspended"
  | "screen-kind"
  | "cursor-moved"
  | "sign-gone"
  | "typing"
  /** A person has taken the keyboard. */
  | "attached"
  /** The terminal could not be asked; this says nothing about its screen. */
  | "unavailable";

export type GateOutcome =
  | { readonly kind: "sent" }
  /** Nothing was typed. */
  | { readonly kind: "refused"; readonly because: readonly GateRefusal[] }
  | { readonly kind: "gone" }
  /** No answer came: the keys may or may not have been typed. */
  | { readonly kind: "unknown"; readonly cause: string };

export type AnnounceOutcome =
  /** The number of people; 0 if nobody looks at this terminal. */
  | { readonly kind: "shown"; readonly to: number }
  | { readonly kind: "gone" }
  /** It may or may not have been shown. */
  | { readonly kind: "unknown"; readonly cause: string };

/** Where keys are typed. Callers hold the terminal's lock around everything but `read` and `onChange`. */
export interface Terminal {
  readonly ref: TerminalRef;
  /** `above`: also read at most this many of the lines that scrolled off. */
  read(above?: number): Promise<ScreenOutcome>;
  /**
   * Checks and types in one step that no human key can split. Refused as `suspended` unless the agent of this terminal
   * is in front; `unknown` if it was suspended just as the keys were typed.
   */
  gate(expectation: GateExpectation, strokes: readonly Stroke[]): Promise<GateOutcome>;
  /** Pushed, not polled, if the terminal can; a call may come late or without a change. */
  onChange(listener: () => void): () => void;
  /**
   * Shows one line for a moment to the people who look at this terminal, outside the program's screen. No key is
   * typed, and none of theirs is swallowed or changes its effect.
   */
  announce(text: string): Promise<AnnounceOutcome>;
  /** A live copy of its screen. Rejects with the reason if there cannot be one. */
  view(ear: ViewEar): Promise<View>;
}

/** One program found in one terminal. */
export interface Sighting {
  readonly identity: TerminalIdentity;
  readonly program: string;
  /** `<session_name>:<window_index>.<pane_index>`. */
  readonly label: string;
  readonly title: string;
  readonly folder: string | undefined;
  readonly agentArgv: readonly string[];
  /** When something was last drawn there or in a pane of the same window, to the second; undefined: unknown. */
  readonly drawnAt?: Instant;
  /** Nothing can have changed since the previous scan. */
  readonly asBefore?: true;
}

/** Even if nothing seems to have changed. */
export type ScanHow = "thoroughly";

export type ScanOutcome =
  | { readonly kind: "scanned"; readonly sightings: readonly Sighting[]; readonly serverPid: number }
  /** There is no server. */
  | { readonly kind: "absent" }
  /** Not the same as an empty server: conclude nothing from it. */
  | { readonly kind: "unknown"; readonly cause: string };

/** How the people at a server are told something that is not about one terminal. */
export interface TellingHow {
  readonly line: boolean;
  readonly bell: boolean;
  /** People who look at this pane are not told. */
  readonly except?: string;
}

export interface Attended {
  readonly people: number;
  /** Since the last key of any of them, if known. */
  readonly idleMs?: number;
}

/** One tmux server (or one host of PTYs): finds programs and opens terminals. */
export interface TerminalServer {
  readonly name: string;
  scan(how?: ScanHow): Promise<ScanOutcome>;
  terminal(identity: TerminalIdentity): Terminal;
  /**
   * Tells everyone who looks at any of its terminals, for a moment, outside the program's screen. No key is typed, and
   * none of theirs is swallowed. `gone`: the server does not exist.
   */
  tell(text: string, how: TellingHow): Promise<AnnounceOutcome>;
  /** Who looks at its terminals now; undefined: not known. */
  attended(): Promise<Attended | undefined>;
  /** Windows, panes or names changed: worth a scan. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
