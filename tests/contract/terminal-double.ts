import { BellhopError } from "../../src/core/errors.ts";
import { KEYBOARD_TAKEN, type Screen, type ScreenLine } from "../../src/core/readiness/screen.ts";
import { isStillShown } from "../../src/core/readiness/shown-sign.ts";
import { isSuspended, type Standing } from "../../src/core/readiness/standing.ts";
import { isKeyName } from "../../src/core/text/key-names.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { KeyboardOutcome, TypedOutcome, View, ViewEar } from "../../src/ports/screen-view.ts";
import type {
  AnnounceOutcome,
  GateExpectation,
  GateOutcome,
  GateRefusal,
  ScreenOutcome,
  Stroke,
  Terminal,
  TerminalRef,
} from "../../src/ports/terminal.ts";

export interface TerminalDoubleOptions {
  readonly clock: Pick<Clock, "now">;
  readonly panePid?: number;
  readonly pane?: string;
  readonly screen?: Partial<Screen>;
  /** The program asked for bracketed paste. */
  readonly bracketedPaste?: boolean;
}

export interface GateCall {
  readonly expectation: GateExpectation;
  readonly strokes: readonly Stroke[];
  readonly outcome: GateOutcome;
}

/** A terminal in memory: a screen that the test sets, and a record of everything that was typed. */
export class TerminalDouble implements Terminal {
  readonly ref: TerminalRef;
  readonly panePid: number;
  /** What people were shown outside the screen. */
  readonly announcements: string[] = [];
  /** How many people look at it. */
  people = 1;
  /** Its program's standing, as the system would report it; the gate checks it. */
  standing: () => Standing = () => "in-front";
  readonly gateCalls: GateCall[] = [];
  /** Those who look at it, open or closed; the test draws for them. */
  readonly views: ViewDouble[] = [];
  /** Called before a gate looks: what happens between a look and a press. */
  beforeGate: () => void = () => {};
  /** Called after strokes were typed: a scripted program may change its screen. */
  onTyped: (strokes: readonly Stroke[]) => void = () => {};
  readonly #clock: Pick<Clock, "now">;
  readonly #bracketedPaste: boolean;
  readonly #listeners = new Set<() => void>();
  readonly #scripted: GateOutcome[] = [];
  #announced: AnnounceOutcome | Error | undefined;
  #screen: Screen;
  #outcome: ScreenOutcome | undefined;
  #personTypedAt = Number.NEGATIVE_INFINITY;
  #received = Buffer.alloc(0);

  constructor(options: TerminalDoubleOptions) {
    this.ref = { kind: "tmux", server: "/double", pane: options.pane ?? "%0" };
    this.panePid = options.panePid ?? 4_000;
    this.#clock = options.clock;
    this.#bracketedPaste = options.bracketedPaste ?? false;
    this.#screen = { ...BLANK, ...options.screen };
  }

  /** Every typed byte, as a program would have read it. */
  get received(): Buffer {
    return this.#received;
  }

  get screen(): Screen {
    return this.#screen;
  }

