/** The host's screen and an attached person's copy draw the same bytes: the settings that both must share. */
import type { IParser, Terminal } from "@xterm/headless";
import { boundCounts } from "./bounded-counts.ts";
import { CHARACTER_WIDTHS } from "./character-width.ts";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** What a program has set but the model does not report. */
export interface Unlisted {
  /** The number of its mode, or 0 for the original encoding. */
  mouseEncoding: number;
  /** DECSCUSR value; 0 is the terminal's default. */
  cursorShape: number;
  cursorVisible: boolean;
}

const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];

/** Modes in which the mouse is reported. */
export const MOUSE_MODES = { none: 0, x10: 9, vt200: 1000, drag: 1002, any: 1003 } as const;

export function drawAlike(terminal: Terminal): Readonly<Unlisted> {
  // The model's own width table dates from 2010 and gives an emoji one column; programs and terminals give it two.
  terminal.unicode.register(CHARACTER_WIDTHS);
  terminal.unicode.activeVersion = CHARACTER_WIDTHS.version;
  boundCounts(terminal);
  return watchUnlisted(terminal.parser);
}

/** Each handler only observes: `false` lets the model's own handler run next. */
function watchUnlisted(parser: IParser): Readonly<Unlisted> {
  const plain: Unlisted = { mouseEncoding: 0, cursorShape: 0, cursorVisible: true };
  const unlisted = { ...plain };
  const set = (changed: Partial<Unlisted>): false => {
    Object.assign(unlisted, changed);
    return false;
  };
  const mode = (on: boolean) => (parameters: readonly (number | number[])[]) => {
    for (const parameter of parameters) {
      if (parameter === 25) set({ cursorVisible: on });
      if (typeof parameter !== "number" || !MOUSE_ENCODINGS.includes(parameter)) continue;
      if (on) set({ mouseEncoding: parameter });
      else if (unlisted.mouseEncoding === parameter) set({ mouseEncoding: 0 });
    }
    return false;
  };
  parser.registerCsiHandler({ prefix: "?", final: "h" }, mode(true));
  parser.registerCsiHandler({ prefix: "?", final: "l" }, mode(false));
  parser.registerCsiHandler({ intermediates: " ", final: "q" }, ([shape]) =>
    set({ cursorShape: typeof shape === "number" && shape <= 6 ? shape : 0 }),
  );
  parser.registerCsiHandler({ intermediates: "!", final: "p" }, () => set({ cursorVisible: true }));
  parser.registerEscHandler({ final: "c" }, () => set(plain));
  return unlisted;
}
