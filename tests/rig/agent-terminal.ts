import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { SessionOptions } from "./tmux-server.ts";
import type { Typist } from "./typist.ts";

/** Where the real programs are tested: in a pane of a person's tmux, and in a hosted terminal. */
export const PLACES = ["tmux", "hosted"] as const;
export type PlaceKind = (typeof PLACES)[number];

export interface Place {
  readonly kind: PlaceKind;
  open(program: SessionOptions): Promise<AgentTerminal>;
}

/** What a test needs of the terminal that a program runs in, in tmux or hosted. */
export interface AgentTerminal {
  /** `%0` in tmux, the session id in a hosted terminal. */
  readonly pane: string;
  screen(): Promise<string>;
  waitForScreen(
    matches: (screen: string) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<string>;
  /** A person attaches and types. */
  typist(): Promise<Typist>;
  /** The process that the terminal was opened for. */
  program(): Promise<number | "ended">;
  /** Waits until nobody has pressed a key for long enough that the final gate opens. */
  untilQuiet(): Promise<void>;
  /** A person uses the terminal for something else: messages are held until they are done. */
  occupy(): Promise<Occupation>;
}

export interface Occupation {
  /** Why messages are held during that time. */
  readonly hold: string;
  end(): Promise<void>;
}

/** Whether this is the session that `ls` lists for that terminal. */
export function runsIn({ id, terminal }: ListedSession, pane: string): boolean {
  return terminal?.kind === "pty" ? id === pane : terminal?.pane === pane;
}
