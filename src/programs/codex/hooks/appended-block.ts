/**
 * A block of lines that Bellhop puts at the end of another program's file, and takes out again wherever it stands by
 * then: what was before it and what came behind it keep their bytes. Pure.
 */

/** A last line without a line end gets one, so that the block begins a line; this says that it must go again. */
const ENDED_OPEN = '# The line above had no line end before "bellhop hooks install".';

/** `block` ends with a line end. */
export function withBlock(text: string, block: string): string {
  if (text === "") return block;
  const newline = newlineOf(text);
  return text.endsWith("\n")
    ? `${text}${newline}${block}`
    : `${text}${newline}${ENDED_OPEN}${newline}${block}`;
}

/** The inverse: what is left of the text around a block. */
export function withoutBlock(before: string, behind: string): string {
  const original = beforeBlock(before);
  const glued = original !== "" && !original.endsWith("\n") && behind !== "" && !/^\r?\n/.test(behind);
  return `${original}${glued ? newlineOf(before) : ""}${behind}`;
}

/** As the file does it. */
export function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** If the line before is neither blank nor our note, an older version wrote the block, or text came in between: nothing is taken. */
function beforeBlock(text: string): string {
  const open = new RegExp(`(?:\\r?\\n)${escaped(ENDED_OPEN)}\\r?\\n$`).exec(text);
  if (open !== null) return text.slice(0, open.index);
  const blank = /(?<=\n)\r?\n$/.exec(text);
  return blank === null ? text : text.slice(0, blank.index);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
