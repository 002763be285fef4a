// Draws a rehearsed conversation: on the left what the phone shows, on the right what the agents get at that moment.
import { COLUMN, frame, MARGIN, markup, picture, ROW, TITLE_BAR, wrap } from "./drawing.mjs";

const PHONE = { x: 0, width: 400, columns: 38 };
const TERMINAL = { x: 424, width: 560, columns: 66 };
const GAP = 10;
const PADDING = 10;

const STYLE = {
  light:
    ".you{fill:#d6ebff}.bot{fill:#ecece7}.key{fill:none;stroke:#0b6bcb}.said{fill:#1b1b19}.word{fill:#0b6bcb}.agent{fill:#2f7d3b;font-weight:700}.got{fill:#494945}",
  dark: ".you{fill:#123a5e}.bot{fill:#262a33}.key{stroke:#7cb7ff}.said{fill:#f3f4f6}.word{fill:#7cb7ff}.agent{fill:#8fd694}.got{fill:#b6bcc8}",
};

/** `conversation`: as `bellhop bridge rehearse telegram --json` prints it. */
export function phonePicture({ conversation, title }) {
  let y = TITLE_BAR + MARGIN;
  const drawn = conversation.map((spoken) => {
    const { shapes, height } = spoken.who === "agent" ? gets(spoken, y) : says(spoken, y);
    y += height + GAP;
    return shapes;
  });
  const [width, height] = [TERMINAL.x + TERMINAL.width, y + MARGIN];
  const body = `${frame({ ...PHONE, height, title: "your phone" })}
${frame({ ...TERMINAL, height, title: "your agents" })}
<g xml:space="preserve">
${drawn.join("\n")}
</g>`;
  return picture({ width, height, title, style: STYLE, body });
}

/** A bubble: yours on the right, the bot's on the left, with its buttons below. */
function says({ who, text, buttons = [], pressed }, y) {
  const lines = text.split("\n").flatMap((line) => wrap(line, PHONE.columns, ""));
  const columns = Math.max(...lines.map((line) => line.length));
  const [width, height] = [Math.ceil(columns * COLUMN) + 2 * PADDING, lines.length * ROW + PADDING];
  const x = who === "you" ? PHONE.width - MARGIN - width : MARGIN;
  const bubble = `<rect class="${pressed ? "key" : who}" x="${x}" y="${y}" width="${width}" height="${height}" rx="9"/>`;
  const look = pressed ? "word" : "said";
  const words = lines.map((line, index) => row(look, x + PADDING, y + (index + 1) * ROW, line));
  const keys = buttons.map((label, index) => key(label, MARGIN + index * 110, y + height + 5));
  return {
    shapes: [bubble, ...words, ...keys].join(""),
    height: height + (buttons.length > 0 ? ROW + PADDING + 5 : 0),
  };
}

function key(label, x, y) {
  const width = 100;
  return `<rect class="key" x="${x}" y="${y}" width="${width}" height="${ROW + PADDING}" rx="6"/><text class="word" x="${x + width / 2}" y="${y + ROW + 1}" text-anchor="middle">${markup(label)}</text>`;
}

function gets({ agent, text }, y) {
  const lines = wrap(text, TERMINAL.columns - agent.length - 3, "");
  const x = TERMINAL.x + MARGIN;
  const at = Math.ceil(x + (agent.length + 3) * COLUMN);
  const words = lines.map((line, index) => row("got", at, y + (index + 1) * ROW - 4, line));
  return {
    shapes: [row("agent", x, y + ROW - 4, `${agent} │`), ...words].join(""),
    height: lines.length * ROW,
  };
}

function row(look, x, y, text) {
  return `<text class="${look}" x="${x}" y="${y}">${markup(text)}</text>`;
}
