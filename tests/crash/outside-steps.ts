import { STEPS, type Step } from "../../src/office/base/steps.ts";

/** Steps that only a daemon with a bridge visits: `outside.test.ts` kills it there. */
export const OUTSIDE_STEPS: readonly Step[] = STEPS.filter((step) => /^(?:outside|outlet)\./u.test(step));
