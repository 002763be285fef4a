/** A run that nobody measured, for the tests of what the bench writes. */
import type { Run } from "./report.ts";
import { atMost, type Row } from "./row.ts";

export function sampleRow(row: Partial<Row> = {}): Row {
  return {
    group: "accept",
    name: "durable accept, one at a time",
    ratio: 1.5,
    spread: [1.4, 1.6],
    goal: atMost(1.6),
    ours: { what: "accept", median: 300, unit: "µs" },
    peer: { what: "a sync", median: 200, unit: "µs" },
    rounds: 3,
    ...row,
  };
}

export function sampleStep(name: string, median: number): Row {
  const peer = { what: "all", median: 1_000, unit: "µs" } as const;
  const ours = { what: name, median, unit: "µs" } as const;
  return sampleRow({ group: "steps", name, goal: undefined, ratio: median / 1_000, ours, peer });
}

/** Takes `least` × 2 at the larger size. */
export function sampleGrowth(work: string, least: number, { from, size } = { from: 10, size: 1_000 }): Row {
  return sampleRow({
    group: "past",
    name: `${work}, ${size} agents`,
    goal: undefined,
    ratio: 2,
    ours: { what: `${size} agents`, median: least * 2, unit: "ms" },
    peer: { what: `${from} agents`, median: least, unit: "ms" },
    growth: { axis: "agents", work, size, from },
  });
}

export function sampleRun(rows: readonly Row[]): Run {
  return {
    machine: { cores: 2, node: "v20.19.0", tmux: "tmux 3.3a", platform: "linux arm64" },
    extent: "full",
    load: { before: 0.5, after: 1.25 },
    seconds: 600,
    rows,
    failures: [],
  };
}
