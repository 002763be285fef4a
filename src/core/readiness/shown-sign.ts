/**
 * What on a screen justifies a key, in a form that a terminal can look for again in the very step in which the key goes
 * in: between the look and the press a turn may end, or a person answer the dialog.
 */
import type { Screen } from "./screen.ts";

export type ShownSign =
  /** This text stands in row `y`, and in none above it: tmux tells the first row only. */
  | { readonly in: "row"; readonly y: number; readonly text: string }
  /** The terminal's title is this. */
  | { readonly in: "title"; readonly text: string };

/** More says no more, and a command of tmux has its limit. */
export const LONGEST_SIGN = 120;

/** The text itself, or else its whole row; undefined where both stand higher up too, and a look could not tell. */
export function signInRow({ lines }: Pick<Screen, "lines">, y: number, text: string): ShownSign | undefined {
  const rows = lines.map((line) => line.text);
  const candidates = [text, rows[y] ?? ""].map((one) => [...one.trim()].slice(0, LONGEST_SIGN).join(""));
  const first = candidates.find((one) => one !== "" && rowOf(one, rows) === y);
  return first === undefined ? undefined : { in: "row", y, text: first };
}

export function isStillShown(
  sign: ShownSign,
  shown: { readonly title: string; readonly rows: readonly string[] },
): boolean {
  return sign.in === "title" ? shown.title === sign.text : rowOf(sign.text, shown.rows) === sign.y;
}

function rowOf(text: string, rows: readonly string[]): number {
  return rows.findIndex((row) => row.includes(text));
}
