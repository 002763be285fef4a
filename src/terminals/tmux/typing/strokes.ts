import { assertNever, BellhopError } from "../../../core/errors.ts";
import { isKeyName } from "../../../core/text/key-names.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import { formatLiteral, isQuotable, quote } from "../control/quote.ts";

/** What is laid ready before the gate, and what runs behind it. Pure. */
export interface StrokePlan {
  /** Fills a paste buffer each: harmless if the gate then holds. */
  readonly prepare: readonly string[];
  readonly type: readonly string[];
  /** To be dropped when the gate holds. */
  readonly buffers: readonly string[];
  /** To be written (0600) before, and removed after. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

interface StrokePlace {
  readonly pane: string;
  /** Unique: two gates may be under way in one server. */
  readonly name: string;
  readonly folder: string;
}

export const STROKE_LIMITS = {
  strokes: 64,
  pasteBytes: 2 * 1024 * 1024,
  bytes: 4_096,
  /** Longer text goes through a file: tmux keeps its last thousand command lines in memory and shows them. */
  inlineBytes: 4_096,
} as const;

export function planStrokes(strokes: readonly Stroke[], place: StrokePlace): StrokePlan {
  if (strokes.length > STROKE_LIMITS.strokes) throw tooLarge(`${strokes.length} keystrokes in one step`);
  const prepare: string[] = [];
  const type: string[] = [];
  const buffers: string[] = [];
  const files: { path: string; text: string }[] = [];
  strokes.forEach((stroke, index) => {
    switch (stroke.kind) {
      case "paste": {
        if (stroke.text === "") return;
        const buffer = `${place.name}-${index}`;
        const bytes = Buffer.byteLength(stroke.text);
        if (bytes > STROKE_LIMITS.pasteBytes) throw tooLarge(`A paste of ${bytes} bytes`);
        if (bytes <= STROKE_LIMITS.inlineBytes && isQuotable(stroke.text)) {
          prepare.push(`set-buffer -b ${buffer} -- ${quote(stroke.text)}`);
        } else {
          const path = `${place.folder}/${buffer}`;
          files.push({ path, text: stroke.text });
          prepare.push(`load-buffer -b ${buffer} ${quote(formatLiteral(path))}`);
        }
        buffers.push(buffer);
        type.push(`paste-buffer -r ${stroke.bracketed ? "-p " : ""}-d -b ${buffer} -t ${place.pane}`);
        return;
      }
      case "bytes":
        if (stroke.bytes.length === 0) return;
        if (stroke.bytes.length > STROKE_LIMITS.bytes) throw tooLarge(`${stroke.bytes.length} raw bytes`);
        type.push(`send-keys -t ${place.pane} -H ${stroke.bytes.map(hexadecimal).join(" ")}`);
        return;
      case "key":
        type.push(pressKey(stroke.name, place.pane));
        return;
      default:
        assertNever(stroke);
    }
  });
  return { prepare, type, buffers, files };
}

function pressKey(name: string, pane: string): string {
  if (!isKeyName(name)) {
    throw new BellhopError("usage.invalid", {
      message: `"${name}" is not the name of a key.`,
      next: "Use names such as Enter, Escape, Tab, Up, C-u, M-b, F5, or a single character.",
    });
  }
  // Newer tmux versions may send the named key in an extended form; Enter is this byte everywhere.
  return name === "Enter" ? `send-keys -t ${pane} -H 0d` : `send-keys -t ${pane} -- ${quote(name)}`;
}

function hexadecimal(byte: number): string {
  if (!Number.isInteger(byte) || byte < 0 || byte > 0xff) {
    throw new BellhopError("usage.invalid", {
      message: `${byte} is not a byte.`,
      next: "Give whole numbers from 0 to 255.",
    });
  }
  return byte.toString(16).padStart(2, "0");
}

function tooLarge(what: string): BellhopError {
  return new BellhopError("message.too_large", {
    message: `${what} cannot be typed into a terminal.`,
    next: "Send it by reference: write it to a file and name the file.",
  });
}
