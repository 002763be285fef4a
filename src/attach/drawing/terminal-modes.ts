/** Terminal modes that decide what it sends, and the bytes that switch between sets of them. Pure. */

import { MOUSE_MODES, type Unlisted } from "../../screens/same-drawing.ts";

export interface TerminalModes extends Readonly<Pick<Unlisted, "mouseEncoding">> {
  readonly bracketedPaste: boolean;
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  readonly focus: boolean;
  readonly mouse: keyof typeof MOUSE_MODES;
}

export const PLAIN_MODES: TerminalModes = {
  bracketedPaste: false,
  applicationCursor: false,
  applicationKeypad: false,
  focus: false,
  mouse: "none",
  mouseEncoding: 0,
};

/** Modes for the bar, which only needs to know what was pasted. */
export const BAR_MODES: TerminalModes = { ...PLAIN_MODES, bracketedPaste: true };

export function switchModes(from: TerminalModes, to: TerminalModes): string {
  const flag = (before: boolean, after: boolean, on: string, off: string): string =>
    before === after ? "" : after ? on : off;
  const choice = (before: number, after: number): string =>
    before === after ? "" : (before === 0 ? "" : `\x1b[?${before}l`) + (after === 0 ? "" : `\x1b[?${after}h`);
  return [
    flag(from.bracketedPaste, to.bracketedPaste, "\x1b[?2004h", "\x1b[?2004l"),
    flag(from.applicationCursor, to.applicationCursor, "\x1b[?1h", "\x1b[?1l"),
    flag(from.applicationKeypad, to.applicationKeypad, "\x1b=", "\x1b>"),
    flag(from.focus, to.focus, "\x1b[?1004h", "\x1b[?1004l"),
    choice(MOUSE_MODES[from.mouse], MOUSE_MODES[to.mouse]),
    choice(from.mouseEncoding, to.mouseEncoding),
  ].join("");
}
