import { BellhopError } from "../core/errors.ts";

// C0 without the newline, DEL, and the C1 controls, among them the one-byte CSI.
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/u;
const COMMAND = /^\s*[/!]/u;

/**
 * The last look before text becomes keystrokes. The sanitiser has been over it; a control character here would be
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
