/** What somebody who looks at a terminal is told. */

/** Everything before it is void: it goes into a terminal of this size, and resets it first. */
export interface ScreenSnapshot {
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
  readonly title?: string;
}

export interface ScreenState {
  readonly keyboard: "free" | "mine" | "taken";
  /** Who has it, in words. */
  readonly holder?: string;
  /** How many look at this terminal, this one included. */
  readonly viewers: number;
}

export type ScreenFrame =
  | { readonly snapshot: ScreenSnapshot }
  /** What the program wrote since, in whole characters. */
  | { readonly output: string }
  | { readonly state: ScreenState }
  /** The last one. */
  | { readonly ended: string };
