/**
 * A program may ask for two billion repetitions of anything. A screen model would carry out each and block for minutes;
 * repeating as often as the screen has room gives the same result.
 */
import type { Terminal } from "@xterm/headless";
import { present } from "../core/present.ts";

/** Handlers registered from outside get a copy of the counts; internal handlers get the counts themselves. */
interface Inside {
  readonly _core: {
    registerCsiHandler(
      sequence: { readonly final: string; readonly intermediates?: string },
      handler: (parameters: { readonly params: Int32Array | number[] }) => boolean,
    ): unknown;
  };
}

type Most = (model: Pick<Terminal, "cols" | "rows">) => number;
const ROWS: Most = ({ rows }) => rows;
const COLUMNS: Most = ({ cols }) => cols;
const EVERYWHERE: Most = ({ cols, rows }) => cols * rows;

const COUNTED: readonly (readonly [most: Most, finals: string, intermediates?: string])[] = [
  // Repeated characters.
  [EVERYWHERE, "b"],
  // Scrolled, inserted and deleted lines; cursor up and down.
  [ROWS, "STLMABEFe"],
  // Tabs, forward and back; inserted, deleted and erased characters; cursor left and right.
  [COLUMNS, "IZ@PXCDa"],
  // Inserted, deleted and shifted columns.
  [COLUMNS, "@A", " "],
  [COLUMNS, "}~", "'"],
];

export function boundCounts(model: Terminal): void {
  const { _core } = model as unknown as Inside;
  for (const [most, finals, intermediates] of COUNTED) {
    for (const final of finals) {
      _core.registerCsiHandler({ final, ...present({ intermediates }) }, ({ params }) => {
        const [count] = params;
        if (count !== undefined && count > most(model)) params[0] = most(model);
        // Continue with the model's own handler.
        return false;
      });
    }
  }
}
