// Draws what a story printed as one terminal window.
import { COLUMN, frame, MARGIN, markup, picture, ROW, TITLE_BAR, wrap } from "./drawing.mjs";

export const COLUMNS = 104;

const STYLE = {
  light:
    ".story{fill:#1b1b19;font-weight:700}.command{fill:#0b6bcb}.screen{fill:#2f7d3b}.output{fill:#494945}",
  dark: ".story{fill:#f3f4f6}.command{fill:#7cb7ff}.screen{fill:#8fd694}.output{fill:#b6bcc8}",
};

export function terminalPicture({ printed, name, title }) {
  const lines = printed.split("\n").flatMap(lookOf);
  const width = Math.ceil(COLUMNS * COLUMN + 2 * MARGIN);
  const height = TITLE_BAR + lines.length * ROW + MARGIN;
  const rows = lines.map(({ look, text }, index) =>
    text === ""
      ? ""
      : `<text class="${look}" x="${MARGIN}" y="${TITLE_BAR + (index + 1) * ROW - 4}">${markup(text)}</text>`,
  );
  const body = `${frame({ width, height, title: name })}
<g xml:space="preserve">
${rows.filter(Boolean).join("\n")}
</g>`;
  return picture({ width, height, title, style: STYLE, body });
}

/** The style of a line, and the rows it takes. */
function lookOf(line) {
  const plain = line.replaceAll(/\x1b\[[\d;]*m/g, "");
  const look = line.startsWith("\x1b[1m")
    ? "story"
    : plain.startsWith("$ ")
      ? "command"
      : plain.startsWith("   │")
        ? "screen"
        : "output";
  return wrap(plain, COLUMNS).map((text) => ({ look, text }));
}
