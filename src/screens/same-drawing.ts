/** The host's screen and the one an attached person sees draw the same bytes: what they must have alike. */
import { boundCounts, type CountedModel } from "./bounded-counts.ts";
import { CHARACTER_WIDTHS } from "./character-width.ts";

interface ScreenOfCells extends CountedModel {
  readonly unicode: { register(widths: typeof CHARACTER_WIDTHS): void; activeVersion: string };
}

/** Its own table of widths is of 2010 and gives an emoji one column, where programs and terminals give it two. */
export function drawAlike(screen: ScreenOfCells): void {
  screen.unicode.register(CHARACTER_WIDTHS);
  screen.unicode.activeVersion = CHARACTER_WIDTHS.version;
  boundCounts(screen);
}
