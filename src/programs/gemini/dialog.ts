import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { isBlank, rowAt, rowsBetween } from "../../screens/screen-rows.ts";
import { dialogIn, unknown } from "../screen-reading.ts";

const ASKS_IN_TITLE = /^✋\s+Action Required\b/u;
/** The choice that Enter would take. */
const POINTER = /^[│\s]*● \d+\. /u;
const EDGE = /^[╭╰├─╮╯┤\s]+$/u;
// At these, Escape leaves Gemini, does nothing (0.61.0: a file outside), or was never measured.
const UNTOUCHABLE =
  /\boutside your workspace\b|\bdo you trust\b|\btrust this folder\b|\bhow would you like to authenticate\b|\bget started\b|\bupdate available\b|\bselect theme\b|\brestart\b/iu;

/** A dialog points at a choice, and has no composer under it; if it asks for permission, the title says so too. */
export function findGeminiDialog(screen: Screen): Reading | undefined {
  const pointer = screen.lines.findLastIndex((row) => POINTER.test(row.text));
  const isAsked = ASKS_IN_TITLE.test(screen.title);
  if (pointer === -1)
    return isAsked ? unknown("it asks something that its screen does not show yet") : undefined;
  const rows = rowsBetween(screen, firstRow(screen, pointer), screen.rows - 1)
    .map(withoutSides)
    .filter((row) => !isBlank(row) && !EDGE.test(row.text));
  return dialogIn(rows, UNTOUCHABLE);
}

/** The upper edge of the outermost box around it, or the row behind the last blank one. */
function firstRow(screen: Screen, pointer: number): number {
  let first = pointer;
  for (let y = pointer; y >= 0; y -= 1) {
    const { text } = rowAt(screen, y);
    if (/^╭/u.test(text)) return y;
    if (text.trim() === "") return first;
    first = y;
  }
  return first;
}

function withoutSides(row: ScreenLine): ScreenLine {
  const text = row.text.replace(/^│\s?/u, "").replace(/\s*│$/u, "");
  return { ...row, text };
}
