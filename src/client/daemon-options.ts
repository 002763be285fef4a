/**
 * How Node is told to run the daemon. Also for the build: V8 takes what it compiled before only from a run with the same
 * options.
 *
 * A daemon is idle most of the time. By default, V8 lets the space for its youngest objects grow to 48 MB and keeps it
 * after a flood of messages; this saves up to 45 MB then, and a flood costs the same. With half of it, a flood costs an
 * eighth more.
 */
export const DAEMON_OPTIONS: readonly string[] = ["--max-semi-space-size=4"];
