import { BellhopError } from "../core/errors.ts";
import type { Stroke } from "../ports/terminal.ts";

/** The few keys that profiles press, as bytes if the key's name would send something else. */
const ESC = 0x1b;
const CTRL_U = 0x15;

/** Enter in the extended encoding: the agents submit on it, and no shell takes it for "run this line". */
export const ENTER_EXTENDED: readonly number[] = csi("13u");
/** Ctrl+S in the extended encoding: never merged with the text that follows, and never XOFF for a shell. */
export const STASH_EXTENDED: readonly number[] = csi("115;5u");
/** Does nothing in an empty composer. If the agent has left, it erases the shell's input line. */
export const ERASE_LINE: readonly number[] = [CTRL_U];
/** Keeps the erase key from merging with a person's next key. */
export const FOCUS_IN: readonly number[] = csi("I");

export const PASTE_BEGINS = "\x1b[200~";
export const PASTE_ENDS = "\x1b[201~";
/** Ctrl+J in the extended encoding: a new line in the composer without sending a line feed. */
export const NEW_LINE_EXTENDED = "\x1b[106;5u";

export function press(name: string): Stroke {
  return { kind: "key", name };
}

export function send(...sequences: readonly (readonly number[])[]): Stroke {
  return { kind: "bytes", bytes: sequences.flat() };
}

function csi(rest: string): readonly number[] {
  return [ESC, 0x5b, ...[...rest].map((character) => character.charCodeAt(0))];
}

// C0 without the newline, DEL, and the C1 controls, including the one-byte CSI.
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/u;
const COMMAND = /^\s*[/!]/u;

/**
 * The last check before text becomes keystrokes. The text is sanitised already; a control character here would act as
 * a key, and a leading `/` or `!` would run a command.
 */
export function requireTypeable(prompt: string): void {
  const fault = CONTROL.test(prompt)
    ? "holds a control character"
    : COMMAND.test(prompt)
      ? "would run a command"
      : /\\\s*$/u.test(prompt)
        ? "ends in a backslash, which would turn its Enter into a newline,"
        : undefined;
  if (fault === undefined) return;
  throw new BellhopError("internal.bug", {
    message: `A prompt that ${fault} was about to be typed.`,
    next: `Nothing was typed. Report this with the output of "bellhop logs".`,
  });
}
