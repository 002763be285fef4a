/** What a key means. Pure. */
export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** The key goes into a text. */
  readonly isInText: boolean;
  /** A dialog is open, which has keys of its own. */
  readonly isInDialog: boolean;
  /** An input method is composing a character. */
  readonly isComposing: boolean;
}

export type Command = "palette" | "filter" | "next" | "previous" | "approve" | "deny" | "close" | "keys";

const PLAIN: Readonly<Record<string, Command>> = {
  "/": "filter",
  j: "next",
  k: "previous",
  a: "approve",
  d: "deny",
  "?": "keys",
};

export function commandOf(pressed: Pressed): Command | undefined {
  const { key, ctrlKey, metaKey, altKey, isInText, isInDialog, isComposing } = pressed;
  if (isComposing || altKey) return undefined;
  if (ctrlKey !== metaKey) return key.toLowerCase() === "k" ? "palette" : undefined;
  if (ctrlKey || isInDialog) return undefined;
  if (key === "Escape") return "close";
  return isInText || !Object.hasOwn(PLAIN, key) ? undefined : PLAIN[key];
}

/** The one after, or before; the first if there is none yet. It stays at either end. */
export function stepped(
  order: readonly string[],
  current: string | undefined,
  by: 1 | -1,
): string | undefined {
  const at = current === undefined ? -1 : order.indexOf(current);
  if (at === -1) return order[0];
  return order[Math.min(order.length - 1, Math.max(0, at + by))];
}
