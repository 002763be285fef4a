/** One line of the result: a ratio measured in one run, and its goal. */
export interface Row {
  readonly group: string;
  readonly name: string;
  /** Ours to the peer's, the median of the rounds, with the middle half of them. */
  readonly ratio: number;
  readonly spread: readonly [low: number, high: number];
  readonly goal: Goal | undefined;
  readonly ours: Figure;
  readonly peer: Figure;
  readonly rounds: number;
  readonly note?: string;
  readonly growth?: Growth;
}

/** What may grow; there is one plot for each. */
export const AXES = ["agents", "past sessions", "panes", "done messages", "listeners"] as const;
export type Axis = (typeof AXES)[number];

/** A row that compares the same work at two sizes. */
export interface Growth {
  readonly axis: Axis;
  /** What is done at each size. */
  readonly work: string;
  readonly size: number;
  /** The size of the peer, the smallest. */
  readonly from: number;
}

export interface Figure {
  readonly what: string;
  readonly median: number;
  readonly unit: "ms" | "µs" | "MB" | "B" | "/s";
}

export type Goal =
  | { readonly kind: "at-most"; readonly ratio: number }
  | { readonly kind: "at-least"; readonly ratio: number };

export const atMost = (ratio: number): Goal => ({ kind: "at-most", ratio });
export const atLeast = (ratio: number): Goal => ({ kind: "at-least", ratio });

export function isMet({ ratio, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  return goal.kind === "at-most" ? ratio <= goal.ratio : ratio >= goal.ratio;
}

/** How many rounds and samples there is time for. A smoke run only shows that every row can be measured. */
export type Extent = "smoke" | "quick" | "full";
