/** How many columns a terminal gives a character: 0 if it joins the one before it. As most terminals do today. */

type Range = (codePoint: number) => boolean;

/** Unicode ranges in hexadecimal, first and last code point of each. */
export function ranges(...lines: readonly string[]): Range {
  const pairs = lines.flatMap((line) =>
    line.split(" ").map((range) => range.split("-").map((hex) => Number.parseInt(hex, 16))),
  );
  return (codePoint) => pairs.some(([first = 0, last = 0]) => codePoint >= first && codePoint <= last);
}

const isWide = ranges(
  "1100-115f 2329-232a 2e80-303e 3041-3247 3250-4dbf 4e00-a4cf a960-a97f ac00-d7a3 f900-faff fe10-fe19",
  "fe30-fe6f ff01-ff60 ffe0-ffe6 16fe0-18cff 1aff0-1b2ff 1f200-1f2ff 20000-3fffd",
);
/** Vowels and finals that are drawn into the preceding syllable. */
const joinsSyllable = ranges("1160-11ff d7b0-d7fb");
/** Two of them form a flag. */
const isFlagLetter = ranges("1f1e6-1f1ff");
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const KEYCAP = /^[0-9#*©®]$/;
export const isSkinTone = ranges("1f3fb-1f3ff");
const JOINER = 0x200d;
const AS_PICTURE = 0xfe0f;
const SOFT_HYPHEN = 0xad;
/** Below this, nothing is wide and nothing joins. */
const FIRST_UNUSUAL = 0x300;

/** Most characters in one cell; a family with skin tones has eleven. */
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
 * The same for a screen model, in its packed form: bit 0 says whether it joins, bits 1 and 2 hold the columns, the
 * higher bits the kind and how many have joined. Programs count one visible picture as one: a family of three is two
 * columns wide. If the model counted six, their padded lines would wrap, and everything below would be a row off.
 *
 * A cell holds a limited number of characters; the next one gets its own cell. Without a limit, a program could fill
 * all memory through a single cell, and no answer could hold its screen.
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
    // A lone combining mark is drawn on a space, which counts.
    if (count >= CELL_CHARACTERS)
      return width === 0 ? packed(KIND.plain, 1, 1, "apart") : packed(kindOf(codePoint), width);
    if (width === 0) return packed(...joined(codePoint, kindBefore, widthBefore), count);
    const isPart =
      (kindBefore === KIND.linked && kindOf(codePoint) === KIND.pictograph) ||
      (kindBefore === KIND.pictograph && isSkinTone(codePoint));
    return isPart ? packed(KIND.pictograph, 2, count) : packed(kindOf(codePoint), width);
  },
};

const KIND = { plain: 0, sign: 1, pictograph: 2, linked: 3 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** How a character without a column of its own changes the one before it. */
function joined(codePoint: number, kind: Kind, width: number): [Kind, number] {
  if (codePoint === JOINER) return [kind === KIND.pictograph ? KIND.linked : kind, width];
  // Makes a sign into a picture: a heart, a keycap.
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

/** `count`: how many characters follow the first in the cell. */
function packed(kind: Kind, width: number, count = 0, how: "joins" | "apart" = "joins"): number {
  return (count << 5) | (kind << 3) | (width << 1) | (count > 0 && how === "joins" ? 1 : 0);
}

/** Whether every terminal gives it the same width, so that the cursor's position after it is known. */
export function hasCertainWidth(text: string): boolean {
  const codePoint = text.codePointAt(0) ?? 0;
  if (text.length > (codePoint > 0xffff ? 2 : 1)) return false;
  if (codePoint < FIRST_UNUSUAL) return codePoint !== SOFT_HYPHEN;
  return isCertain(codePoint);
}

/** Greek and Cyrillic, line drawing and blocks, kana, Chinese, Hangul. */
const isCertain = ranges("370-482 48a-52f 2500-259f 3041-3096 30a0-30ff 4e00-9fff ac00-d7a3");

function look(codePoint: number): 0 | 1 | 2 {
  const character = String.fromCodePoint(codePoint);
  if (joinsSyllable(codePoint)) return 0;
  if (isWide(codePoint)) return NO_WIDTH.test(character) ? 0 : 2;
  if (isFlagLetter(codePoint)) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return EMOJI.test(character) ? 2 : 1;
}
