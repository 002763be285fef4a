/** Select Graphic Rendition: the colours and attributes of text. Pure. */
import type { Style } from "../../../core/readiness/screen.ts";
import { PLAIN_STYLE } from "../../../screens/ansi.ts";

/** `parameters` is the text between `ESC[` and `m`. */
export function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(";");
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? "";
    const extended = extendedColour(codes, at);
    if (extended !== undefined) {
      if (extended.target === "foreground") next = { ...next, foreground: extended.colour };
      if (extended.target === "background") next = { ...next, background: extended.colour };
      at += extended.consumed;
    } else {
      next = applyCode(next, code);
    }
  }
  return next;
}

const CODES = new Map<string, Partial<Style>>([
  ["", PLAIN_STYLE],
  ["0", PLAIN_STYLE],
  ["1", { bold: true }],
  ["2", { dim: true }],
  ["3", { italic: true }],
  ["7", { inverse: true }],
  ["22", { bold: false, dim: false }],
  ["23", { italic: false }],
  ["27", { inverse: false }],
  ["39", { foreground: "" }],
  ["49", { background: "" }],
]);

function applyCode(style: Style, code: string): Style {
  if (/^(3|9)[0-7]$/.test(code)) return { ...style, foreground: code };
  if (/^(4|10)[0-7]$/.test(code)) return { ...style, background: code };
  return { ...style, ...CODES.get(code) };
}

const EXTENDED = { "38": "foreground", "48": "background", "58": "underline" } as const;

interface Extended {
  readonly target: (typeof EXTENDED)[keyof typeof EXTENDED];
  readonly colour: string;
  /** How many further parameters belong to it. */
  readonly consumed: number;
}

/** `38;5;N`, `38;2;R;G;B`, or the same with colons, where a colour space may come before R. */
function extendedColour(codes: readonly string[], at: number): Extended | undefined {
  const [head = "", ...withColons] = (codes[at] ?? "").split(":");
  if (head !== "38" && head !== "48" && head !== "58") return undefined;
  const target = EXTENDED[head];
  if (withColons.length > 0) {
    const channels = withColons.slice(1).filter((number) => number !== "");
    const numbers = withColons[0] === "2" ? ["2", ...channels.slice(-3)] : withColons;
    return { target, colour: [head, ...numbers].join(";"), consumed: 0 };
  }
  const length = codes[at + 1] === "5" ? 2 : codes[at + 1] === "2" ? 4 : 0;
  return { target, colour: codes.slice(at, at + 1 + length).join(";"), consumed: length };
}
