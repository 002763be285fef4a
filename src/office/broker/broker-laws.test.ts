import fc from "fast-check";
import { describe, it } from "vitest";
import { brokerCasts, brokerDays } from "../../../tests/random-days/broker-days.ts";
import { playBrokerDay } from "../../../tests/random-days/broker-play.ts";

/** A search sets this number; it also uses a new seed each time, and longer days. */
const days = process.env.BELLHOP_RANDOM_DAYS;
const search = days === undefined ? { numRuns: 300, seed: 11 } : { numRuns: Number(days) };
const happenings = days === undefined ? 18 : 36;

describe("on any day at the broker", () => {
  it("who gets what, what is handled and what is received is as its document says", async () => {
    await fc.assert(fc.asyncProperty(brokerCasts, brokerDays(happenings), playBrokerDay), search);
  }, 7_200_000);
});
