import { type Run, type ScreenLine, type Style, sameStyle } from "../../../core/readiness/screen.ts";
import { PLAIN_STYLE } from "../../../screens/ansi.ts";
import { applySgr } from "./sgr.ts";

/**
 * Captured lines (`capture-pane -e`) → lines of runs. Pure.
 * A colour lasts until it is changed, also across the end of a line, so the lines are read in order.
 */
export function parseScreenLines(captured: readonly string[]): readonly ScreenLine[] {
  let state: State = { style: PLAIN_STYLE, drawing: false };
  return captured.map((line) => {
    const parsed = parseLine(line, state);
    state = parsed.state;
    return parsed.line;
  });
}

interface State {
  readonly style: Style;
  /** Between shift-out and shift-in, letters stand for line-drawing characters. */
  readonly drawing: boolean;
}

// CSI …, OSC … up to its terminator (hyperlinks), shift-out and shift-in, any other escape of two characters.
const SEQUENCE = /\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|([\x0e\x0f])|\x1b[^[\]]/g;

/** What begins one of them. */
const CONTROL = /[\x0e\x0f\x1b]/;

function parseLine(captured: string, before: State): { readonly line: ScreenLine; readonly state: State } {
  // Most lines of most screens.
  if (!before.drawing && !CONTROL.test(captured)) {
    const runs = captured === "" ? [] : [{ text: captured, ...before.style }];
    return { line: { text: captured, runs }, state: before };
  }
  const runs: Run[] = [];
  let { style, drawing } = before;
  const append = (text: string) => {
    if (text === "") return;
    const shown = drawing ? text.replace(/[`-~]/g, (letter) => LINE_DRAWING.get(letter) ?? letter) : text;
    const last = runs.at(-1);
    if (last !== undefined && sameStyle(last, style))
      runs[runs.length - 1] = { ...last, text: last.text + shown };
    else runs.push({ text: shown, ...style });
  };
  let at = 0;
  for (const match of captured.matchAll(SEQUENCE)) {
    append(captured.slice(at, match.index));
    at = match.index + match[0].length;
    const [, parameters = "", final, shift] = match;
    if (final === "m") style = applySgr(style, parameters);
    if (shift !== undefined) drawing = shift === "\x0e";
  }
  append(captured.slice(at));
  return { line: { text: runs.map((run) => run.text).join(""), runs }, state: { style, drawing } };
}

/** The VT100 line-drawing set, as far as programs use it: each letter is drawn as the sign below it. */
const DRAWN_LETTERS = [..."`afgjklmnopqrstuvwxyz{|}~"];
const SIGNS = [..."◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"];
const LINE_DRAWING = new Map(DRAWN_LETTERS.map((letter, at) => [letter, SIGNS[at]]));
