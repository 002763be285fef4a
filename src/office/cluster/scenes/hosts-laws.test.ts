import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostHappenings, lossyHappenings } from "../../../../tests/random-days/host-days.ts";
import { playHosts } from "../../../../tests/random-days/host-play.ts";

/** A few days with every check; a search sets the number, and uses a new seed each time. */
const days = process.env.BELLHOP_RANDOM_DAYS;
const search = days === undefined ? { numRuns: 12, seed: 18 } : { numRuns: Number(days) };

describe("hosts on any day", () => {
  it("lose nothing, take nothing twice, keep the order, and agree on what became of it", async () => {
    await fc.assert(
      fc.asyncProperty(hostHappenings, (day) => playHosts(day)),
      search,
    );
  }, 600_000);

  it("do not, if they forget which letters they have taken: the days find it", async () => {
    const found = await fc.check(
      fc.asyncProperty(hostHappenings, (day) => playHosts(day, { forgets: "taken" })),
      { numRuns: 30, seed: 18, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  }, 600_000);

  it("keep the order, whatever the engine loses of what it has stored", async () => {
    await fc.assert(
      fc.asyncProperty(lossyHappenings, (day) => playHosts(day)),
      search,
    );
  }, 600_000);

  it("do not, if no letter names the one before it: the days find it", async () => {
    const found = await fc.check(
      fc.asyncProperty(lossyHappenings, (day) => playHosts(day, { forgets: "unheard" })),
      { numRuns: 30, seed: 18, endOnFailure: true },
    );
    expect(String(found.errorInstance)).toContain("a → b, normal");
  }, 600_000);
});
