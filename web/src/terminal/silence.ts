/**
 * A copy of a terminal must not answer. Programs ask their terminal what it is and where its cursor stands; the real one
 * has answered already, and what a copy says would be typed into the program.
 */
import type { IParser } from "@xterm/xterm";

const QUESTIONS = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: ">", final: "q" },
  { final: "t" },
] as const;

/** Colours, which can be asked for; and the clipboard, which a program has no business with here. */
const ASKED_BY_TEXT = [4, 10, 11, 12];
const CLIPBOARD = 52;

export function silence(parser: IParser): void {
  const done = () => true;
  for (const question of QUESTIONS) parser.registerCsiHandler(question, done);
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, done);
  for (const code of ASKED_BY_TEXT) parser.registerOscHandler(code, (text) => text.includes("?"));
  parser.registerOscHandler(CLIPBOARD, done);
}
