import type { Instant } from "../core/message.ts";
import type { Screen } from "../core/readiness/screen.ts";
import type { ShownSign } from "../core/readiness/shown-sign.ts";

export interface TerminalRef {
  readonly kind: "tmux" | "pty";
  /** Socket path of the tmux server, or of the one host. */
  readonly server: string;
  /** The pane's id, or the session that the host was started for. */
  readonly pane: string;
}

/** All of it must match, or it is another terminal: pane ids start again when a server restarts. */
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
      /** Where they were asked for: lines that scrolled off it, oldest first, with their colours (SGR and nothing else). */
      readonly above?: readonly string[];
    }
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly cause: string };

/** What must hold inside the terminal, in the very step in which the keys go in. */
export interface GateExpectation {
  readonly panePid: number;
  /** The name that the terminal gives the agent's program when that is in front. */
  readonly command?: string;
  readonly alternate?: boolean;
  readonly cursorHidden?: boolean;
  readonly cursor?: { readonly x: number; readonly y: number };
  /** No key from any attached person for this long. */
  readonly quietForMs?: number;
  /**
   * A person who has the keyboard to themself does not keep this out, for it may not wait until they give it back. A host of
   * an earlier release refuses all the same.
   */
  readonly keyboard?: "may-be-taken";
  /** What justified the keys shows there still. A host of an earlier release does not look for it. */
  readonly sign?: ShownSign;
}

export type Stroke =
  /** Goes in as one write; `bracketed` wraps it if the program asked for bracketed paste. */
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
  /** The agent is stopped, or not its terminal's foreground process. */
  | "suspended"
  | "screen-kind"
  | "cursor-moved"
  | "sign-gone"
  | "typing"
  /** A person has the keyboard to themselves. */
  | "attached"
  /** The terminal could not be asked; what it shows plays no part in it. */
  | "unavailable";

export type GateOutcome =
  | { readonly kind: "sent" }
  /** Nothing was typed. */
  | { readonly kind: "refused"; readonly because: readonly GateRefusal[] }
  | { readonly kind: "gone" }
  /** The answer did not come: the keys may or may not be in. */
  | { readonly kind: "unknown"; readonly cause: string };

export type AnnounceOutcome =
  /** To how many people; 0 when nobody looks at this terminal. */
  | { readonly kind: "shown"; readonly to: number }
  | { readonly kind: "gone" }
  /** It may or may not have been shown. */
  | { readonly kind: "unknown"; readonly cause: string };

/** Where keys go. Callers hold the terminal's lock around everything but `read` and `onChange`. */
export interface Terminal {
  readonly ref: TerminalRef;
  /** `above`: with at most so many of the lines that scrolled off it. */
  read(above?: number): Promise<ScreenOutcome>;
  /**
   * Check and keys in one step that no human key can split. Refused as `suspended` unless the agent that this terminal was
   * found for stands in front of it; `unknown` where it was suspended just as the keys went in.
   */
  gate(expectation: GateExpectation, strokes: readonly Stroke[]): Promise<GateOutcome>;
  /** Told, not polled, where the terminal can; a call may come late or for nothing. */
  onChange(listener: () => void): () => void;
  /**
   * One line for the people who look at this terminal, outside the program's screen, and only for a moment. No key
   * is typed, and none of theirs is swallowed or counts for more or less than before.
   */
  announce(text: string): Promise<AnnounceOutcome>;
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
  /** When something was last drawn there or beside it, to the second; undefined: nobody can say. */
  readonly drawnAt?: Instant;
  /** Nothing can have changed since the look before. */
  readonly asBefore?: true;
}

/** Also where nothing seems to have changed. */
export type ScanHow = "thoroughly";

export type ScanOutcome =
  | { readonly kind: "scanned"; readonly sightings: readonly Sighting[]; readonly serverPid: number }
  /** The server is not there at all. */
  | { readonly kind: "absent" }
  /** Not an empty server: nothing is concluded from it. */
  | { readonly kind: "unknown"; readonly cause: string };

/** How the people at a server are told something that concerns no terminal in particular. */
export interface TellingHow {
  readonly line: boolean;
  readonly bell: boolean;
  /** Whoever looks at this pane is not told. */
  readonly except?: string;
}

/** One tmux server (or one host of PTYs): finds programs and opens terminals. */
export interface TerminalServer {
  readonly name: string;
  scan(how?: ScanHow): Promise<ScanOutcome>;
  terminal(identity: TerminalIdentity): Terminal;
  /**
   * For everybody who looks at any terminal of it, outside the program's screen, and only for a moment. No key is typed,
   * and none of theirs is swallowed. `gone`: there is no such server.
   */
  tell(text: string, how: TellingHow): Promise<AnnounceOutcome>;
  /** Windows, panes or names changed: worth a scan. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
