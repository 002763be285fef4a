/** Shows a person what a change does to a file, before it is made. Pure. */
const CONTEXT = 3;
/** Beyond this, everything between the first and the last difference is shown as replaced. */
const MOST_COMPARISONS = 4_000_000;

type Row = { readonly sign: " " | "-" | "+"; readonly line: string };

export function diffText(
  path: string,
  before: string | undefined,
  after: string | undefined,
  { context } = { context: CONTEXT },
): string {
  const rows = compare(linesOf(before), linesOf(after));
  const hunks = hunksOf(rows, context);
  const name = (text: string | undefined) => (text === undefined ? "(no file)" : path);
  return [`--- ${name(before)}`, `+++ ${name(after)}`, ...hunks].join("\n");
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

function compare(a: readonly string[], b: readonly string[]): readonly Row[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const same = (line: string): Row => ({ sign: " ", line });
  return [
    ...a.slice(0, head).map(same),
    ...between(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

/** The textbook longest common subsequence. */
function between(a: readonly string[], b: readonly string[]): readonly Row[] {
  const removed = (line: string): Row => ({ sign: "-", line });
  const added = (line: string): Row => ({ sign: "+", line });
  if (a.length * b.length > MOST_COMPARISONS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push({ sign: " ", line: a[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      rows.push(removed(a[i++] ?? ""));
    else rows.push(added(b[j++] ?? ""));
  }
  return rows;
}

function hunksOf(rows: readonly Row[], context: number): readonly string[] {
  const shown = rows.map((_, at) =>
    rows.slice(Math.max(0, at - context), at + context + 1).some(({ sign }) => sign !== " "),
  );
  return rows.flatMap(({ sign, line }, at) => {
    if (!shown[at]) return [];
    const text = `${sign}${line}`;
    return at > 0 && !shown[at - 1] ? ["@@", text] : [text];
  });
}
