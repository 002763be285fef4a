/** A screen that is followed from afar, and how that ends. */

import type { ErrorDetail } from "../../core/errors.ts";
import type { Row } from "../../screens/cells.ts";
import type { ShownEnding } from "../../wire/shapes/sessions.ts";

export type FollowEnd =
  | { readonly kind: "ended"; readonly ending: ShownEnding }
  /** Ctrl+C, or the window is closed. */
  | { readonly kind: "left" }
  /** Plain data: this bundle has error classes of its own. */
  | { readonly kind: "failed"; readonly error: ErrorDetail };

export interface FollowEar {
  changed(): void;
  /** What is on the screen then is the last of it. */
  over(end: FollowEnd): void;
}

export interface FollowedScreen {
  rows(): readonly Row[];
  /** The program says that it is in the middle of drawing. */
  isMidway(): boolean;
  close(): void;
}
