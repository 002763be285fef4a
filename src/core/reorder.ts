/** Where a delivery must stand in order to go right before or after another one. Pure. */
import type { DeliveryId, Priority } from "./message.ts";
import { LADDER } from "./priority.ts";
import type { Placed } from "./queue.ts";

export type Side = "before" | "after";

/** A delivery in its line: of one priority, for one recipient. */
export interface InLine {
  readonly id: DeliveryId;
  readonly position: number;
}

/** New positions; nearly always only that of the one that moves. */
export type NewPositions = ReadonlyMap<DeliveryId, number>;

/** More than a move leaves between two, so that many moves fit in before the line must be spread again. */
const SPREAD = 65_536;

/**
 * `line` is everything of the anchor's priority that waits there, in any order; the one that moves may be in it. Between
 * two neighbours there is room for some thirty moves: then the whole line is spread out anew, before everything that will
 * ever come.
 */
export function placedBeside(
  line: readonly InLine[],
  moved: DeliveryId,
  anchor: InLine,
  side: Side,
  priority: Priority,
): NewPositions {
  if (moved === anchor.id) return new Map();
  const others = line.filter(({ id }) => id !== moved).toSorted(byPosition);
  const at = others.findIndex(({ id }) => id === anchor.id);
  const isLower = (side === "before") === (LADDER[priority].order === "first-in-first-out");
  const neighbour = others[isLower ? at - 1 : at + 1]?.position ?? anchor.position + (isLower ? -1 : 1);
  const between = (neighbour + anchor.position) / 2;
  if (isBetween(between, neighbour, anchor.position)) return new Map([[moved, between]]);
  const place = isLower ? at : at + 1;
  const ids = others.map(({ id }) => id).toSpliced(place, 0, moved);
  const first = (others[0] ?? anchor).position - SPREAD * ids.length;
  return new Map(ids.map((id, index) => [id, first + SPREAD * index] as const));
}

/** What somebody released goes right after the interrupts: nothing else can be put among it, nor it among others. */
export function canStandBeside(moved: Pick<Placed, "release">, anchor: Placed): boolean {
  return anchor.priority === "interrupt" || (moved.release === "now") === (anchor.release === "now");
}

function byPosition(one: InLine, other: InLine): number {
  return one.position - other.position || (one.id < other.id ? -1 : 1);
}

function isBetween(middle: number, one: number, other: number): boolean {
  return middle > Math.min(one, other) && middle < Math.max(one, other);
}
