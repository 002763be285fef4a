import type { Axis, Extent, Figure, Goal, Growth, Row } from "./row.ts";

/** One way of doing the work; its result is the measurement, in a unit that both arms share. */
export interface Arm {
  readonly what: string;
  sample(): number | Promise<number>;
}

export interface Duel {
  readonly group: string;
  readonly name: string;
  readonly ours: Arm;
  readonly peer: Arm;
  readonly unit: Figure["unit"];
  readonly goal?: Goal;
  readonly note?: string;
  readonly growth?: Growth;
}

export interface Sizes {
  readonly rounds: number;
  readonly samplesPerRound: number;
  /** Warm-up rounds, which do not count. */
  readonly warmUp?: number;
  /** No further round begins after this. */
  readonly withinMs?: number;
}

/** The least that gives a figure. */
export const ONCE: Sizes = { rounds: 1, samplesPerRound: 1, warmUp: 0 };

/** On a busy machine there are fewer rounds, so that a run ends in any case; but never fewer than these. */
const FEWEST_ROUNDS = 3;
const WITHIN_MS = { quick: 6_000, full: 15_000 } as const;

export function sizesFor(extent: Extent, sizes: { readonly quick: Sizes; readonly full: Sizes }): Sizes {
  return extent === "smoke" ? ONCE : { withinMs: WITHIN_MS[extent], ...sizes[extent] };
}

/**
 * Both arms run in every round, in alternating order, so that other load on the machine affects both. The figure is the
 * median over the rounds of the ratio of the medians in a round.
 */
export async function duel(setting: Duel, sizes: Sizes): Promise<Row> {
  const rows = await duels([setting], sizes);
  const [row] = rows;
  if (row === undefined) throw new Error("a duel without a result");
  return row;
}

export interface Growing {
  readonly group: string;
  readonly axis: Axis;
  /** Names the row, before its size, and the line in the plot. */
  readonly work: string;
  readonly unit: Figure["unit"];
  /** From the smallest size to the largest. */
  readonly arms: readonly (readonly [size: number, arm: Arm])[];
  /** For the largest size. */
  readonly goal?: Goal;
}

/** The same work at growing sizes: every other size against the smallest. */
export function growing({ group, axis, work, unit, arms, goal }: Growing): readonly Duel[] {
  const [smallest, ...larger] = arms;
  if (smallest === undefined) throw new Error(`no sizes of ${axis}`);
  const [from, peer] = smallest;
  return larger.map(([size, ours], index) => ({
    group,
    name: `${work}, ${size.toLocaleString("en")} ${axis}`,
    ours,
    peer,
    unit,
    ...(goal !== undefined && index === larger.length - 1 ? { goal } : {}),
    growth: { axis, work, size, from },
  }));
}

/** Several comparisons, with or without a shared peer, all interleaved. */
export async function duels(settings: readonly Duel[], sizes: Sizes): Promise<readonly Row[]> {
  const arms = [...new Set(settings.flatMap(({ ours, peer }) => [ours, peer]))];
  const rounds: ReadonlyMap<Arm, number>[] = [];
  const warmUp = sizes.warmUp ?? 1;
  const start = performance.now();
  const isLate = () => performance.now() - start > (sizes.withinMs ?? Number.POSITIVE_INFINITY);
  for (let round = -warmUp; round < sizes.rounds; round += 1) {
    if (rounds.length >= FEWEST_ROUNDS && isLate()) break;
    const samples = new Map<Arm, number[]>(arms.map((arm) => [arm, []]));
    for (let sample = 0; sample < sizes.samplesPerRound; sample += 1) {
      const order = (round + sample) % 2 === 0 ? arms : arms.toReversed();
      for (const arm of order) samples.get(arm)?.push(await arm.sample());
    }
    if (round >= 0) rounds.push(new Map([...samples].map(([arm, values]) => [arm, median(values)])));
  }
  return settings.map((setting) => rowOf(setting, rounds));
}

function rowOf(setting: Duel, rounds: readonly ReadonlyMap<Arm, number>[]): Row {
  const { group, name, ours, peer, unit, goal, note, growth } = setting;
  const of = (arm: Arm) => rounds.map((round) => round.get(arm) ?? Number.NaN);
  const peers = of(peer);
  const ratios = of(ours).map((value, round) => value / (peers[round] ?? Number.NaN));
  return {
    group,
    name,
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    goal,
    ours: { what: ours.what, median: median(of(ours)), unit },
    peer: { what: peer.what, median: median(peers), unit },
    rounds: rounds.length,
    ...(note === undefined ? {} : { note }),
    ...(growth === undefined ? {} : { growth }),
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** How many milliseconds the work took. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
