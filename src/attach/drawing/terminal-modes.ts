/** Modes of a terminal that decide what it sends, and what turns one set of them into another. Pure. */

export type MouseTracking = "none" | "x10" | "vt200" | "drag" | "any";
export type MouseEncoding = "standard" | "utf8" | "sgr" | "urxvt" | "sgr-pixels";

export interface TerminalModes {
  readonly bracketedPaste: boolean;
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  readonly focus: boolean;
  readonly mouse: MouseTracking;
  readonly mouseEncoding: MouseEncoding;
}

export const PLAIN_MODES: TerminalModes = {
  bracketedPaste: false,
  applicationCursor: false,
  applicationKeypad: false,
  focus: false,
  mouse: "none",
  mouseEncoding: "standard",
};

/** Of the bar: it wants to know what was pasted, and nothing else. */
export const BAR_MODES: TerminalModes = { ...PLAIN_MODES, bracketedPaste: true };

const MOUSE: Readonly<Record<Exclude<MouseTracking, "none">, number>> = {
  x10: 9,
  vt200: 1000,
  drag: 1002,
  any: 1003,
};
const ENCODING: Readonly<Record<Exclude<MouseEncoding, "standard">, number>> = {
  utf8: 1005,
  sgr: 1006,
  urxvt: 1015,
  "sgr-pixels": 1016,
};

export function switchModes(from: TerminalModes, to: TerminalModes): string {
  let out = "";
  const flag = (before: boolean, after: boolean, on: string, off: string): void => {
    if (before !== after) out += after ? on : off;
  };
  flag(from.bracketedPaste, to.bracketedPaste, "\x1b[?2004h", "\x1b[?2004l");
  flag(from.applicationCursor, to.applicationCursor, "\x1b[?1h", "\x1b[?1l");
  flag(from.applicationKeypad, to.applicationKeypad, "\x1b=", "\x1b>");
  flag(from.focus, to.focus, "\x1b[?1004h", "\x1b[?1004l");
  if (from.mouse !== to.mouse) {
    if (from.mouse !== "none") out += `\x1b[?${MOUSE[from.mouse]}l`;
    if (to.mouse !== "none") out += `\x1b[?${MOUSE[to.mouse]}h`;
  }
  if (from.mouseEncoding !== to.mouseEncoding) {
    if (from.mouseEncoding !== "standard") out += `\x1b[?${ENCODING[from.mouseEncoding]}l`;
    if (to.mouseEncoding !== "standard") out += `\x1b[?${ENCODING[to.mouseEncoding]}h`;
  }
  return out;
}
