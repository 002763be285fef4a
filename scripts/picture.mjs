// node scripts/picture.mjs [FILE]: runs the demo and draws what it printed as a terminal window, docs/demo.svg.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureNode, ensurePackages, root } from "./ensure.mjs";

ensureNode();
ensurePackages();

const file = process.argv[2] ?? join(root, "docs", "demo.svg");
const COLUMNS = 104;
const FONT_SIZE = 13;
/** Most monospace fonts are six tenths as wide as high; a margin keeps wider ones inside. */
const COLUMN = 7.85;
const ROW = 18;
const MARGIN = 18;
const TITLE_BAR = 34;
const MOST_BYTES = 40 * 1024;

const printed = await runDemo();
const svg = draw(linesOf(printed));
if (Buffer.byteLength(svg) > MOST_BYTES) throw new Error(`The picture has more than ${MOST_BYTES} bytes.`);
writeFileSync(file, svg);
console.log(`${file}: ${Buffer.byteLength(svg)} bytes`);

/** In its own terminal, because the story is bold only on a terminal. */
async function runDemo() {
  const { default: pty } = await import("@lydell/node-pty");
  const demo = pty.spawn(process.execPath, [join(root, "scripts", "demo.mjs")], {
    cols: COLUMNS,
    rows: 50,
    cwd: root,
    env: { ...process.env, TERM: "xterm-256color" },
  });
  let text = "";
  demo.onData((data) => {
    text += data;
  });
  const exitCode = await new Promise((resolve) => demo.onExit((ended) => resolve(ended.exitCode)));
  if (exitCode !== 0) throw new Error(`The demo failed:\n${text}`);
  return text;
}

function linesOf(text) {
  const whole = text
    .replaceAll("\r", "")
    .replace(/^[\s\S]*?(?=\x1b\[1m)/, "")
    // Removes what differs between runs, and what the next scene shows again.
    .replaceAll(/\/[\w/.-]*\/bh-demo-\w+/g, "/tmp/demo")
    .replace(/\$ bellhop up\n[\s\S]*?(?=\$)/, "")
    .replace(/\x1b\[1mWhat became of the message[\s\S]*?(?=\x1b\[1m)/, "")
    .trimEnd();
  return whole.split("\n").flatMap(lookOf);
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
  return wrap(plain).map((text) => ({ look, text }));
}

function wrap(line) {
  if (line.length <= COLUMNS) return [line];
  const end = line.lastIndexOf(" ", COLUMNS);
  return [line.slice(0, end).trimEnd(), ...wrap(`  ${line.slice(end).trimStart()}`)];
}

function draw(lines) {
  const width = Math.ceil(COLUMNS * COLUMN + 2 * MARGIN);
  const height = TITLE_BAR + lines.length * ROW + MARGIN;
  const rows = lines.map(({ look, text }, index) =>
    text === ""
      ? ""
      : `<text class="${look}" x="${MARGIN}" y="${TITLE_BAR + (index + 1) * ROW - 4}">${markup(text)}</text>`,
  );
  const dots = [0, 1, 2].map((dot) => `<circle cx="${MARGIN + 6 + dot * 18}" cy="17" r="5.5"/>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">npm run demo: a message is held while someone types, delivered, answered; the unsent text is put back</title>
<style>
.back{fill:#fbfbf9;stroke:#d5d5d0}.dots{fill:#cfcfc9}.name{fill:#8b8b84}
text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}
.story{fill:#1b1b19;font-weight:700}.command{fill:#0b6bcb}.screen{fill:#2f7d3b}.output{fill:#494945}
@media(prefers-color-scheme:dark){.back{fill:#16181d;stroke:#343841}.dots{fill:#3d424d}.name{fill:#7e8594}.story{fill:#f3f4f6}.command{fill:#7cb7ff}.screen{fill:#8fd694}.output{fill:#b6bcc8}}
</style>
<rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9"/>
<g class="dots">${dots}</g><text class="name" x="${width / 2}" y="22" text-anchor="middle">npm run demo</text>
<g xml:space="preserve">
${rows.filter(Boolean).join("\n")}
</g>
</svg>
`;
}

function markup(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
