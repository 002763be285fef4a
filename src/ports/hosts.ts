import type { Instant, SessionId } from "../core/message.ts";

/** A command before it is prepared for its own session. */
export interface CommandOrder {
  readonly command: readonly string[];
  readonly folder: string;
  /** The program's own id of the conversation to resume. */
  readonly resume?: string;
}

interface SessionOrder extends Omit<CommandOrder, "resume"> {
  readonly sessionId: SessionId;
  readonly agent: string;
  /** In tmux, only our own variables: the server provides the rest. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface HostOrder extends SessionOrder {
  readonly columns: number;
  readonly rows: number;
}

export interface WindowOrder extends SessionOrder {
  /** The socket of the tmux server; without it, the default one. */
  readonly server?: string;
  /** The caller's pane: the new window opens after that one. */
  readonly beside?: string;
}

/** What is known of a hosted program, running or not. */
export interface HostFacts {
  readonly state: "running" | "exited" | "lost";
  readonly exit?: { readonly code: number | null; readonly signal: number | null; readonly at: Instant };
  /** What it showed last: the text of the screen and, in `lastLines`, the lines above it with their colours. */
  readonly lastScreen?: string;
  readonly lastLines?: readonly string[];
}

/** The terminals that Bellhop hosts itself: each is a process that outlives the daemon. */
export interface Hosts {
  /** Rejects with the reason if it could not be started, as far as that is known beforehand. */
  check(order: Pick<HostOrder, "command" | "folder" | "environment">): Promise<void>;
  /** Resolves once the program runs; rejects with the reason if it does not. */
  start(order: HostOrder): Promise<void>;
  facts(id: SessionId): Promise<HostFacts | undefined>;
  /** What a person needs to attach. */
  grant(id: SessionId): Promise<{ readonly socket: string; readonly token: string } | undefined>;
  /** Asks it to end, then forces it. Resolves when it has ended or the time is up. */
  stop(id: SessionId, graceMs: number): Promise<"stopped" | "running" | "absent">;
  /** Not hosted by us: the command of a tmux window; reuses the session's former window if it still exists. */
  openWindow(order: WindowOrder): Promise<{ readonly server: string; readonly pane: string }>;
  /** As `stop`, for the window that was opened for this session. */
  stopWindow(
    window: Pick<WindowOrder, "sessionId" | "server">,
    graceMs: number,
  ): Promise<"stopped" | "running" | "absent">;
  /** Removes what an ended session left behind. */
  forget(id: SessionId): Promise<void>;
}
