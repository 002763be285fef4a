import { BellhopError } from "../../../core/errors.ts";
import { backoffMs } from "../../../core/time/backoff.ts";
import type { Processes, ProcessIdentity } from "../../../ports/processes.ts";
import type { AttachTurn } from "./attach-turn.ts";
import { type CommandOutcome, ControlConnection, type ControlSetting } from "./control.ts";
import { withNoticesHeld } from "./held-notices.ts";
import { quote } from "./quote.ts";
import { chooseSession, parseSessions, SESSION_FORMAT } from "./session-choice.ts";
import { probeSocket } from "./sockets.ts";
import { runTmux, serverArguments } from "./tmux-program.ts";

export interface OpenLink {
  /** A restarted server is another process, with other panes behind the same ids. */
  readonly server: ProcessIdentity;
  run(commands: string, deadlineMs: number): Promise<CommandOutcome>;
}

type LinkOutcome =
  | { readonly kind: "open"; readonly link: OpenLink }
  /** There is no such server. */
  | { readonly kind: "absent" }
  /** A server without sessions: there is nothing to attach to, and nothing runs in it. */
  | { readonly kind: "empty"; readonly server: ProcessIdentity }
  | { readonly kind: "unavailable"; readonly cause: string };

interface ServerLinkOptions extends ControlSetting {
  readonly turn: AttachTurn;
  readonly processes: Pick<Processes, "identify">;
  onNotice(name: string, rest: string): void;
  /** An established connection has ended. */
  onEnded(cause: string): void;
}

const LINK_LIMITS = {
  connectMs: 5_000,
  /** A connection that ends sooner than this counts as a failure to connect. */
  shortLivedMs: 2_000,
  backoff: { firstMs: 250, longestMs: 8_000 },
} as const;

const WAIT = { quietMs: 150, patienceMs: 3_000 } as const;

/** The command connection to one tmux server: opened on first use, reopened after a loss. */
export class ServerLink {
  readonly #options: ServerLinkOptions;
  #open: (OpenLink & { readonly connection: ControlConnection }) | undefined;
  /** tmux may move us to another session when ours ends. */
  #session = "";
  #connecting: Promise<LinkOutcome> | undefined;
  #attaching: Promise<LinkOutcome | undefined> | undefined;
  #failures = 0;
  #notBefore = 0;
  #closed = false;

  constructor(options: ServerLinkOptions) {
    this.#options = options;
  }

