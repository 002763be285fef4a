/** What wants the person, and everybody who runs at one glance. */
import type { Attention, AttentionCounts } from "../../core/attention.ts";
import type { ListedSession } from "./sessions.ts";

export interface ShownAttention extends Attention {
  /** What may be answered, where that can be done from here. */
  readonly answers?: readonly string[];
}

/** How much wants the person. */
export interface Wants {
  readonly wants: AttentionCounts;
  /** Messages for the person that nobody has read. */
  readonly mail: number;
}

export interface Overview extends Wants {
  readonly sessions: readonly ListedSession[];
}
