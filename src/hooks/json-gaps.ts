/** What stands between the parts of a JSON text: blanks, a comma, and in some dialects comments. Pure. */
const COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;

/** Where the first comma is that is not in a comment. */
export function commaIn(gap: string): number | undefined {
  const before = new RegExp(`^(?:${COMMENT}|[^,/])*`).exec(gap)?.[0].length ?? 0;
  return gap[before] === "," ? before : undefined;
}

export function withoutComma(gap: string): string {
  const at = commaIn(gap);
  return at === undefined ? gap : gap.slice(0, at) + gap.slice(at + 1);
}

/** A comma and a comment that end the line; empty if something else follows on it. */
export function lineRest(text: string, offset: number): string {
  const rest = /[ \t]*,?[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/)?(?=[ \t]*\r?\n)/y;
  rest.lastIndex = offset;
  return rest.exec(text)?.[0] ?? "";
}
