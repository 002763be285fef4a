/**
 * What on a screen justifies a key, in a form that a terminal can look for again in the same step as the key: between
 * the reading and the key, a turn may end or a person may answer the dialog.
 */
import type { Screen } from "./screen.ts";

export type ShownSign =
  /** This text is in row `y` and in no row above it: tmux reports only the first row. */
  | { readonly in: "row"; readonly y: number; readonly text: string }
  /** The terminal's title is this. */
  | { readonly in: "title"; readonly text: string };

/** More characters add nothing, and a tmux command has a length limit. */
export const LONGEST_SIGN = 120;

/** The text itself, else its whole row; undefined if both also occur higher up, so that a search would be ambiguous. */
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
