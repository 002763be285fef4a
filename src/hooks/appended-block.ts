/**
 * A block of lines that Bellhop appends to another program's file and later removes, wherever it is by then. The text
 * before and after it keeps its bytes. Pure.
 */

/** If the last line has no line end, one is added before the block; this note says to remove it again. */
const ENDED_OPEN = "# The line above had no line end before Bellhop wrote below it.";
/** As earlier versions wrote it. */
const ENDED_OPEN_ONCE = '# The line above had no line end before "bellhop hooks install".';

/** `block` ends with a line end. */
export function withBlock(text: string, block: string): string {
  if (text === "") return block;
  const newline = newlineOf(text);
  return text.endsWith("\n")
    ? `${text}${newline}${block}`
    : `${text}${newline}${ENDED_OPEN}${newline}${block}`;
}

/** The inverse: the text around a removed block. */
export function withoutBlock(before: string, behind: string): string {
  const original = beforeBlock(before);
  const glued = original !== "" && !original.endsWith("\n") && behind !== "" && !/^\r?\n/.test(behind);
  return `${original}${glued ? newlineOf(before) : ""}${behind}`;
}

/** The line ending that the file uses. */
export function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** If the line above is neither blank nor our note, text was inserted or an older version wrote it: remove nothing. */
function beforeBlock(text: string): string {
  const notes = [ENDED_OPEN, ENDED_OPEN_ONCE].map(escaped).join("|");
  const open = new RegExp(`(?:\\r?\\n)(?:${notes})\\r?\\n$`).exec(text);
  if (open !== null) return text.slice(0, open.index);
  const blank = /(?<=\n)\r?\n$/.exec(text);
  return blank === null ? text : text.slice(0, blank.index);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
