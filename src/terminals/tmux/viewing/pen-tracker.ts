/**
 * The pen of a program as its output sets it: colours, attributes, character sets. tmux tells everything of a pane but
 * this, and programs write on with the pen that they have. It is known from the first reset on. Pure.
 */
const SIGN = /\x1b(?:\[([\d;:]*)m|\[!p|[c78]|\[[su]|([()])([0-9A-Z]))|[\x0e\x0f]/g;
/** The start of a sequence that goes on in the next piece. */
const UNFINISHED = /\x1b(?:\[[\d;:!]*|[()])?$/;

interface Pen {
  readonly known: boolean;
  /** By what they set: a colour has one at a time, and so has each attribute. */
  readonly parts: ReadonlyMap<Part, string>;
}

type Part = "foreground" | "background" | "underlined" | number;

const UNKNOWN: Pen = { known: false, parts: new Map() };
const PLAIN: Pen = { known: true, parts: new Map() };

/** What ends which attributes. */
const ENDS: Readonly<Record<number, readonly Part[]>> = {
  22: [1, 2],
  23: [3],
  24: [4],
  25: [5],
  27: [7],
  28: [8],
  29: [9],
  39: ["foreground"],
  49: ["background"],
  55: [53],
  59: ["underlined"],
};

export class PenTracker {
  #pen = UNKNOWN;
  #saved = UNKNOWN;
  #begun = "";
  #sets = { "(": "B", ")": "0" };
  #shift = "";

  /** Whether a copy that starts here writes on as the program does. */
  get isKnown(): boolean {
    return this.#pen.known;
  }

  take(text: string): void {
    const whole = this.#begun + text;
    this.#begun = UNFINISHED.exec(whole)?.[0] ?? "";
    for (const [sign, parameters, set, charset] of whole.matchAll(SIGN)) {
      if (parameters !== undefined) this.#pen = after(this.#pen, parameters);
      else if (set !== undefined) this.#sets[set as "(" | ")"] = charset ?? "B";
      else this.#other(sign);
    }
  }

  /** Something is missing. */
  forget(): void {
    this.#pen = UNKNOWN;
    this.#saved = UNKNOWN;
    this.#begun = "";
  }

  /** What sets a terminal to it, as far as it is known. */
  get text(): string {
    const pen = ["0", ...this.#pen.parts.values()].join(";");
    return `\x1b(${this.#sets["("]}\x1b)${this.#sets[")"]}${this.#shift}\x1b[${pen}m`;
  }

  #other(sign: string): void {
    switch (sign) {
      case "\x0e":
        this.#shift = sign;
        return;
      case "\x0f":
        this.#shift = "";
        return;
      case "\x1b7":
      case "\x1b[s":
        this.#saved = this.#pen;
        return;
      case "\x1b8":
      case "\x1b[u":
        this.#pen = this.#saved;
        return;
      default:
        // A reset of the terminal.
        this.#pen = PLAIN;
        this.#sets = { "(": "B", ")": "0" };
        this.#shift = "";
    }
  }
}

function after(pen: Pen, parameters: string): Pen {
  let { known } = pen;
  const parts = new Map(pen.parts);
  const codes = parameters.split(";");
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? "";
    const number = Number.parseInt(code, 10) || 0;
    const colour = colourOf(number);
    if (number === 0) {
      known = true;
      parts.clear();
    } else if (code === "4:0") parts.delete(4);
    else if (number in ENDS) for (const part of ENDS[number] ?? []) parts.delete(part);
    else if (colour === undefined) parts.set(number === 21 ? 4 : number, code);
    else {
      const length = number % 10 === 8 && !code.includes(":") ? (codes[at + 1] === "2" ? 5 : 3) : 1;
      parts.set(colour, codes.slice(at, at + length).join(";"));
      at += length - 1;
    }
  }
  return { known, parts };
}

function colourOf(code: number): Part | undefined {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "foreground";
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "background";
  return code === 58 ? "underlined" : undefined;
}
