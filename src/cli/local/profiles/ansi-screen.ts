import type { Screen } from "../../../core/readiness/screen.ts";
import { parseScreenLines } from "../../../terminals/tmux/screen/parser.ts";
import type { CapturedScreen } from "../../../wire/shapes/sessions.ts";

/** A screen as a door sends it, as data for a profile again. */
export function ansiScreen({ lines, ...facts }: CapturedScreen): Screen {
  const { columns, rows, cursor, alternate, title, command, mode } = facts;
  return {
    ...{ columns, rows, cursor, alternate, title, command, mode },
    ...{ dead: false, inputOff: false, synchronised: false },
    lines: parseScreenLines(lines),
  };
}
