import { STEPS, type Step } from "../../src/office/base/steps.ts";

/** Of turns without a terminal: killed at in `turns.test.ts`. */
export const TURN_STEPS: readonly Step[] = STEPS.filter((step) => step.startsWith("turn."));
