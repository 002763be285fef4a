import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import type { ShownSign } from "../../core/readiness/shown-sign.ts";
import { cellsOf } from "../../screens/cell-width.ts";
import { isBlank, rowAt, rowsAbove } from "../../screens/screen-rows.ts";
import { hasSpinnerInTitle, signAmong, signInTitle } from "../work-sign.ts";
import type { ClaudeComposer } from "./composer.ts";

/** Signs around Claude's composer: work in progress, a stash, and states in which keys mean something else. */

/** Under the spinner there may be a tip, a list of tasks, queued prompts. */
const ROWS_OF_WORK = 14;
const SPINNER = /^[·✢✳✶✻✽✺∗*] (\S.*?…|Waiting for \d+ background agents?\b)/u;
const BACKGROUND = /^[·✢✳✶✻✽✺∗*] Waiting for \d+ background agents?\b/u;
const SAID = /^[●⏺❯]/u;
const INTERRUPTIBLE = /\besc to interrupt\b/iu;

/**
 * Busy signs, none of which always appears: the footer's hint (only under an empty box), the spinner's line, a spinner
 * in the title (2.1.197), and the mark, drawn grey while a turn runs (2.1.197 and 2.1.325, with a draft too).
 */
export function claudeBusy(
  composer: ClaudeComposer,
  screen: Screen,
): "busy" | "background" | "idle" | "unseen" {
  if (composer.footer.some((row) => INTERRUPTIBLE.test(row.text))) return "busy";
  if (hasSpinnerInTitle(screen)) return "busy";
  const spinners = rowsOfWork(composer, screen).filter((row) => SPINNER.test(row.text));
  if (spinners.some((row) => !BACKGROUND.test(row.text))) return "busy";
  const mark = composer.rows[0]?.runs[0]?.foreground ?? "";
  if (isGrey(mark)) return "busy";
  if (spinners.length > 0) return "background";
  // An uncoloured mark means something only if colours are used at all.
  const rule = rowAt(screen, composer.topRule).runs[0]?.foreground ?? "";
  return mark === "" && rule !== "" && composer.mark === "❯" ? "idle" : "unseen";
}

/** Undefined if only the mark shows it: tmux cannot search for colours. */
export function claudeWorkSign(composer: ClaudeComposer, screen: Screen): ShownSign | undefined {
  return (
    signAmong(screen, composer.footer, INTERRUPTIBLE) ??
    signAmong(screen, rowsOfWork(composer, screen), SPINNER) ??
    signInTitle(screen)
  );
}

/** The line about waiting for sub-agents stays in the conversation: once text follows it, the wait is over. */
function rowsOfWork(composer: ClaudeComposer, screen: Screen): readonly ScreenLine[] {
  const above = rowsAbove(screen, composer.topRule, ROWS_OF_WORK);
  const lastSaid = above.findLastIndex((row) => SAID.test(row.text));
  return above.filter((row, index) => index > lastSaid || !BACKGROUND.test(row.text));
}

/**
 * The position of the sign by release: in 2.1.150 alone in the row above the box; in 2.1.197 and 2.1.224 at the end of
 * the row below the box; since 2.1.260 at the end of the row above it.
 */
const STASH_SIGN = /› stashed\s*$|^\s*› Stashed \(auto-restores after submit\)/u;

/** A completion menu covers the sign's row: then there may be a stash, and overwriting it would lose it. */
export function claudeStash(composer: ClaudeComposer, screen: Screen): "shown" | "none" | "unsure" {
  const row = rowAt(screen, composer.topRule - 1);
  if ([row, ...composer.footer].some(({ text }) => STASH_SIGN.test(text))) return "shown";
  if (isBlank(row)) return "none";
  const text = row.text.trimEnd();
  return (cellsOf(text) ?? text.length) < screen.columns - 2 ? "unsure" : "none";
}

/** Why keys would not work as in a plain composer; undefined if they would. */
export function claudeObstacle(
  composer: ClaudeComposer,
  screen: Screen,
  editing: "plain" | "vim",
): string | undefined {
  const footer = composer.footer.map((row) => row.text).join("\n");
  const armed = /\bPress (?:Ctrl-[A-Z]|\S+) again to exit\b/u.exec(footer)?.[0];
  if (armed !== undefined) return `it says "${armed}"`;
  const mode = /-- ([A-Z][A-Z -]*?) --/u.exec(footer)?.[1];
  if (mode !== undefined && mode !== "INSERT") return `its editor is in ${mode} mode`;
  // Outside INSERT mode the footer shows nothing, and letters are commands: "[message from" arrives as "sage from".
  if (editing === "vim" && mode === undefined) return "its editor is not in INSERT mode";
  // The survey takes a digit at the end of the text as its answer.
  const above = rowsAbove(screen, composer.topRule, ROWS_OF_WORK);
  if (above.some((row) => /\bHow is Claude doing this session\?/u.test(row.text)))
    return "its survey waits for an answer";
  return undefined;
}

function isGrey(colour: string): boolean {
  if (colour === "90" || colour === "37") return true;
  const indexed = /^38;5;(\d+)$/u.exec(colour)?.[1];
  if (indexed !== undefined) return Number(indexed) >= 232 || ["7", "8"].includes(indexed);
  const mixed = /^38;2;(\d+);(\d+);(\d+)$/u.exec(colour);
  if (mixed === null) return false;
  const parts = mixed.slice(1).map(Number);
  return Math.max(...parts) - Math.min(...parts) <= 12;
}
