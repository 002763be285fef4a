/**
 * Properties are tested with the same inputs in every run: a failure here is a failure everywhere, and nobody sees a
 * failure that their change did not cause. `BELLHOP_TEST_SEED=random` or another number tries other inputs; a search over
 * random days has a new seed each time.
 */
import fc from "fast-check";

const { BELLHOP_TEST_SEED: asked = "1", BELLHOP_RANDOM_DAYS: days } = process.env;
if (asked !== "random" && days === undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
