import { assertNever, BellhopError } from "../../../core/errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type Started, startProgram } from "../../../system/starting.ts";
import { quote } from "./quote.ts";
import { type ControlEvent, ReplyStream } from "./reply-stream.ts";
import type { Survivors } from "./survivors.ts";
import { serverArguments, type TmuxProgram, tmuxMissing } from "./tmux-program.ts";

/** One reply per command of the list; a list stops at its first error. */
export interface Block {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

export type CommandOutcome =
  | { readonly kind: "answered"; readonly blocks: readonly Block[] }
  /** The commands ran, but their replies cannot be told apart. */
  | { readonly kind: "garbled"; readonly cause: string }
  /** No answer in time: the commands may still run. */
  | { readonly kind: "late"; readonly cause: string }
  /** The connection ended while the commands were under way. */
  | { readonly kind: "lost"; readonly cause: string }
  /** The commands were never written. */
  | { readonly kind: "unsent"; readonly cause: string };

type AttachOutcome = { readonly kind: "attached" } | { readonly kind: "refused"; readonly cause: string };

/** What all connections to one server share. */
export interface ControlSetting {
  readonly program: TmuxProgram;
  readonly socket: string;
  /** Unguessable: a screen must not be able to imitate the end of a reply. */
  nonce(): string;
  readonly clock: Clock;
  readonly survivors?: Pick<Survivors, "watch"> | undefined;
}

interface ControlOptions extends ControlSetting {
  /** A session id, such as `$3`. */
  readonly session: string;
  readonly flags: readonly string[];
  readonly attachDeadlineMs: number;
  /** What panes write is passed on, not only that they do. */
  readonly output?: "kept" | "dropped";
  onEvent(event: Extract<ControlEvent, { kind: "output" | "notice" }>): void;
}

export const CONTROL_LIMITS = {
  pending: 1_024,
  stderrBytes: 1_024,
  /** After a late answer, the connection is lost unless it sends something within this time. */
  silenceMs: 5_000,
  /** Time for a client to leave by itself before it is killed. */
  leaveMs: 2_000,
} as const;

interface Pending {
  readonly id: string;
  readonly blocks: Block[];
  readonly cancelDeadline: () => void;
  readonly onBlock: ((blocks: readonly Block[]) => void) | undefined;
  /** Undefined once the caller was told that the answer is late. */
  settle: ((outcome: CommandOutcome) => void) | undefined;
}

/**
 * One control-mode client of one tmux server, attached to one session.
 *
 * Each request is two lines: the command list, and a sentinel of its own. tmux drops the rest of a list after an error
 * and answers a parse error with one block, so blocks cannot be counted; everything before the sentinel belongs to the
 * request.
 */
export class ControlConnection {
  readonly attached: Promise<AttachOutcome>;
  /** Resolves once, with the reason. */
  readonly ended: Promise<string>;
  readonly #clock: Clock;
  readonly #program: Started;
  readonly #exited: Promise<void>;
  readonly #sentinelPrefix: string;
  readonly #onEvent: ControlOptions["onEvent"];
  readonly #pending: Pending[] = [];
  #requests = 0;
  #state: "attaching" | "open" | "ended" = "attaching";
  #settleAttach: (outcome: AttachOutcome) => void = () => {};
  #settleEnd: (cause: string) => void = () => {};
  #cancelWatch: (() => void) | undefined;
  #stderr = "";

