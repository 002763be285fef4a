/**
 * Colours and attributes as tmux writes them in a capture: each row continues with those of the row before. So a row
 * can be drawn alone only with what it inherits. Pure.
 */

const SIGN = /\x1b\[([\d;:]*)m|[\x0e\x0f]/g;
const LINE_DRAWING = "\x0e";

export class PenCarry {
  #attributes: string[] = [];
  #colours = new Map<"foreground" | "background" | "underline", string>();
  #drawing = "";

  take(row: string): void {
    for (const [sign, parameters] of row.matchAll(SIGN)) {
      if (parameters === undefined) this.#drawing = sign === LINE_DRAWING ? sign : "";
      else this.#pen(parameters);
    }
  }

  /** What sets a plain terminal to it. */
  get text(): string {
    const pen = [...this.#attributes, ...this.#colours.values()];
    return `${pen.map((parameters) => `\x1b[${parameters}m`).join("")}${this.#drawing}`;
  }

  #pen(parameters: string): void {
    const colour = colourIn(parameters);
    if (colour !== undefined) {
      this.#colours.set(colour, parameters);
      return;
    }
    // When an attribute ends, tmux resets the pen and writes again what remains.
    if (parameters === "" || /^0(?:;|$)/.test(parameters)) {
      this.#attributes = [];
      this.#colours.clear();
    }
    if (!this.#attributes.includes(parameters)) this.#attributes.push(parameters);
  }
}

/** tmux writes each colour as a sequence of its own. */
function colourIn(parameters: string): "foreground" | "background" | "underline" | undefined {
  if (/^(?:3[0-79]|9[0-7]|38[;:].*)$/.test(parameters)) return "foreground";
  if (/^(?:4[0-79]|10[0-7]|48[;:].*)$/.test(parameters)) return "background";
  if (/^5[89](?:[;:].*)?$/.test(parameters)) return "underline";
  return undefined;
}
