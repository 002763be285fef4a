import fc from "fast-check";
import { describe, it } from "vitest";
import { casts, happenings } from "../../tests/random-days/office-days.ts";
import { playDay } from "../../tests/random-days/office-play.ts";

/** A few days with every check; a search sets the number, and uses a new seed each time. */
const days = process.env.BELLHOP_RANDOM_DAYS;
const search = days === undefined ? { numRuns: 8, seed: 7 } : { numRuns: Number(days) };

describe("on any day", () => {
  it("no young draft is touched, no word is lost, and every message arrives once or marked", async () => {
    await fc.assert(
      fc.asyncProperty(casts, happenings("calm"), (cast, day) => playDay(cast, day, "calm")),
      search,
    );
  }, 600_000);

  it("no word is lost and every message arrives once or marked, also when some jump the queue", async () => {
    await fc.assert(
      fc.asyncProperty(casts, happenings("wild"), (cast, day) => playDay(cast, day, "wild")),
      search,
    );
  }, 600_000);
});