  constructor(options: ControlOptions) {
    this.#clock = options.clock;
    this.#onEvent = options.onEvent;
    this.#sentinelPrefix = `bellhop-${options.nonce()}-`;
    this.attached = new Promise((resolve) => {
      this.#settleAttach = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
    // -E: an attach would otherwise copy our environment over that of the person's session.
    const attach = ["attach-session", "-E", "-f", options.flags.join(","), "-t", options.session];
    const argv = [...serverArguments(options.socket), "-C", ...attach];
    const { environment, path } = options.program;
    this.#program = startProgram(path, argv, { env: environment, stdio: ["pipe", "pipe", "pipe"] });
    const { child, stdin, stdout, stderr } = this.#program;
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    const hasEnded = child.pid === undefined ? undefined : options.survivors?.watch(child.pid);
    void this.#exited.then(hasEnded);
    const cancelAttach = options.clock.after(options.attachDeadlineMs, () =>
      this.#end(`no answer to the attach within ${options.attachDeadlineMs} ms`),
    );
    void this.attached.then(cancelAttach);
    const stream = new ReplyStream(this.#sentinelPrefix, (event) => this.#take(event), options.output);
    stdout.on("data", (chunk: Buffer) => {
      this.#cancelWatch?.();
      this.#cancelWatch = undefined;
      stream.push(chunk);
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(0, CONTROL_LIMITS.stderrBytes);
    });
    stdin.on("error", (error) => this.#end(error.message));
    child.on("error", (error: NodeJS.ErrnoException) =>
      this.#end(error.code === "ENOENT" ? tmuxMissing(error).message : error.message),
    );
    child.on("close", () => this.#end(this.#stderr.trim() || "the tmux client ended"));
  }

  /**
   * `commands` is one line of tmux commands, built with `quote`. `onBlock` is called at each reply, between what tmux
   * wrote before it and after it; whether the replies can be trusted is known only at the end.
   */
  run(
    commands: string,
    deadlineMs: number,
    onBlock?: (blocks: readonly Block[]) => void,
  ): Promise<CommandOutcome> {
    if (commands === "" || commands.includes("\n")) {
      // An empty line detaches the client; a newline would start a second command.
      throw new BellhopError("internal.bug", {
        message: "A tmux command list must be one non-empty line.",
        next: `Report this with the output of "bellhop logs".`,
      });
    }
    if (this.#state === "ended")
      return Promise.resolve({ kind: "unsent", cause: "the connection has ended" });
    if (this.#pending.length >= CONTROL_LIMITS.pending) {
      const cause = `${CONTROL_LIMITS.pending} commands are waiting already`;
      return Promise.resolve({ kind: "unsent", cause });
    }
    return new Promise((resolve) => {
      this.#requests += 1;
      const pending: Pending = {
        id: String(this.#requests),
        blocks: [],
        cancelDeadline: this.#clock.after(deadlineMs, () => this.#tellLate(pending, deadlineMs)),
        onBlock,
        settle: resolve,
      };
      this.#pending.push(pending);
      const sentinel = `display-message -p ${quote(this.#sentinelPrefix + pending.id)}`;
      this.#program.stdin.write(`${commands}\n${sentinel}\n`);
    });
  }

  /** Ends the client; the session it was attached to lives on. */
  async close(): Promise<void> {
    // Never during an attach: tmux before 3.7 crashes when a client vanishes while attaching.
    await this.attached;
    this.#end("closed by us");
    await this.#exited;
  }

  /**
   * Like `close`, but kills the client instead of detaching it. If a session ends with its last client, tmux destroys
   * it as soon as that client asks to leave, and then crashes because the client is still in it. A dead client is not.
   */
  async vanish(): Promise<void> {
    await this.attached;
    this.#program.kill("SIGKILL");
    await this.#exited;
    this.#end("closed by us");
  }

  #take(event: ControlEvent): void {
    switch (event.kind) {
      case "block":
        this.#takeBlock(event);
        return;
      case "sentinel":
        this.#takeSentinel(event);
        return;
      case "overflow":
        this.#end("a reply was larger than any screen");
        return;
      case "output":
      case "notice":
        this.#onEvent(event);
        return;
      default:
        assertNever(event);
    }
  }

  #takeBlock(block: Extract<ControlEvent, { kind: "block" }>): void {
    if (block.ours) {
      const [pending] = this.#pending;
      pending?.blocks.push({ ok: block.ok, lines: block.lines });
      pending?.onBlock?.(pending.blocks);
      return;
    }
    if (this.#state !== "attaching") return;
    if (block.ok) {
      this.#state = "open";
      this.#settleAttach({ kind: "attached" });
    } else {
      this.#end(block.lines.join(" "));
    }
  }

  #takeSentinel(sentinel: Extract<ControlEvent, { kind: "sentinel" }>): void {
    const index = this.#pending.findIndex((pending) => pending.id === sentinel.id);
    // Replies come in order: earlier requests have lost their sentinel to something that is not tmux.
    for (const pending of this.#pending.splice(0, index + 1)) {
      pending.cancelDeadline();
      const answered = pending.id === sentinel.id && sentinel.clean;
      pending.settle?.(
        answered
          ? { kind: "answered", blocks: pending.blocks }
          : { kind: "garbled", cause: "a screen imitates the end of a reply" },
      );
    }
  }

  #tellLate(pending: Pending, deadlineMs: number): void {
    pending.settle?.({ kind: "late", cause: `tmux did not answer within ${deadlineMs} ms` });
    pending.settle = undefined;
    this.#cancelWatch ??= this.#clock.after(CONTROL_LIMITS.silenceMs, () =>
      this.#end("tmux answers nothing"),
    );
  }

  #end(cause: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#cancelWatch?.();
    this.#settleAttach({ kind: "refused", cause });
    for (const pending of this.#pending.splice(0)) {
      pending.cancelDeadline();
      pending.settle?.({ kind: "lost", cause });
    }
    // When its input ends, the server detaches the client, unless the server hangs.
    this.#program.stdin.destroy();
    const cancelKill = this.#clock.after(CONTROL_LIMITS.leaveMs, () => this.#program.kill("SIGKILL"));
    void this.#exited.then(cancelKill);
    this.#settleEnd(cause);
  }
}
