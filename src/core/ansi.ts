import type { Run, ScreenLine } from "./screen.ts";

/** A screen's lines with their colours, for a terminal. Each line starts and ends plain. */
export function toAnsi(lines: readonly ScreenLine[]): string {
  return lines.map(({ runs }) => runs.map(paint).join("")).join("\n");
}

function paint(run: Run): string {
  const codes = [
    ...(run.bold ? ["1"] : []),
    ...(run.dim ? ["2"] : []),
    ...(run.italic ? ["3"] : []),
    ...(run.inverse ? ["7"] : []),
    ...(run.foreground === "" ? [] : [run.foreground]),
    ...(run.background === "" ? [] : [run.background]),
  ];
  return codes.length === 0 ? run.text : `\x1b[${codes.join(";")}m${run.text}\x1b[0m`;
}