  /** The open connection, or an attempt to open one. Never starts a server. */
  connect(): Promise<LinkOutcome> {
    if (this.#closed) return Promise.resolve({ kind: "unavailable", cause: "closed" });
    if (this.#open !== undefined) return Promise.resolve({ kind: "open", link: this.#open });
    this.#connecting ??= this.#attempt()
      .catch((error: unknown): LinkOutcome => ({ kind: "unavailable", cause: causeOf(error) }))
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#attaching;
    const connection = this.#open?.connection;
    this.#open = undefined;
    await connection?.close();
  }

  async #attempt(): Promise<LinkOutcome> {
    const { socket, clock, program } = this.#options;
    const state = await probeSocket(socket, LINK_LIMITS.connectMs);
    if (state.kind === "absent") {
      this.#failures = 0;
      this.#notBefore = 0;
      return state;
    }
    if (state.kind === "unknown") return { kind: "unavailable", cause: state.cause };
    if (clock.monotonic() < this.#notBefore) {
      return { kind: "unavailable", cause: "the last connections ended at once; waiting before the next" };
    }
    // Listed before connecting: unless a session is named, tmux may pick one that ends when we leave.
    const words = ["list-sessions", "-F", SESSION_FORMAT, ";", "display-message", "-p", "#{pid}"];
    const listed = await runTmux(program, [...serverArguments(socket), ...words], LINK_LIMITS.connectMs);
    if (listed.kind === "late") return { kind: "unavailable", cause: "tmux does not list its sessions" };
    if (listed.kind === "failed") {
      return /no server running|error connecting/.test(listed.stderr)
        ? { kind: "absent" }
        : { kind: "unavailable", cause: listed.stderr };
    }
    const lines = listed.stdout.split("\n").filter((line) => line !== "");
    const server = await this.#identify(lines.at(-1));
    const sessions = parseSessions(lines.slice(0, -1));
    if (server === undefined || sessions === undefined) {
      return { kind: "unavailable", cause: "tmux lists its sessions in an unknown form" };
    }
    const session = chooseSession(sessions);
    if (session !== undefined) {
      if (this.#closed) return { kind: "unavailable", cause: "closed" };
      this.#attaching = this.#options.turn.take(WAIT, () => this.#attach(session.id));
      const attached = await this.#attaching;
      return attached ?? { kind: "unavailable", cause: "tmux changes too fast to attach safely" };
    }
    return sessions.length === 0
      ? { kind: "empty", server }
      : { kind: "unavailable", cause: "every session there would end when Bellhop detaches" };
  }

  async #attach(session: string): Promise<LinkOutcome> {
    const { clock } = this.#options;
    const connection = await withNoticesHeld(this.#options, session, async () => {
      const made = this.#connection(session);
      await made.attached;
      return made;
    });
    const startedAt = clock.monotonic();
    const attached = await connection.attached;
    const asked = await connection.run('display-message -p "#{pid}"', LINK_LIMITS.connectMs);
    const server = asked.kind === "answered" ? await this.#identify(asked.blocks[0]?.lines[0]) : undefined;
    if (server === undefined || this.#closed) {
      this.#countFailure();
      await connection.close();
      const cause = attached.kind === "refused" ? attached.cause : "tmux does not say which server it is";
      return { kind: "unavailable", cause: this.#closed ? "closed" : cause };
    }
    const link = {
      server,
      connection,
      run: (commands: string, deadlineMs: number) => connection.run(commands, deadlineMs),
    };
    this.#open = link;
    void connection.ended.then((cause) => {
      if (this.#open !== link) return;
      this.#open = undefined;
      this.#options.turn.noticed();
      if (clock.monotonic() - startedAt < LINK_LIMITS.shortLivedMs) this.#countFailure();
      else this.#failures = 0;
      this.#options.onEnded(cause);
    });
    return { kind: "open", link };
  }

  #connection(session: string): ControlConnection {
    return new ControlConnection({
      ...this.#options,
      session,
      // Without output: for a slow reader the server would buffer it in memory.
      flags: ["ignore-size", "no-output"],
      attachDeadlineMs: LINK_LIMITS.connectMs,
      onEvent: (event) => {
        if (event.kind !== "notice") return;
        if (event.name === "session-changed") this.#session = event.rest.split(" ")[0] ?? "";
        if (event.name === "client-detached") void this.#leaveIfLast();
        this.#options.onNotice(event.name, event.rest);
      },
    });
  }

  /**
   * With `destroy-unattached` on, a session ends with its last client. We must not be the client that keeps it alive:
   * it was only chosen because a person was attached too.
   */
  async #leaveIfLast(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const outcome = await open.run(
      `display-message -p "#{destroy-unattached}" ; list-clients -t ${quote(this.#session)} -F "#{client_control_mode}"`,
      LINK_LIMITS.connectMs,
    );
    if (outcome.kind !== "answered" || !outcome.blocks.every((block) => block.ok)) return;
    const [endsUnattached, clients] = outcome.blocks.map((block) => block.lines);
    if (endsUnattached?.[0] === "0" || endsUnattached?.[0] === "off" || clients === undefined) return;
    if (!clients.includes("0")) await open.connection.vanish();
  }

  /** tmux reports the pid; the system reports the start time, in the form in which it is later compared. */
  async #identify(pid: string | undefined): Promise<ProcessIdentity | undefined> {
    if (pid === undefined || !/^\d+$/.test(pid)) return undefined;
    const found = await this.#options.processes.identify(Number(pid)).catch(() => "gone" as const);
    return found === "gone" ? undefined : found;
  }

  #countFailure(): void {
    this.#notBefore = this.#options.clock.monotonic() + backoffMs(LINK_LIMITS.backoff, this.#failures);
    this.#failures += 1;
  }
}

function causeOf(error: unknown): string {
  if (error instanceof BellhopError) return `${error.message} ${error.next}`;
  return error instanceof Error ? error.message : String(error);
}
