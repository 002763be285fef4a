/** A followed screen, and how following it ends. */

import type { ErrorDetail } from "../../core/errors.ts";
import type { Row } from "../../screens/cells.ts";
import type { ShownEnding } from "../../wire/shapes/sessions.ts";

export type FollowEnd =
  | { readonly kind: "ended"; readonly ending: ShownEnding }
  /** Ctrl+C, or the window was closed. */
  | { readonly kind: "left" }
  /** Plain data: this bundle has its own error classes. */
  | { readonly kind: "failed"; readonly error: ErrorDetail };

export interface FollowEar {
  changed(): void;
  /** The screen at that time is the last one. */
  over(end: FollowEnd): void;
}

export interface FollowedScreen {
  rows(): readonly Row[];
  /** Whether the program has announced that it is in the middle of drawing. */
  isMidway(): boolean;
  close(): void;
}
