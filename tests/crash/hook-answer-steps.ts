import type { Step } from "../../src/office/base/steps.ts";

/** Steps that only a hook that takes text visits: `tests/e2e/hook-rung.ts` kills the daemon there, with the real programs. */
export const HOOK_ANSWER_STEPS: readonly Step[] = ["hook.before-hand-over", "hook.after-hand-over"];
