import { assertNever } from "../errors.ts";
import type { Reading } from "./reading.ts";

/** A reading in one line, for tables: `empty, idle`, `"a draft" in 1 row, busy`, `dialog: …`, `unknown: …`. */
export function describeReading(reading: Reading): string {
  switch (reading.kind) {
    case "unknown":
      return `unknown: ${reading.why}`;
    case "dialog":
      return `dialog: ${reading.title}`;
    case "composer": {
      const { draft } = reading;
      const rows = draft.kind === "text" && draft.lines > 1 ? ` in ${draft.lines} rows` : "";
      const text = draft.kind === "empty" ? "empty" : JSON.stringify(draft.text) + rows;
      return `${text}, ${reading.busy}${{ shown: ", stashed", unsure: ", perhaps stashed", none: "" }[reading.stash]}`;
    }
    default:
      return assertNever(reading);
  }
}
