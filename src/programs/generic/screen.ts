import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import { type ShownSign, signInRow } from "../../core/readiness/shown-sign.ts";
import { cellsOf, paddedToCell } from "../../screens/cell-width.ts";
import { isBlank, isGhost, rowAt, runsAfter } from "../../screens/screen-rows.ts";
import { unknown } from "../screen-reading.ts";
import type { ScreenPattern } from "./screen-pattern.ts";

export interface GenericSigns {
  /** One of these two is there. */
  readonly prompt: ScreenPattern | undefined;
  readonly above: ScreenPattern | undefined;
  readonly placeholder: string | undefined;
  readonly busy: ScreenPattern | undefined;
  readonly dialog: ScreenPattern | undefined;
}

const PROMPT_BLANKS = 2;

/** Reads only the cursor's row: what a taught program draws elsewhere is unknown. */
export function readGenericScreen(screen: Screen, signs: GenericSigns): Reading {
  if (screen.dead) return unknown("its program has ended");
  const dialog = signs.dialog && screen.lines.find((row) => signs.dialog?.matchEnd(row.text) !== undefined);
  if (dialog !== undefined) {
    const shown = screen.lines.map((row) => row.text.trimEnd()).filter((text) => text !== "");
    return { kind: "dialog", title: dialog.text.trim(), fingerprint: shown.join("\n") };
  }
  const composer = readCursorRow(screen, signs);
  const busy = screen.lines.some((row) => signs.busy?.matchEnd(row.text) !== undefined);
  if (typeof composer === "string")
    return { ...unknown(composer), ...(busy ? { busy: "busy" as const } : {}) };
  return {
    kind: "composer",
    draft: composer,
    busy: busy ? "busy" : signs.busy === undefined ? "unseen" : "idle",
    stash: "none",
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}

export function genericWorkSign(screen: Screen, { busy }: GenericSigns): ShownSign | undefined {
  const y = screen.lines.findIndex((row) => busy?.matchEnd(row.text) !== undefined);
  return y === -1 ? undefined : signInRow(screen, y, busy?.matched(screen.lines[y]?.text ?? "") ?? "");
}

type Draft = Extract<Reading, { kind: "composer" }>["draft"];

function readCursorRow(screen: Screen, { prompt, above, placeholder }: GenericSigns): Draft | string {
  const { x, y } = screen.cursor;
  const row = rowAt(screen, y);
  const text = paddedToCell(row.text, x);
  if (above !== undefined && (y === 0 || above.matchEnd(rowAt(screen, y - 1).text) === undefined))
    return "the line above the cursor's is not that of its composer";
  if (isFullAbove(screen, y)) return "the row above runs into the cursor's line";
  const end = prompt === undefined ? 0 : promptEnd(text, prompt);
  if (end === undefined) return "the prompt is not on the cursor's line";
  const start = cellsOf(text.slice(0, end));
  if (start === undefined || x < start) return "the cursor stands before the end of the prompt";
  const behind = text.slice(end);
  const isUnwritten = behind.trim() === "" || behind.trim() === placeholder || isGhost([runsAfter(row, end)]);
  if (x === start && isUnwritten) {
    // A text whose first line is empty, with the caret there, would look the same.
    return isOpenBelow(screen, y) ? "more is written under the prompt" : { kind: "empty" };
  }
  const cells = cellsOf(text);
  const atEnd = cells === x && behind.trim() !== "";
  const unwrapped = cells !== undefined && cells < screen.columns - 1 && !isOpenBelow(screen, y);
  const bright = runsAfter(row, end).every((run) => !run.dim);
  return { kind: "text", text: behind, exact: atEnd && unwrapped && bright, lines: 1 };
}

/** A pattern that ends in " +" would count a person's blanks, or those of an empty row, as part of the prompt. */
function promptEnd(text: string, prompt: ScreenPattern): number | undefined {
  const end = prompt.matchEnd(text);
  return end === undefined ? undefined : Math.min(end, text.slice(0, end).trimEnd().length + PROMPT_BLANKS);
}

/** Text that fills the row above may have wrapped: then what looks like the prompt here is part of that text. */
function isFullAbove(screen: Screen, y: number): boolean {
  if (y === 0) return false;
  const above = rowAt(screen, y - 1).text;
  const cells = cellsOf(above.trimEnd());
  return (cells === undefined || cells >= screen.columns - 1) && !/^[\s╭╮┌┐─━═▀▁▔_=-]+$/u.test(above);
}

/** False for a blank row, the screen's end or a horizontal border; anything else may be the rest of the text. */
function isOpenBelow(screen: Screen, y: number): boolean {
  if (y + 1 >= screen.rows) return false;
  const below = rowAt(screen, y + 1);
  return !isBlank(below) && !/^[\s╰╯└┘─━═▀▁▔_=-]+$/u.test(below.text);
}
