/** A terminal's screen as data for a profile, with the colours that tell a ghost text from a draft. */

export interface Run {
  readonly text: string;
  readonly dim: boolean;
  readonly inverse: boolean;
  readonly bold: boolean;
  readonly italic: boolean;
  /** SGR colour as written: "", "31", "38;5;244", "38;2;1;2;3". */
  readonly foreground: string;
  readonly background: string;
}

/** The colours and attributes of a piece of text. */
export type Style = Omit<Run, "text">;

export function sameStyle(a: Style, b: Style): boolean {
  return (
    a.dim === b.dim &&
    a.inverse === b.inverse &&
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.foreground === b.foreground &&
    a.background === b.background
  );
}

export interface ScreenLine {
  readonly text: string;
  readonly runs: readonly Run[];
}

/** The mode of a hosted terminal while a person has taken the program's keyboard. */
export const KEYBOARD_TAKEN = "attached";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean };
  readonly alternate: boolean;
  readonly title: string;
  /** The terminal's own name for the program in front. */
  readonly command: string;
  /** Copy mode or another mode that takes keys; empty if keys reach the program. */
  readonly mode: string;
  readonly dead: boolean;
  readonly inputOff: boolean;
  readonly synchronised: boolean;
  readonly lines: readonly ScreenLine[];
}
