/** What may be typed in one step into any terminal. Everything is checked before the first key is sent. Pure. */
import { assertNever, BellhopError } from "../core/errors.ts";
import { isKeyName } from "../core/text/key-names.ts";
import type { Stroke } from "../ports/terminal.ts";

export const STROKE_LIMITS = { strokes: 64, pasteBytes: 2 * 1024 * 1024, bytes: 4_096 } as const;

export function checkStrokes(strokes: readonly Stroke[]): void {
  if (strokes.length > STROKE_LIMITS.strokes) throw tooLarge(`${strokes.length} keystrokes in one step`);
  strokes.forEach(checkStroke);
}

function checkStroke(stroke: Stroke): void {
  switch (stroke.kind) {
    case "paste": {
      const bytes = Buffer.byteLength(stroke.text);
      if (bytes > STROKE_LIMITS.pasteBytes) throw tooLarge(`A paste of ${bytes} bytes`);
      return;
    }
    case "bytes": {
      if (stroke.bytes.length > STROKE_LIMITS.bytes) throw tooLarge(`${stroke.bytes.length} raw bytes`);
      const strange = stroke.bytes.find((byte) => !Number.isInteger(byte) || byte < 0 || byte > 0xff);
      if (strange === undefined) return;
      throw new BellhopError("usage.invalid", {
        message: `${strange} is not a byte.`,
        next: "Give whole numbers from 0 to 255.",
      });
    }
    case "key":
      if (isKeyName(stroke.name)) return;
      throw new BellhopError("usage.invalid", {
        message: `"${stroke.name}" is not the name of a key.`,
        next: "Use names such as Enter, Escape, Tab, Up, C-u, M-b, F5, or a single character.",
      });
    default:
      assertNever(stroke);
  }
}

function tooLarge(what: string): BellhopError {
  return new BellhopError("message.too_large", {
    message: `${what} cannot be typed into a terminal.`,
    next: "Send it by reference: write it to a file and name the file.",
  });
}
