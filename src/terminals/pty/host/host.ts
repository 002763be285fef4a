/**
 * One program in one PTY, with its screen and its connected clients. It outlives the daemon and knows nothing of
 * messages, queues or agents. Composed by `main`; people and the daemon connect through `door`.
 */
import { writeSync } from "node:fs";
import { spawn } from "@lydell/node-pty";
import { BellhopError } from "../../../core/errors.ts";
import { KEYBOARD_TAKEN, type Screen } from "../../../core/readiness/screen.ts";
import type { Standing } from "../../../core/readiness/standing.ts";
import type { ProcessIdentity, StandingNow } from "../../../ports/processes.ts";
import type { GateExpectation, GateOutcome, Stroke } from "../../../ports/terminal.ts";
import type { Size } from "../../../screens/same-drawing.ts";
import type { HostExit, HostSpec, HostState } from "../../../wire/host/host.ts";
import { SIZE_LIMITS } from "../../../wire/host/size-limits.ts";
import { outcomeAfter, refusalOf } from "../../in-front.ts";
import { stopPace } from "../../stop-pace.ts";
import { gateRefusals } from "./gate.ts";
import { type LineOutcome, ProgramInput } from "./input.ts";
import { strokeBytes } from "./key-bytes.ts";
import { onLastOutput } from "./last-output.ts";
import { OutputPace } from "./output-pace.ts";
import { ProgramPipe } from "./pipe.ts";
import { ScreenModel } from "./screen-model.ts";

export interface Viewer {
  /** Undefined for viewers who only watch: their size does not count. */
  readonly size: Size | undefined;
  /** It looks through somebody else's connection, and is not at this terminal: it is not counted. */
  readonly isAfar?: boolean;
  output(bytes: Buffer): void;
  resized(size: Size): void;
  announced(text: string): void;
}

export interface HostOptions {
  readonly spec: HostSpec;
  readonly monotonic: () => number;
  readonly now: () => number;
  /** Whether the agent is in front in this terminal, which was opened with the program's process. */
  readonly standing: StandingNow;
  pause(ms: number): Promise<void>;
  onChange(): void;
  onState(state: HostState): void;
}

const SUBMIT_PAUSE_MS = 50;

export class Host {
  readonly #options: HostOptions;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #model: ScreenModel;
  readonly #pace: OutputPace;
  readonly #input: ProgramInput;
  readonly #viewers = new Map<number, Viewer>();
  #passthrough: number | null = null;
  #exit: HostExit | null = null;
  #numbers = 0;

