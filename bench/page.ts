/** The parts of `docs/performance.md` that the bench writes, between markers; people write the rest. */
import { cellsOf, tableOf } from "./history.ts";
import type { Curve } from "./plot.ts";
import { figure, goalText, type Run, times, titleOf, verdict } from "./report.ts";
import { AXES, type Axis, type Row } from "./row.ts";

export const PARTS = ["run", "goals", "accept", "delivery", ...AXES] as const;
export type Part = (typeof PARTS)[number];

const GOAL_COLUMNS = ["group", "what", "figure", "goal", "verdict"] as const;
const STEP_COLUMNS = ["step", "µs", "of the whole"] as const;
const ACCEPT = "accept.";
/** Not each work on the same axis is measured at the same sizes. */
const NOT_MEASURED = "–";

export interface Plotted {
  readonly axis: Axis;
  readonly sizes: readonly number[];
  readonly curves: readonly Curve[];
}

export function partOf(page: string, part: Part): string {
  const [begin, end] = markers(part);
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no part "${part}"`);
  return page.slice(from + begin.length, to).trim();
}

export function withPart(page: string, part: Part, text: string): string {
  const [begin, end] = markers(part);
  const before = partOf(page, part);
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end);
  return before === text ? page : `${page.slice(0, from)}\n${text}\n${page.slice(to)}`;
}

const markers = (part: Part) => [`<!-- bench: ${part} -->`, `<!-- bench: end of ${part} -->`] as const;

/** What was measured replaces what the page had; groups that were not measured stay. */
export function withFigures(page: string, run: Run, sentence: string): string {
  const parts: (readonly [Part, string])[] = [
    ["run", sentence],
    ["goals", goalsOf(partOf(page, "goals"), run.rows)],
  ];
  const steps = run.rows.filter(({ group }) => group === "steps");
  if (steps.length > 0) {
    parts.push(["accept", stepsOf(steps.filter(({ name }) => name.startsWith(ACCEPT)))]);
    parts.push(["delivery", stepsOf(steps.filter(({ name }) => !name.startsWith(ACCEPT)))]);
  }
  for (const plotted of growthIn(run.rows)) parts.push([plotted.axis, growthOf(plotted)]);
  return parts.reduce((text, [part, content]) => withPart(text, part, content), page);
}

function goalsOf(before: string, rows: readonly Row[]): string {
  const measured = new Set(rows.map(({ group }) => group));
  const kept = linesOf(before).filter(([group = ""]) => !measured.has(group));
  const lines = rows
    .filter(({ goal }) => goal !== undefined)
    .map((row) => [row.group, titleOf(row), times(row.ratio), goalText(row), verdict(row)]);
  return tableOf(GOAL_COLUMNS, [...kept, ...lines].sort(byGroup)).join("\n");
}

const byGroup = ([one = ""]: readonly string[], [other = ""]: readonly string[]) =>
  one < other ? -1 : one > other ? 1 : 0;

function stepsOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, ours, ratio }) => [
    name.includes(".") ? `\`${name}\`` : name,
    figure(ours).split(" ")[0] ?? "",
    `${(ratio * 100).toFixed(1)} %`,
  ]);
  return tableOf(STEP_COLUMNS, lines).join("\n");
}

/** The rows that compare the same work at two sizes, as one table for each thing that grows. */
function growthIn(rows: readonly Row[]): readonly Plotted[] {
  return AXES.flatMap((axis) => {
    const grown = rows.flatMap((row) => (row.growth?.axis === axis ? [{ ...row, growth: row.growth }] : []));
    if (grown.length === 0) return [];
    const works = [...new Set(grown.map(({ growth }) => growth.work))];
    const measured = new Set(grown.flatMap(({ growth }) => [growth.from, growth.size]));
    const sizes = [...measured].sort((one, other) => one - other);
    const curves = works.map((work): Curve => {
      const of = grown.filter(({ growth }) => growth.work === work);
      const bySize = new Map(
        of.flatMap(({ growth, ours, peer }) => [
          [growth.from, peer],
          [growth.size, ours],
        ]),
      );
      const figures = sizes.map((size) => bySize.get(size));
      return {
        work,
        unit: of[0]?.ours.unit ?? "",
        figures: figures.map((one) => (one === undefined ? Number.NaN : Number(figure(one).split(" ")[0]))),
      };
    });
    return [{ axis, sizes, curves }];
  });
}

export const plotFile = (axis: Axis): string => `performance/${axis.replaceAll(" ", "-")}.svg`;

export function growthOf({ axis, sizes, curves }: Plotted): string {
  const lines = curves.map(({ work, unit, figures }) => [`${work} (${unit})`, ...figures.map(shown)]);
  const table = tableOf([axis, ...sizes.map((size) => size.toLocaleString("en"))], lines);
  return [`![How cost grows with ${axis}](${plotFile(axis)})`, "", ...table].join("\n");
}

const shown = (figure: number): string => (Number.isNaN(figure) ? NOT_MEASURED : String(figure));

/** Reads back what `growthOf` wrote. */
export function plottedIn(page: string, axis: Axis): Plotted {
  const table = partOf(page, axis)
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const [head = "", , ...lines] = table;
  const [, ...sizes] = cellsOf(head);
  return {
    axis,
    sizes: sizes.map((size) => Number(size.replaceAll(",", ""))),
    curves: lines.map(cellsOf).map(([what = "", ...figures]) => {
      const [, work = "", unit = ""] = /^(.*) \((.*)\)$/.exec(what) ?? [];
      return { work, unit, figures: figures.map(Number) };
    }),
  };
}

const linesOf = (table: string): readonly (readonly string[])[] =>
  table
    .split("\n")
    .slice(2)
    .filter((line) => line.startsWith("|"))
    .map(cellsOf);

/** Whether a part has the form in which the bench writes it. */
export function isWellFormed(page: string, part: Part): boolean {
  const text = partOf(page, part);
  if (part === "run") return /^Measured on \d{4}-\d\d-\d\d at `[0-9a-f]+\+?` \(/.test(text);
  if (isAxis(part)) return text === growthOf(plottedIn(page, part));
  const columns = part === "goals" ? GOAL_COLUMNS : STEP_COLUMNS;
  const lines = linesOf(text);
  return lines.length > 0 && text === tableOf(columns, lines).join("\n");
}

export const isAxis = (part: Part): part is Axis => (AXES as readonly Part[]).includes(part);
