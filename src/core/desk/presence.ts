/** Whether the person is away from the terminals. What is not known counts for neither. Pure. */

export const AWAY_MODES = ["on", "off", "auto"] as const;
export type AwayMode = (typeof AWAY_MODES)[number];

export const AWAY_AFTER_MS = 120_000;

/** Absent: not known. */
export interface PresenceFacts {
  readonly isLocked?: boolean;
  /** Since the last key or movement at this computer. */
  readonly idleMs?: number;
  /** How many people look at a terminal with an agent. */
  readonly watching?: number;
  /** Since the last key of any of them. */
  readonly watcherIdleMs?: number;
}

export interface Presence {
  readonly is: "away" | "present" | "unknown";
  readonly why: string;
}

export function presenceFrom(mode: AwayMode, facts: PresenceFacts): Presence {
  if (mode === "on") return { is: "away", why: "you said so" };
  if (mode === "off") return { is: "present", why: "you said so" };
  const { isLocked, watching, idleMs, watcherIdleMs } = facts;
  if (isLocked === true) return { is: "away", why: "the screen is locked" };
  if (watching === 0) return { is: "away", why: "nobody looks at a terminal" };
  const idle = [idleMs, watcherIdleMs].filter((one) => one !== undefined);
  if (idle.length === 0) return { is: "unknown", why: "nothing tells when a key was last pressed" };
  const seconds = Math.round(Math.min(...idle) / 1_000);
  return Math.min(...idle) > AWAY_AFTER_MS
    ? { is: "away", why: `no key was pressed for ${seconds} s` }
    : { is: "present", why: `a key was pressed ${seconds} s ago` };
}
