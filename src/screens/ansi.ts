import type { Run, ScreenLine, Style } from "../core/readiness/screen.ts";

export const PLAIN_STYLE: Style = {
  dim: false,
  inverse: false,
  bold: false,
  italic: false,
  foreground: "",
  background: "",
};

/** A screen's lines with their colours, for a terminal. Each line starts and ends plain. */
export function toAnsi(lines: readonly ScreenLine[]): string {
  return lines.map(ansiLine).join("\n");
}

export function ansiLine({ runs }: ScreenLine): string {
  return runs.map(paint).join("");
}

/** For lines that contain only text and SGR. */
export function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;:]*m/g, "");
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
