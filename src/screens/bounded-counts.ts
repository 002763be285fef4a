/**
 * Programs may ask for two thousand million of anything. A screen model does each in turn, and is gone for minutes; as
 * many as the screen has room for come to the same.
 */
import { present } from "../core/present.ts";

export interface CountedModel {
  readonly cols: number;
  readonly rows: number;
}

/** The handlers that everybody may register get a copy of the counts; those of the inside get the counts. */
interface Inside {
  readonly _core: {
    registerCsiHandler(
      sequence: { readonly final: string; readonly intermediates?: string },
      handler: (parameters: { readonly params: Int32Array | number[] }) => boolean,
    ): unknown;
  };
}

type Most = (model: CountedModel) => number;
const ROWS: Most = ({ rows }) => rows;
const COLUMNS: Most = ({ cols }) => cols;
const EVERYWHERE: Most = ({ cols, rows }) => cols * rows;

const COUNTED: readonly (readonly [final: string, most: Most, intermediates?: string])[] = [
  // Characters again.
  ["b", EVERYWHERE],
  // Scrolled, inserted and deleted lines.
  ["S", ROWS],
  ["T", ROWS],
  ["L", ROWS],
  ["M", ROWS],
  // Tabs, forward and back.
  ["I", COLUMNS],
  ["Z", COLUMNS],
  // Inserted, deleted and erased characters, and columns.
  ["@", COLUMNS],
  ["P", COLUMNS],
  ["X", COLUMNS],
  ["@", COLUMNS, " "],
  ["A", COLUMNS, " "],
  ["}", COLUMNS, "'"],
  ["~", COLUMNS, "'"],
  // The cursor.
  ["A", ROWS],
  ["B", ROWS],
  ["C", COLUMNS],
  ["D", COLUMNS],
  ["E", ROWS],
  ["F", ROWS],
  ["a", COLUMNS],
  ["e", ROWS],
];

export function boundCounts(model: CountedModel): void {
  const { _core } = model as unknown as Inside;
  for (const [final, most, intermediates] of COUNTED) {
    _core.registerCsiHandler({ final, ...present({ intermediates }) }, ({ params }) => {
      const [count] = params;
      if (count !== undefined && count > most(model)) params[0] = most(model);
      // Whoever does it comes next.
      return false;
    });
  }
}
