import { cellsOf } from "./cell-width.ts";

/**
 * Rows of a composer → the text a person would recognise. A row that had no room for the next word was wrapped,
 * not ended; which of the two it was cannot be seen for certain, so the result is for showing and comparing only.
 */
export function joinWrappedRows(rows: readonly string[], width: number): string {
  let text = "";
  rows.forEach((row, at) => {
    if (at > 0) text += joint(rows[at - 1] ?? "", row, width);
    text += row;
  });
  return text;
}

function joint(above: string, below: string, width: number): "\n" | " " | "" {
  const word = /^\S+/u.exec(below)?.[0];
  if (word === undefined || above.trim() === "") return "\n";
  const room = width - (cellsOf(above) ?? above.length);
  if (room <= 0) return "";
  return room < 1 + (cellsOf(word) ?? word.length) ? " " : "\n";
}
