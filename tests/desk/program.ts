import type { Stroke } from "../../src/ports/terminal.ts";
import { ENTER_EXTENDED, ERASE_LINE, FOCUS_IN, STASH_EXTENDED } from "../../src/programs/strokes.ts";
import { cellsOf } from "../../src/screens/cell-width.ts";
import { TerminalDouble } from "../contract/terminal-double.ts";
import type { FakeClock } from "./clock.ts";

const MOST_ECHOED = 25;
export const COLUMNS = 500;

/** The texts on the screen that the desk's profiles look for. */
export const SIGNS = {
  prompt: "> ",
  more: "  ",
  busy: "working…",
  stashed: "(stashed)",
  asks: "Allow",
} as const;

/**
 * An agent program reduced to its keys and its screen: a composer `> `, above it an echo of everything that was
 * submitted, a line while it works, a dialog that covers all of it. It runs inside a terminal double.
 */
export class ScriptedProgram {
  readonly terminal: TerminalDouble;
  /** Every prompt that was submitted, in order. */
  readonly submitted: string[] = [];
  /** Keys and texts that a dialog swallowed. */
  readonly answers: string[] = [];
  readonly pressed: string[] = [];
  draft = "";
  stash: string | undefined;
  busy = false;
  dialog: string | undefined;
  composer: "shown" | "hidden" = "shown";
  /** What a submitted prompt does to the screen: `otherwise` leaves a trace, but not its text. */
  echoes: "yes" | "no" | "otherwise" = "yes";
  enterKey: "submits" | "is-swallowed" = "submits";
  /** So often, Enter is a new line first, as right after a paste into Gemini. */
  newLines = 0;
  eraseKey: "erases" | "is-swallowed" = "erases";
  /** `after-its-write`: text of the same write joins the draft before both are stashed, as before 2.1.300. */
  stashKey: "at-once" | "after-its-write" | "is-swallowed" = "at-once";
  /** Called when the stash key has taken effect, so that a person can press the next key before Bellhop does. */
  onStash: () => void = () => {};
  stashSign: "shown" | "unknown" = "shown";
  stashComesBack: "by-itself" | "when-popped" | "never" = "by-itself";
  interruptKey: "stops" | "does-nothing" = "stops";
  /** Called when the interrupt key has stopped its turn. */
  onInterrupted: () => void = () => {};
  dismissKey: "closes" | "does-nothing" = "closes";
  /** Called in the same step in which the keys arrive. */
  onSubmit: (prompt: string) => void = () => {};
  readonly #echo: string[] = [];
  readonly #history = ["a prompt of yesterday"];
  #back = 0;
  #stashLater = false;

  constructor(options: { readonly clock: FakeClock; readonly panePid: number; readonly pane: string }) {
    this.terminal = new TerminalDouble({ ...options, screen: { columns: COLUMNS } });
    this.terminal.onTyped = (strokes) => {
      for (const stroke of strokes) this.#take(stroke);
      if (this.#stashLater) this.#stash();
      this.#stashLater = false;
      this.draw();
    };
    this.draw();
  }

  /** A person at the keyboard. */
  types(text: string): void {
    this.terminal.personTyped();
    this.draft += text;
    this.draw();
  }

  erases(): void {
    this.terminal.personTyped();
    this.draft = "";
    this.draw();
  }

  sends(): void {
    this.terminal.personTyped();
    this.#submit();
    this.draw();
  }

  /** Changes what the program shows, as it would by itself. */
  becomes(change: Partial<Pick<ScriptedProgram, "busy" | "dialog" | "composer" | "draft">>): void {
    Object.assign(this, change);
    this.draw();
  }

  answersDialog(): void {
    this.dialog = undefined;
    this.draw();
  }

  prints(line: string): void {
    this.#echo.push(line);
    this.draw();
  }

  draw(): void {
    const above = [
      ...this.#echo.slice(-MOST_ECHOED),
      ...(this.busy ? [SIGNS.busy] : []),
      ...(this.stash === undefined || this.stashSign === "unknown" ? [] : [SIGNS.stashed]),
    ];
    if (this.dialog !== undefined) this.#show([...above, ...this.dialog.split("\n")], 0);
    else if (this.composer === "hidden") this.#show([...above, "…"], 0);
    else {
      const rows = this.draft.split("\n").map((row, at) => (at === 0 ? SIGNS.prompt : SIGNS.more) + row);
      const last = rows.at(-1) ?? "";
      this.#show([...above, ...rows], cellsOf(last) ?? last.length);
    }
  }

  #show(lines: readonly string[], x: number): void {
    const y = lines.length - 1;
    this.terminal.show({ lines: [...lines, "", ""], cursor: { x, y, visible: true } });
  }

