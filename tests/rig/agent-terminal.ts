import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { SessionOptions } from "./tmux-server.ts";
import type { Typist } from "./typist.ts";

/** Where the real programs are tested: in a pane of a person's tmux, and in a terminal of Bellhop's own. */
export const PLACES = ["tmux", "hosted"] as const;
export type PlaceKind = (typeof PLACES)[number];

export interface Place {
  readonly kind: PlaceKind;
  open(program: SessionOptions): Promise<AgentTerminal>;
}

/** What a test needs of the terminal a program runs in, wherever that is. */
export interface AgentTerminal {
  /** `%0` in tmux, the session's own id in a hosted one. */
  readonly pane: string;
  screen(): Promise<string>;
  waitForScreen(
    matches: (screen: string) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<string>;
  /** A person sits down there. */
  typist(): Promise<Typist>;
  /** The process that the terminal was opened for. */
  program(): Promise<number | "ended">;
  /** Until nobody has pressed a key for so long that the final gate is open. */
  untilQuiet(): Promise<void>;
  /** As a person who does something else with the terminal: no message gets in until they are done. */
  occupy(): Promise<Occupation>;
}

export interface Occupation {
  /** Why messages are held meanwhile. */
  readonly hold: string;
  end(): Promise<void>;
}

/** Whether this is the session that `ls` lists for that terminal. */
export function runsIn({ id, terminal }: ListedSession, pane: string): boolean {
  return terminal?.kind === "pty" ? id === pane : terminal?.pane === pane;
}
