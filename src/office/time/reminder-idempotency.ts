/** Idempotency keys of reminders: the same call again gives the reminder it set; a different one is refused. */
import { BellhopError } from "../../core/errors.ts";
import type { Address, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { ownKey } from "../../core/rights/own-key.ts";
import type { Digest } from "../../ports/ids.ts";
import type { KeyedReminder, Reminder, StoreWriter, Timer } from "../../ports/store.ts";
import type { RemindRequest } from "../../wire/verbs/reminders.ts";
import type { Once } from "../accept/idempotency.ts";
import type { SenderIdentity } from "../presence/directory.ts";

interface OnceSet extends Once {
  /** The digest that an earlier version stored for the same call. */
  readonly digestBefore: string;
}

export function onceOfReminder(
  request: RemindRequest,
  to: Address | undefined,
  setter: SenderIdentity,
  digest: Digest,
): OnceSet | undefined {
  const { text, afterMs, everyMs, at, atWritten, cron, idempotencyKey } = request;
  if (idempotencyKey === undefined) return undefined;
  const digestOf = (...content: readonly (string | number | undefined)[]) =>
    digest(JSON.stringify(content.map((part) => part ?? null)));
  return {
    idempotencyKey: ownKey(setter.address, idempotencyKey),
    contentDigest: digestOf(text, ownOr(to, setter), afterMs, everyMs, atWritten ?? at, cron),
    digestBefore: digestOf(text, to, afterMs, everyMs, at, cron),
  };
}

/** An agent that sets a reminder for itself may have been renamed by the second call. */
function ownOr(to: Address | undefined, { address }: SenderIdentity): Address | undefined {
  return to === address ? "" : to;
}

/** The current reminder; if it has fired or was cancelled, the one that was set. */
export function setBefore(
  tx: StoreWriter,
  once: OnceSet,
  request: RemindRequest,
  setter: SenderIdentity,
  now: Instant,
): Reminder | undefined {
  const earlier = tx.reminderByKey(once.idempotencyKey);
  if (earlier === undefined) return undefined;
  if (![once.contentDigest, once.digestBefore].includes(earlier.contentDigest)) {
    throw new BellhopError("message.conflict", {
      message: `The idempotency key "${request.idempotencyKey}" was used for another reminder (${earlier.id}).`,
      next: "Use a new key for a new reminder, or ask for exactly the same one.",
    });
  }
  const timer = tx.timer(earlier.id);
  // The id may have been given to another one since.
  if (timer?.createdAt === earlier.setAt && isReminder(timer)) return timer;
  return asItWas(earlier, request, setter, now);
}

function asItWas(
  { id, to, sessionId, dueAt, setAt }: KeyedReminder,
  { text, everyMs, cron }: RemindRequest,
  setter: SenderIdentity,
  now: Instant,
): Reminder {
  return {
    id,
    dueAt,
    createdAt: setAt,
    fired: dueAt <= now ? 1 : 0,
    counts: "wall",
    ...(everyMs === undefined ? {} : { repeat: { kind: "every", ms: everyMs } }),
    ...(cron === undefined ? {} : { repeat: { kind: "cron", line: cron } }),
    work: {
      kind: "reminder",
      to,
      ...present({ sessionId }),
      setBy: setter.address,
      text,
    },
  };
}

export function keyed({ id, dueAt, createdAt, work }: Reminder, once: Once): KeyedReminder {
  const { to, sessionId } = work;
  return {
    key: once.idempotencyKey,
    contentDigest: once.contentDigest,
    id,
    to,
    ...present({ sessionId }),
    dueAt,
    setAt: createdAt,
  };
}

export function isReminder(timer: Timer): timer is Reminder {
  return timer.work.kind === "reminder";
}
