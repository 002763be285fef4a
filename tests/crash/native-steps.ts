import type { Step } from "../../src/office/base/steps.ts";

/** Steps that only a native inbox visits: `tests/e2e/claude-crash.test.ts` kills the daemon there, with the real program. */
export const NATIVE_STEPS: readonly Step[] = ["native.before-hand-over", "native.after-hand-over"];
