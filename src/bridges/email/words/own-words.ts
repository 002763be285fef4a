/**
 * What a person wrote themselves: without what they quote, without signatures, without the fields above what they
 * forward. What they forward stays, marked. Nobody's words are lost for good: if nothing would be left, all of it stays.
 */
import {
  isAttribution,
  isDeviceLine,
  isForwardedLine,
  isFromField,
  isOriginalLine,
  isOtherField,
  isRule,
  mayStartAttribution,
} from "./phrases.ts";

export const FORWARDED_MARK = "[forwarded]";
/** A mail program breaks an attribution into no more lines than these; longer joins are somebody's own words. */
const ATTRIBUTION = { lines: 4, characters: 400 } as const;
const MOST_FIELD_LINES = 16;
/** Without its trailing blank, "--" may also stand between paragraphs. */
const LONGEST_SIGNATURE_LINES = 10;
/** Nobody writes more by hand; the rest is kept as it is. */
const MOST_LINES = 20_000;

export function ownWords(text: string, options: { readonly isForward?: boolean } = {}): string {
  const whole = text.replace(/\r\n?/gu, "\n");
  const lines = whole.split("\n");
  if (lines.length > MOST_LINES) return trimmed(whole);
  const own = trimmed(kept(lines, options.isForward ?? false).join("\n"));
  return own === "" ? trimmed(whole) : own;
}

type Boundary =
  | { readonly kind: "none" }
  /** These lines go; what follows is looked at as before. */
  | { readonly kind: "skip"; readonly lines: number }
  /** Everything from here on is quoted. */
  | { readonly kind: "end" }
  /** After these lines stands what was forwarded. */
  | { readonly kind: "forwarded"; readonly lines: number };

const NONE: Boundary = { kind: "none" };

function kept(lines: readonly string[], isForward: boolean): readonly string[] {
  const own: string[] = [];
  let part: string[] = [];
  let isSignature = false;
  const finishPart = (): void => {
    own.push(...withoutDeviceLines(part));
    part = [];
    isSignature = false;
  };
  for (let at = 0; at < lines.length; ) {
    const boundary = boundaryAt(lines, at, isForward);
    if (boundary.kind === "none") {
      isSignature ||= startsSignature(lines, at);
      if (!isSignature) part.push(lines[at] ?? "");
      at += 1;
      continue;
    }
    finishPart();
    if (boundary.kind === "end") return own;
    if (boundary.kind === "forwarded") {
      if (own.at(-1)?.trim() !== "") own.push("");
      return [...own, FORWARDED_MARK, ...withoutBlankStart(forwarded(lines, at + boundary.lines))];
    }
    at += boundary.lines;
  }
  finishPart();
  return own;
}

function boundaryAt(lines: readonly string[], at: number, isForward: boolean): Boundary {
  const line = lines[at] ?? "";
  if (line.trim() === "") return NONE;
  if (isForwardedLine(line)) return { kind: "forwarded", lines: 1 };
  if (isQuoted(line)) return { kind: "skip", lines: 1 };
  if (isOriginalLine(line)) return isForward ? { kind: "forwarded", lines: 1 } : { kind: "end" };
  const rule = isRule(line) ? 1 + blankLines(lines, at + 1) : 0;
  const fields = fieldLines(lines, at + rule);
  if (fields > 0) return isForward ? { kind: "forwarded", lines: rule } : { kind: "end" };
  const attribution = attributionLines(lines, at);
  if (attribution === 0) return NONE;
  const next = at + attribution + blankLines(lines, at + attribution);
  const isMarked = next >= lines.length || isQuoted(lines[next] ?? "");
  return isMarked ? { kind: "skip", lines: attribution } : { kind: "end" };
}

function isQuoted(line: string): boolean {
  return /^\s{0,3}>/u.test(line);
}

/** Of how many lines an attribution consists that starts here; 0 if none does. */
function attributionLines(lines: readonly string[], at: number): number {
  let joined = "";
  for (let count = 1; count <= ATTRIBUTION.lines; count += 1) {
    const line = (lines[at + count - 1] ?? "").trim();
    if (line === "" || isQuoted(line)) return 0;
    joined = joined === "" ? line : `${joined} ${line}`;
    if (joined.length > ATTRIBUTION.characters) return 0;
    // The line above an attribution of one line is the person's own, however it begins.
    if (count > 1 && isAttribution(line)) return 0;
    if (isAttribution(joined)) return count;
    if (count === 1 && !mayStartAttribution(line)) return 0;
  }
  return 0;
}

/** How many lines of "From: …", "Sent: …", "Subject: …" begin here; 0 if these are not such fields. */
function fieldLines(lines: readonly string[], at: number): number {
  if (!isFromField(lines[at] ?? "")) return 0;
  let count = 1;
  let others = 0;
  while (count < MOST_FIELD_LINES && (lines[at + count] ?? "").trim() !== "") {
    if (isOtherField(lines[at + count] ?? "")) others += 1;
    count += 1;
  }
  return others >= 2 ? count : 0;
}

/** What was forwarded, without its fields. Some programs quote all of it. */
function forwarded(lines: readonly string[], from: number): readonly string[] {
  const rest = lines.slice(from);
  const first = rest.find((line) => line.trim() !== "") ?? "";
  const plain = isQuoted(first) ? rest.map((line) => line.replace(/^\s{0,3}>\s?/u, "")) : rest;
  const start = blankLines(plain, 0);
  return plain.slice(start + fieldLines(plain, start));
}

function startsSignature(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (line === "-- " || line === "--\u00A0") return true;
  if (line !== "--") return false;
  let length = 0;
  for (let next = at + 1; next < lines.length && length <= LONGEST_SIGNATURE_LINES; next += 1) {
    if (isQuoted(lines[next] ?? "")) break;
    length += 1;
  }
  return length <= LONGEST_SIGNATURE_LINES;
}

function withoutDeviceLines(part: readonly string[]): readonly string[] {
  let end = part.length;
  while (end > 0 && ((part[end - 1] ?? "").trim() === "" || isDeviceLine(part[end - 1] ?? ""))) end -= 1;
  return end === part.length ? part : [...part.slice(0, end), ""];
}

function blankLines(lines: readonly string[], from: number): number {
  let count = 0;
  while (from + count < lines.length && (lines[from + count] ?? "").trim() === "") count += 1;
  return count;
}

function withoutBlankStart(lines: readonly string[]): readonly string[] {
  return lines.slice(blankLines(lines, 0));
}

/** Without blank lines around it; indentation of the first line stays. */
function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/u, "").trimEnd();
}
