/** What hosts and the double of the engine count by too. */
import type { Backoff } from "../core/time/backoff.ts";

/** How long what a host says of itself counts. */
export const LEASE_MS = 90_000;
/** A third of the lease: two may be lost. */
export const REPEAT_MS = 30_000;
/** How long the engine recognises the name of a bag. */
export const NAMES_KEPT_MS = 120_000;
/** How long the engine has to store something. */
export const STORE_DEADLINE_MS = 5_000;
/** When a bag that could not be taken comes again. */
export const BAG_AGAIN: Backoff = { firstMs: 1_000, longestMs: 10_000 };
