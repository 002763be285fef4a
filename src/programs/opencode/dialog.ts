import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { isBlank, rowAt, rowsBetween } from "../../screens/screen-rows.ts";
import { dialogIn } from "../screen-reading.ts";

/** Its buttons; also of the questions that follow, such as whether to allow something always. */
const BUTTONS = /\bAllow once\b.*\bReject\b|\bConfirm\b.*\bCancel\b|\benter (?:submit|confirm|select)\b/u;
const BAR = "┃";
// Never measured.
const UNTOUCHABLE = /\bconnect a provider\b|\bupdate available\b|\bselect model\b/iu;

/** A question of OpenCode hides the cursor, and stands behind a bar where the composer was. */
export function findOpencodeDialog(screen: Screen): Reading | undefined {
  if (screen.cursor.visible) return undefined;
  const buttons = screen.lines.findLastIndex((row) => row.text.includes(BAR) && BUTTONS.test(row.text));
  if (buttons === -1) return undefined;
  const bar = rowAt(screen, buttons).text.indexOf(BAR);
  let [first, last] = [buttons, buttons];
  while (rowAt(screen, first - 1).text.indexOf(BAR) === bar) first -= 1;
  while (rowAt(screen, last + 1).text.indexOf(BAR) === bar) last += 1;
  const rows = rowsBetween(screen, first, last)
    .map((row): ScreenLine => ({ ...row, text: row.text.slice(bar + 1) }))
    .filter((row) => !isBlank(row));
  return withChoice(dialogIn(rows, UNTOUCHABLE), rowAt(screen, buttons));
}

/** The chosen button differs from the others only by its ground: it is a part of what Enter would answer. */
function withChoice(reading: Reading, { runs }: ScreenLine): Reading {
  if (reading.kind !== "dialog") return reading;
  const inside = runs.slice(runs.findIndex((run) => run.text.includes(BAR)) + 1);
  const cellsOn = (ground: string) =>
    inside.reduce((sum, run) => sum + (run.background === ground ? run.text.length : 0), 0);
  const usual = inside
    .map((run) => run.background)
    .toSorted((one, other) => cellsOn(other) - cellsOn(one))[0];
  const chosen = inside.find((run) => run.text.trim() !== "" && run.background !== usual);
  return { ...reading, fingerprint: `${reading.fingerprint}\n● ${chosen?.text.trim() ?? ""}` };
}
