/**
 * Properties are tried with the same inputs in every run: what fails here fails everywhere, and nothing fails for who
 * did not touch it. `BELLHOP_TEST_SEED=random` searches on, another number looks elsewhere; a search over random days
 * has its own seed each time.
 */
import fc from "fast-check";

const { BELLHOP_TEST_SEED: asked = "1", BELLHOP_RANDOM_DAYS: days } = process.env;
if (asked !== "random" && days === undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
