/** Strokes as the bytes that a terminal would send for them. Pure. */
import { assertNever } from "../../../core/errors.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import { checkStrokes } from "../../stroke-limits.ts";

export interface KeyModes {
  readonly bracketedPaste: boolean;
  readonly applicationCursor: boolean;
}

export function strokeBytes(strokes: readonly Stroke[], modes: KeyModes): Buffer {
  checkStrokes(strokes);
  const pieces: Buffer[] = [];
  let text = "";
  for (const stroke of strokes) {
    if (stroke.kind !== "bytes") {
      text += textOf(stroke, modes);
      continue;
    }
    pieces.push(Buffer.from(text), Buffer.from(stroke.bytes));
    text = "";
  }
  const rest = Buffer.from(text);
  return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
}

/** Keys are ASCII. */
function textOf(stroke: Exclude<Stroke, { readonly kind: "bytes" }>, modes: KeyModes): string {
  switch (stroke.kind) {
    case "paste": {
      const isMarked = stroke.text !== "" && stroke.bracketed && modes.bracketedPaste;
      return isMarked ? `\x1b[200~${stroke.text}\x1b[201~` : stroke.text;
    }
    case "key":
      return keyBytes(stroke.name, modes);
    default:
      return assertNever(stroke);
  }
}

type Table<Value> = Readonly<Record<string, Value>>;

const PLAIN: Table<string> = {
  Enter: "\r",
  Escape: "\x1b",
  Tab: "\t",
  BTab: "\x1b[Z",
  Space: " ",
  BSpace: "\x7f",
};
const CURSOR: Table<string> = { Up: "A", Down: "B", Right: "C", Left: "D", Home: "H", End: "F" };
const TILDE: Table<number> = {
  ...{ IC: 2, Insert: 2, DC: 3, Delete: 3, PPage: 5, PageUp: 5, PgUp: 5, NPage: 6, PageDown: 6, PgDn: 6 },
  ...{ F5: 15, F6: 17, F7: 18, F8: 19, F9: 20, F10: 21, F11: 23, F12: 24 },
};
const FUNCTION: Table<string> = { F1: "P", F2: "Q", F3: "R", F4: "S" };

function keyBytes(name: string, modes: KeyModes): string {
  const alone = PLAIN[name];
  if (alone !== undefined) return alone;
  const [, prefix = "", key = name] = /^((?:[CMS]-){0,3})(.+)$/.exec(name) ?? [];
  const control = prefix.includes("C-");
  const meta = prefix.includes("M-");
  const shift = prefix.includes("S-");
  // xterm's encoding: 1, plus 1 for shift, 2 for alt and 4 for control.
  const modifier = 1 + (shift ? 1 : 0) + (meta ? 2 : 0) + (control ? 4 : 0);
  const special = specialBytes(key, modifier, modes);
  if (special !== undefined) return special;
  const plain = PLAIN[key] ?? (shift && key.length === 1 ? key.toUpperCase() : key);
  const controlled = control ? controlByte(plain) : plain;
  return (meta ? "\x1b" : "") + controlled;
}

function specialBytes(key: string, modifier: number, modes: KeyModes): string | undefined {
  const cursor = CURSOR[key];
  if (cursor !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${cursor}`;
    return modes.applicationCursor ? `\x1bO${cursor}` : `\x1b[${cursor}`;
  }
  const tilde = TILDE[key];
  if (tilde !== undefined) return modifier > 1 ? `\x1b[${tilde};${modifier}~` : `\x1b[${tilde}~`;
  const letter = FUNCTION[key];
  if (letter === undefined) return undefined;
  return modifier > 1 ? `\x1b[1;${modifier}${letter}` : `\x1bO${letter}`;
}

function controlByte(text: string): string {
  const code = text.toUpperCase().charCodeAt(0);
  if (text === " ") return "\0";
  if (text === "?") return "\x7f";
  if (text.length === 1 && code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
  return text;
}
