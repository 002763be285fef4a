/** What a command may use. Created once in `main.ts`, the only place that touches the real environment. */
import type { Client } from "../client/connect.ts";
import type { Line } from "../client/line.ts";
import type { Instant } from "../core/message.ts";
import type { Home } from "../home/home.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { Output } from "./printing/output.ts";

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  /** The daemon's entry file. */
  readonly daemonEntry: string;
  home(): Home;
  /** The folder in which the command was called. */
  folder(): string;
  now(): Instant;
  claims(): Claims;
  readStdin(mostBytes: number): Promise<Buffer>;
  /** Aborts at Ctrl+C; only a second one ends the process. */
  interrupted(): AbortSignal;
  /** Also when its terminal or its reader is gone, and nothing ends the process: for a command that must clean up. */
  abandoned(): AbortSignal;
  /** Ends early when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** For listening; the daemon must run. */
  line(): Promise<Line>;
  /** Starts the daemon if there is none, unless told never to. */
  reach(start?: "if-needed" | "never"): Promise<Client>;
  readonly ask: Client["call"];
}
