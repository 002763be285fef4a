/** How many columns a terminal gives a character: 0 for what joins the one before it. As most terminals do today. */

type Range = readonly [first: number, last: number];

const WIDE: readonly Range[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
/** Vowels and finals that are drawn into the syllable before them. */
const JOINING: readonly Range[] = [
  [0x1160, 0x11ff],
  [0xd7b0, 0xd7fb],
];
/** Two of them are one flag. */
const FLAG_LETTERS: Range = [0x1f1e6, 0x1f1ff];
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const KEYCAP = /^[0-9#*©®]$/;
const SKIN_TONES: Range = [0x1f3fb, 0x1f3ff];
const JOINER = 0x200d;
const AS_PICTURE = 0xfe0f;
const SOFT_HYPHEN = 0xad;
/** Below it nothing is wide and nothing joins. */
const FIRST_UNUSUAL = 0x300;

/** In one cell; a family with skin tones has eleven. */
export const CELL_CHARACTERS = 32;

const known = new Map<number, 0 | 1 | 2>();
const kinds = new Map<number, Kind>();

export function characterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < FIRST_UNUSUAL) return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ? 0 : 1;
  const found = known.get(codePoint);
  if (found !== undefined) return found;
  const width = look(codePoint);
  known.set(codePoint, width);
  return width;
}

/**
 * The same for a screen model, packed as it wants it: joins in bit 0, columns in bits 1 and 2, what it is and
 * how many have joined above. Programs
 * count what they draw by what is seen as one: a family of three is one picture of two columns. Where the model took six,
 * their padded lines would wrap, and everything below would stand on the wrong row.
 *
 * A cell takes so many characters and no more: the next one stands in a cell of its own. Without an end to it, a program
 * could fill all memory by a single cell, and no answer would have room for its screen.
 */
export const CHARACTER_WIDTHS = {
  version: "bellhop",
  wcwidth: characterWidth,
  charProperties(codePoint: number, before: number): number {
    const width = characterWidth(codePoint);
    const widthBefore = (before >> 1) & 3;
    if (widthBefore === 0) return packed(kindOf(codePoint), width);
    const kindBefore = ((before >> 3) & 3) as Kind;
    const count = (before >> 5) + 1;
    // A mark alone is drawn on a space, which counts.
    if (count >= CELL_CHARACTERS)
      return width === 0 ? packed(KIND.plain, 1, 1, "apart") : packed(kindOf(codePoint), width);
    if (width === 0) return packed(...joined(codePoint, kindBefore, widthBefore), count);
    const isPart =
      (kindBefore === KIND.linked && kindOf(codePoint) === KIND.pictograph) ||
      (kindBefore === KIND.pictograph && within(codePoint, SKIN_TONES));
    return isPart ? packed(KIND.pictograph, 2, count) : packed(kindOf(codePoint), width);
  },
};

const KIND = { plain: 0, sign: 1, pictograph: 2, linked: 3 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** What a character without a column of its own makes of the one before it. */
function joined(codePoint: number, kind: Kind, width: number): [Kind, number] {
  if (codePoint === JOINER) return [kind === KIND.pictograph ? KIND.linked : kind, width];
  // Drawn as a picture, where it would be a sign: a heart, a key's cap.
  if (codePoint === AS_PICTURE && kind !== KIND.plain) return [kind, 2];
  return [kind, width];
}

function kindOf(codePoint: number): Kind {
  if (codePoint < FIRST_UNUSUAL) return KEYCAP.test(String.fromCodePoint(codePoint)) ? KIND.sign : KIND.plain;
  const found = kinds.get(codePoint);
  if (found !== undefined) return found;
  const kind = PICTOGRAPH.test(String.fromCodePoint(codePoint)) ? KIND.pictograph : KIND.plain;
  kinds.set(codePoint, kind);
  return kind;
}

/** `count`: how many are in the cell behind the first. */
function packed(kind: Kind, width: number, count = 0, how: "joins" | "apart" = "joins"): number {
  return (count << 5) | (kind << 3) | (width << 1) | (count > 0 && how === "joins" ? 1 : 0);
}

/** Every terminal gives it this many: after it, the cursor is where we think. */
export function hasCertainWidth(text: string): boolean {
  const codePoint = text.codePointAt(0) ?? 0;
  if (text.length > (codePoint > 0xffff ? 2 : 1)) return false;
  if (codePoint < FIRST_UNUSUAL) return codePoint !== SOFT_HYPHEN;
  return CERTAIN.some((range) => within(codePoint, range));
}

/** Greek and Cyrillic, lines and blocks, kana, Chinese, Hangul. */
const CERTAIN: readonly Range[] = [
  [0x370, 0x482],
  [0x48a, 0x52f],
  [0x2500, 0x259f],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
];

function look(codePoint: number): 0 | 1 | 2 {
  if (JOINING.some((range) => within(codePoint, range))) return 0;
  if (WIDE.some((range) => within(codePoint, range)))
    return NO_WIDTH.test(String.fromCodePoint(codePoint)) ? 0 : 2;
  if (within(codePoint, FLAG_LETTERS)) return 1;
  const character = String.fromCodePoint(codePoint);
  if (NO_WIDTH.test(character)) return 0;
  return EMOJI.test(character) ? 2 : 1;
}

function within(codePoint: number, [first, last]: Range): boolean {
  return codePoint >= first && codePoint <= last;
}
