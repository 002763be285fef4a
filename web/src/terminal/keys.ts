/** Keys for those whose keyboard does not have them, and what must not be pressed by accident. Pure. */

export interface BarKey {
  readonly name: "esc" | "tab" | "shiftTab" | "up" | "down" | "left" | "right" | "enter" | "interrupt";
  readonly sign: string;
}

export const BAR: readonly BarKey[] = [
  { name: "esc", sign: "Esc" },
  { name: "tab", sign: "Tab" },
  { name: "shiftTab", sign: "⇧Tab" },
  { name: "up", sign: "↑" },
  { name: "down", sign: "↓" },
  { name: "left", sign: "←" },
  { name: "right", sign: "→" },
  { name: "enter", sign: "⏎" },
  { name: "interrupt", sign: "^C" },
];

/** As a terminal says it. A program may have asked for arrows of another form. */
export function charactersOf(key: BarKey["name"], hasApplicationArrows: boolean): string {
  const arrow = hasApplicationArrows ? "\x1bO" : "\x1b[";
  const characters: Record<BarKey["name"], string> = {
    esc: "\x1b",
    tab: "\t",
    shiftTab: "\x1b[Z",
    up: `${arrow}A`,
    down: `${arrow}B`,
    right: `${arrow}C`,
    left: `${arrow}D`,
    enter: "\r",
    interrupt: "\x03",
  };
  return characters[key];
}

/** With this the keyboard is given back: every other key goes to the program. As in `bellhop attach`. */
export function givesBack(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey">): boolean {
  return event.key === "\\" && event.ctrlKey && !event.altKey && !event.metaKey;
}

/**
 * Several lines would be submitted one by one, unless the program has said that it can tell what is pasted. Whoever looks
 * at a program that was there before does not know what it has said.
 */
export function mayPaste(text: string, isBracketed: boolean): boolean {
  return isBracketed || !/[\r\n]/u.test(text);
}
