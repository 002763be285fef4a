/** `bench/history.md`: a table for each row over time. The file is the only record: it is read, added to, rendered. */
import { figure, goalText, type Run, times, titleOf, verdict } from "./report.ts";

/** Older ones are in the history of the file itself. */
const MOST_ENTRIES = 12;
const HEAD = `# Bench history

Every row of \`npm run bench\` over time, newest first, at most ${MOST_ENTRIES} of each. Written by
\`npm run bench -- --record\`; what a figure means is in [README.md](README.md). A commit with \`+\` had changes that were
not committed. The load is that before and after the run: above the number of cores, figures say little.
`;
const COLUMNS = ["date", "commit", "figure", "goal", "verdict", "ours", "the peer's", "run"] as const;

/** The cells of one line, in the order of the columns. */
export type Entry = readonly string[];

export interface RowHistory {
  readonly group: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Moment {
  readonly date: string;
  readonly commit: string;
}

export function parseHistory(text: string): readonly RowHistory[] {
  const rows: { group: string; title: string; entries: Entry[] }[] = [];
  let group = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) group = line.slice(3);
    else if (line.startsWith("### ")) rows.push({ group, title: line.slice(4), entries: [] });
    else if (/^\| \d/.test(line)) rows.at(-1)?.entries.push(cellsOf(line));
  }
  return rows;
}

export function renderHistory(rows: readonly RowHistory[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const sections = groups.flatMap((group) => [
    `## ${group}\n`,
    ...rows
      .filter((row) => row.group === group)
      .map(({ title, entries }) => `### ${title}\n\n${tableOf(COLUMNS, entries).join("\n")}\n`),
  ]);
  return [HEAD, ...sections].join("\n");
}

/** A second record of the same commit and extent replaces the first. */
export function withRun(rows: readonly RowHistory[], run: Run, moment: Moment): readonly RowHistory[] {
  const added = run.rows.map((row): RowHistory => {
    const title = titleOf(row);
    const load = `${run.load.before.toFixed(1)} → ${run.load.after.toFixed(1)}`;
    const entry: Entry = [
      ...[moment.date, moment.commit, times(row.ratio), goalText(row), verdict(row)],
      ...[figure(row.ours), figure(row.peer), `${run.extent}, load ${load}`],
    ];
    const before = rows.find((known) => known.group === row.group && known.title === title)?.entries ?? [];
    const others = before.filter((known) => !isSameRun(known, entry));
    return { group: row.group, title, entries: [entry, ...others].slice(0, MOST_ENTRIES) };
  });
  const measured = new Set(added.map(({ group }) => group));
  const kept = rows.filter(
    (known) => !added.some(({ group, title }) => group === known.group && title === known.title),
  );
  // Groups keep their places, and rows that are no longer measured stand last in theirs.
  const order = [...new Set([...rows, ...added].map(({ group }) => group))];
  return order.flatMap((group) => [
    ...(measured.has(group) ? added.filter((row) => row.group === group) : []),
    ...kept.filter((row) => row.group === group),
  ]);
}

function isSameRun(one: Entry, other: Entry): boolean {
  const key = ([, commit, , , , , , run]: Entry) => `${commit} ${run?.split(",")[0]}`;
  return key(one) === key(other);
}

export function tableOf(
  columns: readonly string[],
  lines: readonly (readonly string[])[],
): readonly string[] {
  const format = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [format(columns), format(columns.map(() => "---")), ...lines.map(format)];
}

export function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
