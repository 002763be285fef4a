/** What needs the person's attention, and an overview of everything that runs. */
import type { Attention, AttentionCounts } from "../../core/attention.ts";
import type { Address } from "../../core/message.ts";
import type { ListedSession } from "./sessions.ts";

export interface ShownAttention extends Attention {
  /** The possible answers, if it can be answered from here. */
  readonly answers?: readonly string[];
  /** The channels outside on which the person was told of it. */
  readonly toldOn?: readonly Address[];
}

/** How much needs the person's attention. */
export interface Wants {
  readonly wants: AttentionCounts;
  /** Unread messages for the person. */
  readonly mail: number;
}

export interface Overview extends Wants {
  readonly sessions: readonly ListedSession[];
}
