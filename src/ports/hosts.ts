import type { Instant, SessionId } from "../core/message.ts";

/** A command before it is made ready for a session of its own. */
export interface CommandOrder {
  readonly command: readonly string[];
  readonly folder: string;
  /** The program's own id of the conversation to go on with. */
  readonly resume?: string;
}

interface SessionOrder extends Omit<CommandOrder, "resume"> {
  readonly sessionId: SessionId;
  readonly agent: string;
  /** In tmux only what is ours: the rest is the server's. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface HostOrder extends SessionOrder {
  readonly columns: number;
  readonly rows: number;
}

export interface WindowOrder extends SessionOrder {
  /** The socket of the tmux server; its default one when left out. */
  readonly server?: string;
  /** The pane of whoever asks: it opens behind that window. */
  readonly beside?: string;
}

/** What is known of a hosted program, running or not. */
export interface HostFacts {
  readonly state: "running" | "exited" | "lost";
  readonly exit?: { readonly code: number | null; readonly signal: number | null; readonly at: Instant };
  /** What it showed last: the screen's text, and with it what had scrolled off, in colours. */
  readonly lastScreen?: string;
  readonly lastLines?: readonly string[];
}

/** The terminals that Bellhop hosts itself: each its own process, which outlives the daemon. */
export interface Hosts {
  /** Rejects with why it could not be started, as far as that can be told before. */
  check(order: Pick<HostOrder, "command" | "folder" | "environment">): Promise<void>;
  /** Resolves once the program runs; rejects with why it does not. */
  start(order: HostOrder): Promise<void>;
  facts(id: SessionId): Promise<HostFacts | undefined>;
  /** What a person needs to attach. */
  grant(id: SessionId): Promise<{ readonly socket: string; readonly token: string } | undefined>;
  /** First asked, then made to. Resolves when it has ended, or the time is up. */
  stop(id: SessionId, graceMs: number): Promise<"stopped" | "running" | "absent">;
  /** Not hosted by us: in a window of tmux, as that window's own command; in that session's former one, if it is there. */
  openWindow(order: WindowOrder): Promise<{ readonly server: string; readonly pane: string }>;
  /** As `stop`, of what runs in a window that was opened for this session. */
  stopWindow(
    window: Pick<WindowOrder, "sessionId" | "server">,
    graceMs: number,
  ): Promise<"stopped" | "running" | "absent">;
  /** What an ended one left behind. */
  forget(id: SessionId): Promise<void>;
}
