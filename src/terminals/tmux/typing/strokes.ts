import { assertNever } from "../../../core/errors.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import { checkStrokes } from "../../stroke-limits.ts";
import { formatLiteral, isQuotable, quote } from "../control/quote.ts";

/** What is prepared before the gate, and what runs behind it. Pure. */
export interface StrokePlan {
  /** Each fills a paste buffer: harmless if the gate then refuses. */
  readonly prepare: readonly string[];
  readonly type: readonly string[];
  /** To be dropped if the gate refuses. */
  readonly buffers: readonly string[];
  /** To be written (0600) before, and removed after. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

interface StrokePlace {
  readonly pane: string;
  /** Unique, because two gates may be under way in one server. */
  readonly name: string;
  readonly folder: string;
}

/** Longer text goes through a file: tmux keeps its last thousand command lines in memory and shows them. */
export const INLINE_BYTES = 4_096;

export function planStrokes(strokes: readonly Stroke[], place: StrokePlace): StrokePlan {
  checkStrokes(strokes);
  const prepare: string[] = [];
  const type: string[] = [];
  const buffers: string[] = [];
  const files: { path: string; text: string }[] = [];
  strokes.forEach((stroke, index) => {
    switch (stroke.kind) {
      case "paste": {
        if (stroke.text === "") return;
        const buffer = `${place.name}-${index}`;
        if (Buffer.byteLength(stroke.text) <= INLINE_BYTES && isQuotable(stroke.text)) {
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
  // Newer tmux versions may send the named key in an extended form; Enter is this byte everywhere.
  return name === "Enter" ? `send-keys -t ${pane} -H 0d` : `send-keys -t ${pane} -- ${quote(name)}`;
}

function hexadecimal(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
