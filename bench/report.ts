import { availableParallelism, loadavg } from "node:os";
import { type Figure, isMet, type Row } from "./row.ts";

export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly tmux: string;
  readonly platform: string;
}

export interface Run {
  readonly machine: Machine;
  readonly extent: string;
  readonly load: { readonly before: number; readonly after: number };
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly group: string;
  readonly why: string;
}

/** A row that says nothing, or that cannot be told from another. */
export function withoutFigure(group: string, rows: readonly Row[]): readonly Failure[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const figures = [row.ratio, ...row.spread, row.ours.median, row.peer.median];
    const title = titleOf(row);
    const why = !figures.every(Number.isFinite)
      ? `"${title}" has no figure: ${figures.join(", ")}`
      : seen.has(title)
        ? `two rows are called "${title}"`
        : undefined;
    seen.add(title);
    return why === undefined ? [] : [{ group, why }];
  });
}

/** Unlike its name, which may continue the row above, this stands alone. */
export function titleOf({ name, peer }: Row): string {
  return `${name.trim().replaceAll(/\s+/g, " ")}, to ${peer.what}`;
}

export function machine(tmux: string): Machine {
  return {
    cores: availableParallelism(),
    node: process.version,
    tmux,
    platform: `${process.platform} ${process.arch}`,
  };
}

export const loadNow = (): number => loadavg()[0] ?? Number.NaN;

export function asText(run: Run): string {
  const { machine: on, load } = run;
  if (run.extent === "smoke") return smokeText(run);
  const lines = [
    `Bellhop bench (${run.extent}): Node ${on.node}, ${on.tmux}, ${on.platform}, ${on.cores} cores; ` +
      `load ${load.before.toFixed(1)} → ${load.after.toFixed(1)}; ${run.seconds.toFixed(0)} s`,
    "",
    ...table(run.rows),
    "",
    ...verdictLines(run.rows),
    ...failureLines(run),
  ];
  if (load.before > on.cores || load.after > on.cores) {
    lines.push(
      "",
      "The machine was busier than it has cores: ratios hold better than figures, and neither holds well.",
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Without figures, which mean nothing there. */
function smokeText(run: Run): string {
  const groups = new Set(run.rows.map(({ group }) => group)).size;
  const lines = [
    `Bellhop bench (smoke): ${run.rows.length} rows of ${groups} groups, ${run.seconds.toFixed(0)} s`,
    ...failureLines(run),
  ];
  return `${lines.join("\n")}\n`;
}

const failureLines = ({ failures }: Run): readonly string[] =>
  failures.map(({ group, why }) => `  ! ${group}: ${why}`);

export function asJson(run: Run): string {
  const rows = run.rows.map((row) => ({ ...row, met: isMet(row) ?? null, goal: row.goal ?? null }));
  return `${JSON.stringify({ ...run, rows }, null, 2)}\n`;
}

function table(rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) => [
    row.name,
    times(row.ratio),
    goalText(row),
    verdict(row),
    `${times(row.spread[0])}–${times(row.spread[1])}`,
    `${figure(row.ours)} to ${figure(row.peer)} (${row.peer.what})`,
  ]);
  const head = ["what", "figure", "goal", "verdict", "middle half", "medians: ours to the peer's"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    format(head),
    ...cells.flatMap((line, index) => {
      const note = rows[index]?.note;
      return note === undefined ? [format(line)] : [format(line), `     ${note}`];
    }),
  ];
}

function verdictLines(rows: readonly Row[]): readonly string[] {
  const withGoal = rows.filter((row) => isMet(row) !== undefined);
  if (withGoal.length === 0) return [];
  const missed = withGoal.filter((row) => isMet(row) === false);
  return [
    `${withGoal.length - missed.length} of ${withGoal.length} goals met${missed.length > 0 ? "; missed:" : ""}`,
    ...missed.map((row) => `  ${row.group}: ${titleOf(row)}: ${times(row.ratio)}, goal ${goalText(row)}`),
  ];
}

export function verdict(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "" : met ? "met" : "missed";
}

export function goalText({ goal }: Row): string {
  if (goal === undefined) return "";
  return `${goal.kind === "at-most" ? "≤" : "≥"} ${goal.ratio}×`;
}

export function times(ratio: number): string {
  if (ratio >= 20) return `${ratio.toFixed(0)}×`;
  return `${ratio.toFixed(ratio < 0.2 ? 3 : 2)}×`;
}

export function figure({ median, unit }: Figure): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2;
  return `${median.toFixed(digits)} ${unit}`;
}
