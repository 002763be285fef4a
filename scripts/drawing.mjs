// What the pictures in docs/ have in common: how text is measured, wrapped and escaped, and their colours in light and dark.
import { writeFileSync } from "node:fs";

const MOST_BYTES = 40 * 1024;
export const FONT_SIZE = 13;
/** Most monospace fonts are six tenths as wide as high; a margin keeps wider ones inside. */
export const COLUMN = 7.85;
export const ROW = 18;
export const MARGIN = 18;
export const TITLE_BAR = 34;

export const FONT = `${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace`;

export function save(file, svg) {
  const bytes = Buffer.byteLength(svg);
  if (bytes > MOST_BYTES) throw new Error(`${file} has ${bytes} bytes, more than ${MOST_BYTES}.`);
  writeFileSync(file, svg);
  console.log(`${file}: ${bytes} bytes`);
}

export function markup(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Later lines are indented. */
export function wrap(line, columns, indent = "  ") {
  if (line.length <= columns) return [line];
  const blank = line.lastIndexOf(" ", columns);
  const end = blank > indent.length ? blank : columns;
  return [line.slice(0, end).trimEnd(), ...wrap(`${indent}${line.slice(end).trimStart()}`, columns, indent)];
}

/** A window with a title, still empty. */
export function frame({ x = 0, y = 0, width, height, title }) {
  const dots = [0, 1, 2].map((dot) => `<circle cx="${x + MARGIN + 6 + dot * 18}" cy="${y + 17}" r="5.5"/>`);
  return `<rect class="back" x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" rx="9"/>
<g class="dots">${dots.join("")}</g><text class="name" x="${x + width / 2}" y="${y + 22}" text-anchor="middle">${markup(title)}</text>`;
}

export function picture({ width, height, title, style, body }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${markup(title)}</title>
<style>
.back{fill:#fbfbf9;stroke:#d5d5d0}.dots{fill:#cfcfc9}.name{fill:#8b8b84}
text{font:${FONT};white-space:pre}
${style.light}
@media(prefers-color-scheme:dark){.back{fill:#16181d;stroke:#343841}.dots{fill:#3d424d}.name{fill:#7e8594}${style.dark}}
</style>
${body}
</svg>
`;
}
