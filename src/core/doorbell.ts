/** The last rung: nothing can be typed or handed over, so the person is told. When, and in which words. Pure. */
import type { Delivery, Instant, Message, Receipt, Transport } from "./message.ts";
import { isReminder, type WaysIn } from "./rights/ways-in.ts";
import { UNKNOWN_PROGRAM } from "./session.ts";

/** A way in that is shut for now often opens by itself: a program starts, a screen is drawn again. */
export const RING_AFTER_MS = 60_000;
/** Once is enough for a day. */
export const RING_AGAIN_MS = 24 * 3_600_000;

export interface Doors {
  readonly program: string;
  /** What the owner allows for it. */
  readonly allowed: readonly Transport[];
  readonly hasInbox: boolean;
  readonly hooked: boolean;
}

/** No way in can open by itself, whatever the program does next. */
export function isShut(ways: WaysIn, { program, allowed, hasInbox, hooked }: Doors): boolean {
  if (allowed.includes("paste") && program !== UNKNOWN_PROGRAM) return false;
  if (ways === "typed-only") return true;
  return !(allowed.includes("native") && hasInbox) && !(allowed.includes("hook") && hooked);
}

/** Raw keys cannot be taken out, and a notice of Bellhop's own is not worth a ring. */
export function isWorthARing(message: Message): boolean {
  return message.form.kind === "text" && (message.source !== "bellhop" || isReminder(message));
}

/** When the person is told of it; undefined while it waits for something that will pass, or for a hand. */
export function ringsAt(
  { hold, release }: Pick<Delivery, "hold" | "release">,
  receipts: readonly Pick<Receipt, "at" | "transport">[],
  shut: boolean,
): Instant | undefined {
  if (hold?.reason !== "unknown" || release === "withheld") return undefined;
  const rang = rangAt(receipts);
  if (rang !== undefined) return rang + RING_AGAIN_MS;
  return hold.since + (shut ? 0 : RING_AFTER_MS);
}

/** When the person was last told of it. */
export function rangAt(receipts: readonly Pick<Receipt, "at" | "transport">[]): Instant | undefined {
  return receipts.findLast(({ transport }) => transport === "doorbell")?.at;
}

/** How a person takes what waits there; `who` is the rest of its address. */
export function takingCommand(who: string): string {
  return `bellhop inbox ${who} --take`;
}

/** `who` comes last: a long line may be cut. */
export function ringLine(count: number, who: string): string {
  const what = count === 1 ? "A message waits" : `${count} messages wait`;
  return `${what} and no way in is open. Take ${count === 1 ? "it" : "them"}: ${takingCommand(who)}`;
}
