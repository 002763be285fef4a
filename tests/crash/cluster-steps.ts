import { STEPS, type Step } from "../../src/office/base/steps.ts";

/** Steps that only a daemon in a cluster visits. */
export const CLUSTER_STEPS: readonly Step[] = STEPS.filter((step) => step.startsWith("cluster."));
