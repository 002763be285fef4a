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
  readonly failures: readonly { readonly group: string; readonly why: string }[];
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
  const lines = [
    `Bellhop bench (${run.extent}): Node ${on.node}, ${on.tmux}, ${on.platform}, ${on.cores} cores; ` +
      `load ${load.before.toFixed(1)} → ${load.after.toFixed(1)}; ${run.seconds.toFixed(0)} s`,
    "",
    ...table(run.rows),
    ...run.failures.map(({ group, why }) => `  ! ${group} did not run: ${why}`),
  ];
  if (load.before > on.cores || load.after > on.cores) {
    lines.push(
      "",
      "The machine was busier than it has cores: ratios hold better than figures, and neither holds well.",
    );
  }
  return `${lines.join("\n")}\n`;
}

export function asJson(run: Run): string {
  const rows = run.rows.map((row) => ({ ...row, met: isMet(row) ?? null, goal: row.goal ?? null }));
  return `${JSON.stringify({ ...run, rows }, null, 2)}\n`;
}

function table(rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) => [
    mark(row),
    row.name,
    times(row.ratio),
    goalText(row),
    `${times(row.spread[0])}–${times(row.spread[1])}`,
    `${figure(row.ours)} to ${figure(row.peer)} (${row.peer.what})`,
  ]);
  const head = ["", "what", "ratio", "goal", "middle half", "medians: ours to the peer's"];
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

function mark(row: Row): string {
  const met = isMet(row);
  return met === undefined ? "·" : met ? "✓" : "✗";
}

function goalText({ goal }: Row): string {
  if (goal === undefined) return "";
  return `${goal.kind === "at-most" ? "≤" : "≥"} ${goal.ratio}×`;
}

function times(ratio: number): string {
  if (ratio >= 20) return `${ratio.toFixed(0)}×`;
  return `${ratio.toFixed(ratio < 0.2 ? 3 : 2)}×`;
}

function figure({ median, unit }: Figure): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2;
  return `${median.toFixed(digits)} ${unit}`;
}
