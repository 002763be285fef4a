/** What an adapter provides for the contract of a terminal, and how the suites observe the terminals it opened. */
import { expect } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import type { Processes } from "../../src/ports/processes.ts";
import type { GateRefusal, Stroke, Terminal, TerminalIdentity } from "../../src/ports/terminal.ts";

export interface ProgramOptions {
  readonly bracketed?: boolean;
  readonly alternate?: boolean;
  readonly hideCursor?: boolean;
  /** From an interactive shell, which runs `cat` in front of it once it is stopped, and resumes it when that ends. */
  readonly underShell?: boolean;
}

/** A terminal with a program that records every byte it reads. */
export interface OpenedTerminal {
  readonly terminal: Terminal;
  readonly panePid: number;
  /** As a scan gave it. */
  readonly identity: TerminalIdentity;
  /** Lets the program show these lines, with their colours, and leave the cursor there. */
  show(lines: readonly string[], cursor?: { readonly x: number; readonly y: number }): Promise<void>;
  /** All bytes the program has read, once they are at least this many. */
  received(atLeastBytes: number): Promise<Buffer>;
  /** The program is stopped, and another is in front: resolves when it is, and `undo` when it is back. */
  suspend(how: "stopped" | "continued-behind"): Promise<{ readonly undo: () => Promise<void> }>;
  /** Everything that another program in front of it has read. */
  readInFront(): string;
  /** Brings about the state in which the gate must refuse for this reason, and undoes it. */
  provoke(reason: Provocation): Promise<{ readonly undo: () => Promise<void> }>;
  /** A person attaches with a keyboard. */
  attachPerson(): Promise<AttachedPerson>;
  /** The terminal goes away. */
  destroy(): Promise<void>;
}

export interface AttachedPerson {
  /** Keys as the program reads them, in one write. */
  press(bytes: string): void;
}

/** The reasons that depend on the terminal; the others depend on the expectation. */
export type Provocation = Extract<GateRefusal, "mode" | "synchronised" | "input-off" | "typing">;

export interface TerminalHarness {
  /** Answers the adapter about processes, as in the daemon. */
  readonly processes: Processes;
  open(program?: ProgramOptions): Promise<OpenedTerminal>;
  close(): Promise<void>;
  /** States that this kind of terminal does not have. */
  readonly without?: ReadonlySet<Provocation>;
}

export const POLL = { timeout: 180_000, interval: 20 };

export const paste = (text: string, bracketed = false): Stroke => ({ kind: "paste", text, bracketed });

/** Waits until the terminal shows it. */
export async function sees(opened: OpenedTerminal, look: (screen: Screen) => boolean): Promise<void> {
  await expect
    .poll(async () => {
      const outcome = await opened.terminal.read();
      return outcome.kind === "screen" && look(outcome.screen);
    }, POLL)
    .toBe(true);
}

export async function screenOf(opened: OpenedTerminal): Promise<Screen> {
  const outcome = await opened.terminal.read();
  if (outcome.kind !== "screen") throw new Error(`no screen: ${JSON.stringify(outcome)}`);
  return outcome.screen;
}

/** Refused text would appear before the marker. */
export async function onlyMarkerArrived(opened: OpenedTerminal, after = 0): Promise<void> {
  expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("marker")])).toEqual({
    kind: "sent",
  });
  expect((await opened.received(after + 6)).subarray(after).toString()).toBe("marker");
}
