/**
 * Programs may ask for two thousand million of anything. A screen model does each in turn, and is gone for minutes; as
 * many as the screen has room for come to the same.
 */
import type { Terminal } from "@xterm/headless";
import { present } from "../core/present.ts";

/** The handlers that everybody may register get a copy of the counts; those of the inside get the counts. */
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
  // Characters again.
  [EVERYWHERE, "b"],
  // Scrolled, inserted and deleted lines; the cursor, up and down.
  [ROWS, "STLMABEFe"],
  // Tabs, forward and back; inserted, deleted and erased characters; the cursor, to the side.
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
        // The model's own handler comes next.
        return false;
      });
    }
  }
}