  /** Changes the screen and tells the listeners. Text lines are enough if colours do not matter. */
  show(change: Partial<Omit<Screen, "lines">> & { readonly lines?: readonly (string | ScreenLine)[] }): void {
    const { lines, ...rest } = change;
    this.#screen = {
      ...this.#screen,
      ...rest,
      ...(lines === undefined ? {} : { lines: lines.map(plainLine) }),
    };
    this.change();
  }

  change(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** What `read` answers instead of the screen; undefined for the screen again. */
  answerRead(outcome: ScreenOutcome | undefined): void {
    this.#outcome = outcome;
  }

  /** What the next gates answer instead of checking. With `sent` the strokes are typed. */
  answerGate(...outcomes: readonly GateOutcome[]): void {
    this.#scripted.push(...outcomes);
  }

  /** What `announce` answers or throws instead of showing the line; undefined to show it again. */
  answerAnnounce(outcome: AnnounceOutcome | Error | undefined): void {
    this.#announced = outcome;
  }

  /** A person presses a key now; the program reads these bytes. It does not show by itself. */
  personTyped(bytes = ""): void {
    this.#personTypedAt = this.#clock.now();
    this.#received = Buffer.concat([this.#received, Buffer.from(bytes)]);
  }

  end(): void {
    this.#outcome = { kind: "gone" };
    this.change();
  }

  /** While a gate's answer is scripted, a look does not tell whether someone types: so the gate is asked for it. */
  async read(): Promise<ScreenOutcome> {
    if (this.#outcome !== undefined) return this.#outcome;
    const quietForMs = this.#clock.now() - this.#personTypedAt;
    return { kind: "screen", screen: this.#screen, ...(this.#scripted.length > 0 ? {} : { quietForMs }) };
  }

  async gate(expectation: GateExpectation, strokes: readonly Stroke[]): Promise<GateOutcome> {
    const bytes = Buffer.concat(strokes.map((stroke) => this.#bytesOf(stroke)));
    this.beforeGate();
    const outcome = this.#scripted.shift() ?? this.#look(expectation);
    this.gateCalls.push({ expectation, strokes, outcome });
    if (outcome.kind === "sent") {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.onTyped(strokes);
    }
    return outcome;
  }

  onChange(listener: () => void): () => void {
    const entry = () => listener();
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  async announce(text: string): Promise<AnnounceOutcome> {
    if (this.#announced instanceof Error) throw this.#announced;
    if (this.#announced !== undefined) return this.#announced;
    if (this.#outcome?.kind === "gone") return { kind: "gone" };
    if (this.people > 0) this.announcements.push(text);
    return { kind: "shown", to: this.people };
  }

  async view(ear: ViewEar): Promise<View> {
    if (this.#outcome?.kind === "gone") {
      throw new BellhopError("terminal.gone", { message: "It is gone.", next: "See who runs." });
    }
    const view = new ViewDouble(this, ear);
    this.views.push(view);
    return view;
  }

  #look(expectation: GateExpectation): GateOutcome {
    if (this.#outcome?.kind === "gone") return { kind: "gone" };
    if (isSuspended(this.standing())) return { kind: "refused", because: ["suspended"] };
    const screen = this.#screen;
    const { command, alternate, cursorHidden, cursor, sign, quietForMs } = expectation;
    const rows = screen.lines.map(({ text }) => text);
    const reasons: [GateRefusal, boolean][] = [
      ["dead", screen.dead],
      ["mode", screen.mode !== "" && screen.mode !== KEYBOARD_TAKEN],
      ["attached", screen.mode === KEYBOARD_TAKEN && expectation.keyboard !== "may-be-taken"],
      ["synchronised", screen.synchronised],
      ["input-off", screen.inputOff],
      ["other-process", expectation.panePid !== this.panePid],
      ["other-command", command !== undefined && command !== screen.command],
      [
        "screen-kind",
        (alternate !== undefined && alternate !== screen.alternate) ||
          (cursorHidden !== undefined && cursorHidden === screen.cursor.visible),
      ],
      [
        "cursor-moved",
        cursor !== undefined && (cursor.x !== screen.cursor.x || cursor.y !== screen.cursor.y),
      ],
      ["sign-gone", sign !== undefined && !isStillShown(sign, { title: screen.title, rows })],
      ["typing", quietForMs !== undefined && this.#clock.now() - this.#personTypedAt < quietForMs],
    ];
    const because = reasons.filter(([, holds]) => holds).map(([reason]) => reason);
    return because.length === 0 ? { kind: "sent" } : { kind: "refused", because };
  }

  #bytesOf(stroke: Stroke): Buffer {
    switch (stroke.kind) {
      case "paste":
        return Buffer.from(
          stroke.bracketed && this.#bracketedPaste ? `\x1b[200~${stroke.text}\x1b[201~` : stroke.text,
        );
      case "bytes":
        return Buffer.from(stroke.bytes);
      case "key":
        return Buffer.from(keyBytes(stroke.name));
    }
  }
}

/** One viewer of a terminal in memory. */
export class ViewDouble implements View {
  readonly ear: ViewEar;
  /** What was asked of it. */
  readonly asked: string[] = [];
  /** What the next keys, or the next wish for the keyboard, get instead. */
  answers: { keyboard?: KeyboardOutcome; keys?: TypedOutcome } = {};
  readonly #terminal: TerminalDouble;

  constructor(terminal: TerminalDouble, ear: ViewEar) {
    this.#terminal = terminal;
    this.ear = ear;
  }

  draws(data: string): void {
    this.ear.drew({ cols: 80, rows: 24, data, title: "" });
  }

  rest(): void {
    this.asked.push("rest");
  }

  again(): void {
    this.asked.push("again");
  }

  async takeKeyboard(): Promise<KeyboardOutcome> {
    const outcome = this.answers.keyboard ?? { kind: "taken" };
    if (outcome.kind === "taken") this.#terminal.show({ mode: KEYBOARD_TAKEN });
    return outcome;
  }

  giveKeyboardBack(): void {
    this.asked.push("give-back");
    this.#terminal.show({ mode: "" });
  }

  async type(text: string): Promise<TypedOutcome> {
    const outcome = this.answers.keys ?? { kind: "typed" };
    if (outcome.kind === "typed") this.#terminal.personTyped(text);
    return outcome;
  }

  close(): void {
    this.asked.push("close");
  }
}

const BLANK: Screen = {
  columns: 120,
  rows: 40,
  cursor: { x: 0, y: 0, visible: true },
  alternate: false,
  title: "",
  command: "program",
  mode: "",
  dead: false,
  inputOff: false,
  synchronised: false,
  lines: Array.from({ length: 40 }, () => plainLine("")),
};

function plainLine(line: string | ScreenLine): ScreenLine {
  if (typeof line !== "string") return line;
  const style = { dim: false, inverse: false, bold: false, italic: false, foreground: "", background: "" };
  return { text: line, runs: line === "" ? [] : [{ text: line, ...style }] };
}

const KEYS: Readonly<Record<string, string>> = {
  Enter: "\r",
  Escape: "\x1b",
  Tab: "\t",
  Space: " ",
  BSpace: "\x7f",
  Up: "\x1b[A",
  Down: "\x1b[B",
  Right: "\x1b[C",
  Left: "\x1b[D",
};

function keyBytes(name: string): string {
  if (!isKeyName(name)) {
    throw new BellhopError("usage.invalid", {
      message: `"${name}" is not the name of a key.`,
      next: "Use Enter, C-u, …",
    });
  }
  const control = /^C-([a-z])$/.exec(name)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 96);
  return KEYS[name] ?? name;
}
