import type { Screen, ScreenLine } from "../core/readiness/screen.ts";
import { type ShownSign, signInRow } from "../core/readiness/shown-sign.ts";

/** The first of these rows that matches, in a form that the terminal can search for again. */
export function signAmong(
  screen: Screen,
  rows: readonly ScreenLine[],
  pattern: RegExp,
): ShownSign | undefined {
  for (const row of rows) {
    const match = pattern.exec(row.text);
    const sign =
      match === null ? undefined : signInRow(screen, screen.lines.indexOf(row), match[1] ?? match[0]);
    if (sign !== undefined) return sign;
  }
  return undefined;
}

const SPINNER_IN_TITLE = /^[\u2801-\u28ff] /u;

export function hasSpinnerInTitle({ title }: Screen): boolean {
  return SPINNER_IN_TITLE.test(title);
}

/** The title's spinner rotates: it may have changed by the next look, but another look follows. */
export function signInTitle(screen: Screen): ShownSign | undefined {
  return hasSpinnerInTitle(screen) ? { in: "title", text: screen.title } : undefined;
}
