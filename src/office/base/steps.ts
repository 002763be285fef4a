/**
 * Every point at which a crash leaves a different situation. The code calls `checkpoint(step)` there;
 * the crash tests kill the daemon at each, and fail on a step that is never visited.
 */
export const STEPS = [
  "accept.validated",
  "accept.in-transaction",
  "accept.committed",
  "accept.filed",
  "deliver.chosen",
  "deliver.marked",
  "paste.before-keys",
  "paste.after-keys",
  "native.before-hand-over",
  "native.after-hand-over",
  "hook.before-hand-over",
  "hook.after-hand-over",
  "deliver.proven",
  "deliver.recorded",
  "draft.persisted",
  "draft.key-pressed",
  "draft.cleared",
  "draft.before-restore",
  "draft.restored",
  "hook.received",
  "hook.recorded",
  "expiry.due",
  "expiry.recorded",
  "timer.due",
  "timer.fired",
  "notice.owed",
  "notice.told",
  "outlet.marked",
  "outlet.taken",
  "outlet.recorded",
  "outside.received",
  "outside.stored",
  "outside.saying",
  "outside.said",
  "turn.triaging",
  "turn.triaged",
  "turn.marked",
  "turn.released",
  "turn.ran",
  "turn.recorded",
  "turn.answered",
  "turn.failed",
  "cluster.marked",
  "cluster.stored",
  "cluster.taken",
  "cluster.told",
  "cluster.heeded",
] as const;

export type Step = (typeof STEPS)[number];

/** Does nothing outside the crash tests. */
export type Checkpoint = (step: Step) => void;