  #take(stroke: Stroke): void {
    if (this.dialog !== undefined) this.#takeInDialog(stroke);
    else if (stroke.kind === "paste") this.draft += stroke.text.replaceAll("\u2028", "\n");
    else if (stroke.kind === "key") this.#press(stroke.name);
    else this.#takeBytes(Buffer.from(stroke.bytes).toString("latin1"));
  }

  #takeInDialog(stroke: Stroke): void {
    if (stroke.kind === "key" && stroke.name === "Escape") {
      this.pressed.push("Escape");
      if (this.dismissKey === "closes") this.dialog = undefined;
    } else if (stroke.kind === "paste") this.answers.push(stroke.text);
    else if (stroke.kind === "key") {
      this.answers.push(stroke.name);
      // A choice by its number.
      if (this.dialog?.split("\n").some((line) => /^(?:❯ )?(\d)\. /u.exec(line)?.[1] === stroke.name))
        this.dialog = undefined;
    }
  }

  #takeBytes(bytes: string): void {
    const keys: readonly (readonly [readonly number[], () => void])[] = [
      [ENTER_EXTENDED, () => this.#submit()],
      [STASH_EXTENDED, () => this.#pressStash()],
      [FOCUS_IN, () => {}],
      [ERASE_LINE, () => this.#press("C-u")],
    ];
    let rest = bytes;
    while (rest !== "") {
      const key = keys.find(([sequence]) => rest.startsWith(Buffer.from(sequence).toString("latin1")));
      if (key === undefined) throw new Error(`the program does not know ${JSON.stringify(rest)}`);
      key[1]();
      rest = rest.slice(key[0].length);
    }
  }

  #press(key: string): void {
    this.pressed.push(key);
    if (key === "Enter") this.#submit();
    else if (key === "C-u" && this.eraseKey === "erases") this.draft = "";
    else if (key === "C-c") this.#clearIntoHistory();
    else if (key === "Up") this.#recall();
    else if (key === "Escape" && this.busy && this.interruptKey === "stops") {
      this.busy = false;
      this.onInterrupted();
    }
  }

  #submit(): void {
    if (this.enterKey === "is-swallowed" || this.draft.trim() === "") return;
    if (this.newLines > 0) {
      this.newLines -= 1;
      this.draft += "\n";
      return;
    }
    const prompt = this.draft;
    this.submitted.push(prompt);
    this.#history.push(prompt);
    this.#back = 0;
    this.draft = this.stashComesBack === "by-itself" ? this.#popped() : "";
    if (this.echoes === "yes") this.#echo.push(...prompt.split("\n").map((line) => `you: ${line}`));
    if (this.echoes === "otherwise") this.#echo.push(`prompt ${this.submitted.length} taken`);
    this.onSubmit(prompt);
  }

  #popped(): string {
    const stash = this.stash ?? "";
    this.stash = undefined;
    return stash;
  }

  #pressStash(): void {
    if (this.stashKey === "is-swallowed") return;
    if (this.stashKey === "after-its-write") this.#stashLater = true;
    else this.#stash();
  }

  #stash(): void {
    if (this.draft === "") {
      if (this.stashComesBack !== "never") this.draft = this.#popped();
      return;
    }
    this.stash = this.draft;
    this.draft = "";
    this.onStash();
  }

  #clearIntoHistory(): void {
    if (this.draft === "") throw new Error("C-c over an empty composer ends this program");
    this.#history.push(this.draft);
    this.#back = 0;
    this.draft = "";
  }

  #recall(): void {
    this.#back += 1;
    this.draft = this.#history.at(-this.#back) ?? this.draft;
  }
}
