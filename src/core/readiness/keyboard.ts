/**
 * Who has a terminal's keyboard, among the people who look at it from elsewhere. One at a time; whoever does not use it
 * loses it. Pure.
 *
 *        take ─▶
 *   free ─────── taken ─▶ (given back, left, or idle too long) free
 *     ⇅
 *   elsewhere: somebody at the terminal itself has it
 */
import { assertNever } from "../errors.ts";

/** Messages wait while somebody has the keyboard, so one that nobody uses is given back. */
export const KEYBOARD_IDLE_MS = 120_000;

export type Keyboard =
  | { readonly at: "free" }
  /** `by`: the number of a viewer. `usedAt`: monotonic. */
  | { readonly at: "taken"; readonly by: number; readonly usedAt: number }
  | { readonly at: "elsewhere" };

export type KeyboardEvent =
  | { readonly kind: "take"; readonly by: number; readonly at: number }
  | { readonly kind: "key"; readonly by: number; readonly at: number }
  /** Given back, taken away, or its owner has left. */
  | { readonly kind: "give-back"; readonly by: number }
  | { readonly kind: "elsewhere"; readonly is: boolean }
  | { readonly kind: "look"; readonly at: number };

export const FREE: Keyboard = { at: "free" };

export function keyboardStep(keyboard: Keyboard, event: KeyboardEvent): Keyboard {
  const isTheirs = (by: number): boolean => keyboard.at === "taken" && keyboard.by === by;
  switch (event.kind) {
    case "take":
      return keyboard.at === "free" || isTheirs(event.by)
        ? { at: "taken", by: event.by, usedAt: event.at }
        : keyboard;
    case "key":
      return isTheirs(event.by) ? { at: "taken", by: event.by, usedAt: event.at } : keyboard;
    case "give-back":
      return isTheirs(event.by) ? FREE : keyboard;
    case "elsewhere":
      // A terminal tells each viewer that somebody else has it, also if that is one of these.
      if (keyboard.at === "taken") return keyboard;
      return event.is ? { at: "elsewhere" } : FREE;
    case "look":
      return keyboard.at === "taken" && event.at >= keyboard.usedAt + KEYBOARD_IDLE_MS ? FREE : keyboard;
    default:
      return assertNever(event);
  }
}

export function hasKeyboard(keyboard: Keyboard, viewer: number): boolean {
  return keyboard.at === "taken" && keyboard.by === viewer;
}

/** As it looks to one viewer. */
export function keyboardFor(keyboard: Keyboard, viewer: number): "free" | "mine" | "taken" {
  if (keyboard.at === "free") return "free";
  return hasKeyboard(keyboard, viewer) ? "mine" : "taken";
}
