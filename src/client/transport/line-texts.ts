/** Bytes in, whole lines as text out: a hundred short lines are decoded in one go, which one by one costs as much as parsing. */
import { tooLongLine } from "../../wire/lines.ts";

const NEWLINE = 0x0a;

/** The result returns all lines that end in a chunk, with their newlines; throws if one has more than `mostBytes`. */
export function lineTexts(mostBytes: number): (chunk: Buffer) => string {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  const refuseLongerBy = (bytes: number): void => {
    if (begunBytes + bytes <= mostBytes) return;
    begun = [];
    throw tooLongLine(mostBytes);
  };
  return (chunk) => {
    // No byte of a longer UTF-8 character looks like a newline, so a cut there cuts no character.
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      refuseLongerBy(chunk.length);
      begun.push(chunk);
      begunBytes += chunk.length;
      return "";
    }
    refuseLongerBy(chunk.indexOf(NEWLINE));
    const whole = begun.length === 0 ? chunk : Buffer.concat([...begun, chunk]);
    const text = whole.toString("utf8", 0, begunBytes + end);
    begun = end === chunk.length ? [] : [chunk.subarray(end)];
    begunBytes = chunk.length - end;
    return text;
  };
}
