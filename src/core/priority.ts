import { BellhopError } from "./errors.ts";
import type { Priority } from "./message.ts";
import { didYouMean } from "./text/nearest.ts";

/** One step of the ladder: what a waiting delivery of this priority may do in each state of its program. */
export interface Step {
  /** Place in the delivery order, smallest first. */
  readonly rank: number;
  /** Names for the same thing elsewhere. */
  readonly aliases: readonly string[];
  readonly order: "first-in-first-out" | "last-in-first-out";
  readonly whilePaused: "opens" | "waits";
  /** `by-inbox`: only through a native or hook rung, never by keys. */
  readonly whileBusy: "interrupts" | "by-inbox" | "waits";
  readonly whileBlocked: "dismisses" | "waits";
  /** If the program was not seen idle: the endpoint looks for itself and may still hold it. */
  readonly whileUnsure: "is-offered" | "waits";
}

const WAITS_FOR_IDLE = {
  whilePaused: "waits",
  whileBusy: "waits",
  whileBlocked: "waits",
  whileUnsure: "waits",
} as const;

export const LADDER: Readonly<Record<Priority, Step>> = {
  interrupt: {
    rank: 1,
    aliases: ["urgent"],
    order: "first-in-first-out",
    whilePaused: "opens",
    whileBusy: "interrupts",
    whileBlocked: "dismisses",
    whileUnsure: "is-offered",
  },
  normal: {
    ...WAITS_FOR_IDLE,
    rank: 2,
    aliases: ["important"],
    order: "first-in-first-out",
    whileBusy: "by-inbox",
  },
  "idle-first": { ...WAITS_FOR_IDLE, rank: 3, aliases: [], order: "last-in-first-out" },
  idle: { ...WAITS_FOR_IDLE, rank: 4, aliases: ["sequential"], order: "first-in-first-out" },
};

/** In delivery order. */
export const PRIORITIES: readonly Priority[] = ["interrupt", "normal", "idle-first", "idle"];

const BY_NAME: ReadonlyMap<string, Priority> = new Map(
  PRIORITIES.flatMap((priority) =>
    [priority, ...LADDER[priority].aliases].map((name) => [name, priority] as const),
  ),
);

/** A priority by its own name or by another tool's name for it. */
export function parsePriority(text: string): Priority | undefined {
  return BY_NAME.get(text.trim().toLowerCase());
}

export function requirePriority(text: string): Priority {
  const priority = parsePriority(text);
  if (priority !== undefined) return priority;
  throw new BellhopError("usage.invalid", {
    message: `"${text.slice(0, LONGEST_SHOWN)}" is no priority.`,
    next: `${didYouMean(text, BY_NAME.keys())}Use interrupt, normal, idle-first or idle.`,
  });
}

const LONGEST_SHOWN = 40;