  constructor(options: HostOptions) {
    const { spec } = options;
    const [file, ...args] = spec.command;
    if (file === undefined) {
      throw new BellhopError("usage.invalid", {
        message: "There is nothing to run.",
        next: "Name a program.",
      });
    }
    this.#options = options;
    this.#model = new ScreenModel(spec);
    this.#pty = spawn(file, args, {
      name: "xterm-256color",
      cols: spec.cols,
      rows: spec.rows,
      cwd: spec.folder,
      env: { ...spec.environment },
      encoding: null,
    });
    this.#pace = new OutputPace(this.#model, this.#pty);
    this.#input = new ProgramInput(
      new ProgramPipe({
        take: (bytes) => takenBy(this.#pty as unknown as { readonly fd: number }, bytes),
        after: (ms, call) => void setTimeout(call, ms),
      }),
      options.monotonic,
    );
    this.#pty.onData((data) => this.#drew(data as unknown as Buffer));
    onLastOutput(this.#pty, (bytes) => this.#drew(bytes));
    this.#pty.onExit(({ exitCode, signal }) => this.#ended(exitCode, signal));
    // Programs query their terminal. Viewers draw their own copy of the screen, and none of them answers.
    this.#model.onAnswer((text) => {
      if (this.#exit === null) this.#input.inject(Buffer.from(text, "utf8"));
    });
    this.#model.onTitle(() => this.#told());
  }

  get programPid(): number {
    return this.#pty.pid;
  }

  get state(): HostState {
    return {
      viewers: this.#here.length,
      passthrough: this.#passthrough,
      exit: this.#exit,
      title: this.#model.title,
    };
  }

  get #here(): readonly Viewer[] {
    return [...this.#viewers.values()].filter(({ isAfar }) => isAfar !== true);
  }

  get size(): Size {
    return this.#model.size;
  }

  async screen(): Promise<Screen> {
    await this.#model.drawn();
    return this.#shown();
  }

  /** Matches the last `screen` if called in the same turn. Undefined if the gate would refuse that screen anyway. */
  get quietForMs(): number | undefined {
    if (this.#pace.hasLeftOut) return undefined;
    // As a number that JSON has: nobody may ever have typed.
    return Math.min(this.#input.quietMs, Number.MAX_SAFE_INTEGER);
  }

  /** The final screen. Output that cannot be drawn in time is left out: the ending must be recorded. */
  async lastScreen(withinMs: number): Promise<Screen> {
    await Promise.race([this.#pace.drawn(), this.#options.pause(withinMs)]);
    return this.#shown();
  }

  #shown(): Screen {
    return this.#model.screen({
      command: this.#pty.process,
      dead: this.#exit !== null,
      mode: this.#passthrough === null ? "" : KEYBOARD_TAKEN,
    });
  }

  /** Matches the last `screen` if called in the same turn. */
  above(most: number): readonly string[] {
    return this.#model.above(most);
  }

  /** What a new viewer must be sent to see what the others see. */
  async redraw(): Promise<string> {
    await this.#model.drawn();
    return this.#model.redraw();
  }

  /**
   * Check and bytes in one turn: no person's byte can come between, and everything read so far is drawn. Whether the
   * agent is in front is checked in that turn, and again once the bytes are sent.
   */
  async gate(
    expectation: GateExpectation,
    strokes: readonly Stroke[],
    agent?: ProcessIdentity,
  ): Promise<GateOutcome> {
    if (!this.#model.isDrawn) await this.#model.drawn();
    const bytes = strokeBytes(strokes, this.#model.modes);
    if (this.#exit !== null) return { kind: "gone" };
    const suspended = refusalOf(this.#standing(agent));
    if (suspended !== undefined) return suspended;
    const because = gateRefusals(expectation, {
      dead: false,
      programPid: this.#pty.pid,
      command: expectation.command === undefined ? "" : this.#pty.process,
      alternate: this.#model.alternate,
      cursor: this.#model.cursor,
      quietMs: this.#input.quietMs,
      passthrough: this.#passthrough !== null,
      title: this.#model.title,
      rows: () => this.#shown().lines.map(({ text }) => text),
    });
    if (because.length > 0) return { kind: "refused", because };
    if (this.#input.isUnfinished) return { kind: "refused", because: ["typing"] };
    if (this.#pace.hasLeftOut) return { kind: "refused", because: ["unavailable"] };
    if (this.#input.inject(bytes) !== "said") return { kind: "refused", because: ["unavailable"] };
    return outcomeAfter({ kind: "sent" }, this.#standing(agent), strokes.length);
  }

  #standing(agent: ProcessIdentity | undefined): Standing {
    return agent === undefined ? "in-front" : this.#options.standing(agent, this.#pty.pid);
  }

  announce(text: string): number | "nobody-left" {
    if (this.#exit !== null) return "nobody-left";
    for (const viewer of this.#here) viewer.announced(text);
    return this.#here.length;
  }

  attach(viewer: Viewer): number {
    this.#numbers += 1;
    this.#viewers.set(this.#numbers, viewer);
    this.fit();
    this.#told();
    return this.#numbers;
  }

  detach(number: number): void {
    if (!this.#viewers.delete(number)) return;
    if (this.#passthrough === number) this.#passthrough = null;
    this.fit();
    this.#told();
  }

  /** Everyone sees the whole screen, so the smallest window decides its size. */
  fit(): void {
    const sizes = [...this.#viewers.values()].flatMap(({ size }) => size ?? []);
    if (sizes.length === 0 || this.#exit !== null) return;
    const cols = bounded(Math.min(...sizes.map((size) => size.cols)), SIZE_LIMITS.cols);
    const rows = bounded(Math.min(...sizes.map((size) => size.rows)), SIZE_LIMITS.rows);
    const now = this.#model.size;
    if (now.cols === cols && now.rows === rows) return;
    if (this.#resizePty(cols, rows) === "closed") return;
    this.#model.resize({ cols, rows });
    for (const viewer of this.#viewers.values()) viewer.resized({ cols, rows });
    this.#options.onChange();
  }

  /** A program may close its terminal and keep running. */
  #resizePty(cols: number, rows: number): "resized" | "closed" {
    try {
      this.#pty.resize(cols, rows);
      return "resized";
    } catch {
      return "closed";
    }
  }

  /** From a person's keyboard. While one person has it to themselves, the others only watch. */
  type(number: number, bytes: Buffer): LineOutcome {
    return this.#mayType(number) ? this.#input.human(bytes) : "refused";
  }

  async submit(number: number, text: string): Promise<LineOutcome> {
    if (!this.#mayType(number)) return "refused";
    // Several lines are sent as one paste to a program that supports it; otherwise each would be submitted.
    const lines =
      text.includes("\n") && this.#model.modes.bracketedPaste ? `\x1b[200~${text}\x1b[201~` : text;
    return this.#input.submit(lines, () => this.#options.pause(SUBMIT_PAUSE_MS));
  }

  #mayType(number: number): boolean {
    return this.#exit === null && (this.#passthrough === null || this.#passthrough === number);
  }

  /** One owner at a time. */
  takeKeyboard(number: number): "taken" | "somebody-elses" {
    if (this.#passthrough !== null && this.#passthrough !== number) return "somebody-elses";
    this.#passthrough = number;
    this.#told();
    return "taken";
  }

  giveKeyboardBack(number: number): void {
    if (this.#passthrough !== number) return;
    this.#passthrough = null;
    this.#told();
  }

  async stop(graceMs: number): Promise<void> {
    const { hangUpMs, killMs } = stopPace(graceMs);
    this.#pace.hurry();
    if (this.#exit === null) this.#signal("SIGTERM");
    await this.#options.pause(hangUpMs);
    if (this.#exit === null) this.#signal("SIGHUP");
    await this.#options.pause(killMs);
    if (this.#exit === null) this.#signal("SIGKILL");
  }

  dispose(): void {
    this.#model.dispose();
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      // Signal the whole group: a program's children must not outlive it unnoticed.
      process.kill(-this.#pty.pid, signal);
    } catch {
      this.#pty.kill(signal);
    }
  }

  #drew(bytes: Buffer): void {
    this.#input.answered();
    this.#pace.take(bytes);
    for (const viewer of this.#viewers.values()) viewer.output(bytes);
    this.#options.onChange();
  }

  #ended(code: number, signal: number | undefined): void {
    const at = this.#options.now();
    this.#exit = signal ? { code: null, signal, at } : { code, signal: null, at };
    this.#passthrough = null;
    this.#told();
    this.#options.onChange();
  }

  #told(): void {
    this.#options.onState(this.state);
  }
}

/**
 * Bypasses the PTY's own stream, which blocks until everything is written: a program that waits for us to read its
 * output would then wait for ever.
 */
function takenBy({ fd }: { readonly fd: number }, bytes: Buffer): number | "full" | "closed" {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? "full" : "closed";
  }
}

function bounded(value: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(value)));
}
