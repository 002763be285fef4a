/**
 * The words by which a person shows who they are while a bridge is added. Whoever adds it only looks at what waits, and
 * takes nothing away: so the daemon gets these words too, and knows them by their form.
 */
import { sameText } from "./echo.ts";

/** Guessing one takes longer than it is waited for. */
export const INTRODUCTION_NUMBERS = { least: 100_000, most: 1_000_000 } as const;

const WORD = /^bellhop-\d{6}$/;

export function introduction(number: number): string {
  return `bellhop-${number}`;
}

/** `/start CODE` is what Telegram writes for somebody who opens a link. */
export function introductionIn(text: string): string | undefined {
  const said = sameText(text)
    .toLowerCase()
    .replace(/^\/start(?:@\w+)? /, "");
  return WORD.test(said) ? said : undefined;
}
