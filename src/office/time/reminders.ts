/** Sets, lists and cancels reminders. Called by the use-cases; `timers` sends one when it is due. */
import { agentAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import { type Address, type Instant, LIMITS } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import { type NextByCron, plan } from "../../core/time/schedule.ts";
import type { Reminder, StoreReader, StoreWriter, Timer } from "../../ports/store.ts";
import type { ShownReminder } from "../../wire/shapes/reminders.ts";
import type { RemindRequest } from "../../wire/verbs/reminders.ts";
import type { Accept } from "../accept/accept.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import { isReminder, keyed, onceOfReminder, setBefore } from "./reminder-idempotency.ts";
import { stillWaiting } from "./repeating.ts";
import type { Timekeeper } from "./timekeeper.ts";

/** A runaway script must not fill the store with reminders. */
export const MOST_REMINDERS = 10_000;
/** A message, minus room for the words around it. */
export const LONGEST_REMINDER_BYTES = LIMITS.bodyBytes - 1_024;

export interface RemindersParts extends Ground {
  readonly accept: Accept;
  readonly timekeeper: Timekeeper;
  readonly nextByCron: NextByCron;
  /** A deadline was added or removed. */
  touched(): void;
}

type Place = Pick<Reminder["work"], "to" | "sessionId">;

export class Reminders {
  readonly #parts: RemindersParts;

  constructor(parts: RemindersParts) {
    this.#parts = parts;
  }

  async set(request: RemindRequest, to: Address | undefined): Promise<ShownReminder> {
    const { accept, context, directory, timekeeper } = this.#parts;
    checkText(request.text);
    const setter = directory.sender(request.claims, request.from);
    const refusal = to === undefined ? undefined : accept.refusal({ to, sender: setter });
    if (refusal !== undefined) throw refusal;
    const once = onceOfReminder(request, to, setter, context.digest);
    const now = timekeeper.deadlineIn(0);
    const { reminder, time } = await context.store.write((tx) => {
      const earlier = once === undefined ? undefined : setBefore(tx, once, request, setter, now);
      if (earlier !== undefined) return { reminder: earlier, time: "again" as const };
      const set = this.#insert(tx, request, this.#place(to, setter), setter, now);
      if (once !== undefined) tx.putReminderKey(keyed(set, once));
      return { reminder: set, time: "first" as const };
    });
    if (time === "first") {
      context.log.info("reminder.set", { timer: reminder.id, to: reminder.work.to, dueAt: reminder.dueAt });
      this.#parts.touched();
    }
    return shown(reminder, context.store.read);
  }

  #insert(
    tx: StoreWriter,
    request: RemindRequest,
    place: Place,
    setter: SenderIdentity,
    now: Instant,
  ): Reminder {
    const { ids } = this.#parts.context;
    const when = plan(request, now, this.#parts.nextByCron);
    if (tx.timers({}).filter(isReminder).length >= MOST_REMINDERS) {
      throw new BellhopError("reminder.too_many", {
        message: `${MOST_REMINDERS} reminders are already waiting.`,
        next: 'Look at them with "bellhop reminders" and cancel some.',
      });
    }
    let id = ids.shortId();
    while (tx.timer(id) !== undefined) id = ids.shortId();
    const reminder: Reminder = {
      id,
      createdAt: now,
      fired: 0,
      ...when,
      work: {
        kind: "reminder",
        ...place,
        setBy: setter.address,
        ...present({ setBySession: setter.sessionId }),
        text: request.text,
      },
    };
    tx.putTimer(reminder);
    return reminder;
  }

  list(who: Address | undefined): readonly ShownReminder[] {
    const { context, directory } = this.#parts;
    const meant = who === undefined ? undefined : directory.aliases(who);
    return context.store.read
      .timers({})
      .filter(isReminder)
      .filter(({ work }) => meant === undefined || meant.includes(work.to))
      .map((reminder) => shown(reminder, context.store.read));
  }

  /** Who set it, and whom it is for. */
  parties(id: string): readonly Address[] {
    const { setBy, to } = meant(this.#parts.context.store.read, id).work;
    return [setBy, to];
  }

  async cancel(text: string): Promise<ShownReminder> {
    const { context } = this.#parts;
    const cancelled = await context.store.write((tx) => {
      const only = meant(tx, text);
      tx.removeTimer(only.id);
      return only;
    });
    context.log.info("reminder.cancelled", { timer: cancelled.id });
    this.#parts.touched();
    return shown(cancelled, context.store.read);
  }

  /** A session's reminder goes to the session while it lives, else to its agent. */
  #place(to: Address | undefined, setter: SenderIdentity): Place {
    const { context, directory, neighbours } = this.#parts;
    if (to === undefined) {
      const { address, sessionId } = setter;
      // It would become a dead letter when it is due.
      if (!directory.knows(address)) throw nobody(address);
      return { to: address, ...present({ sessionId }) };
    }
    if (neighbours.elsewhere(to) !== undefined) return { to };
    const { kind, rest } = splitAddress(parsePattern(to).text);
    // Who subscribes to a path is decided when it is due.
    if (kind !== "other" && !directory.knows(to)) throw nobody(to);
    const agent = kind === "session" ? context.store.read.session(rest)?.agent : undefined;
    return agent === undefined ? { to } : { to: agentAddress(agent), sessionId: rest };
  }
}

function meant(read: StoreReader, text: string): Reminder {
  const id = text.trim();
  const all = read.timers({}).filter(isReminder);
  const fit = all.filter((timer) => timer.id === id || (id.length >= 3 && timer.id.startsWith(id)));
  const only = fit.find((timer) => timer.id === id) ?? (fit.length === 1 ? fit[0] : undefined);
  if (only === undefined) throw fit.length === 0 ? unknown(text) : several(text, fit);
  return only;
}

/** What accept would refuse later is refused now, while the caller can be told. */
function checkText(text: string): void {
  if (text.trim() === "") {
    throw new BellhopError("message.empty", {
      message: "The reminder has no text.",
      next: 'Say what it is about: bellhop remind 5m "look again".',
    });
  }
  if (Buffer.byteLength(text, "utf8") > LONGEST_REMINDER_BYTES) {
    throw new BellhopError("message.too_large", {
      message: `The reminder has more than ${LONGEST_REMINDER_BYTES / 1_024} KiB.`,
      next: "Put the text into a file, and let the reminder name the file.",
    });
  }
  if (!text.isWellFormed()) {
    throw new BellhopError("message.invalid_utf8", {
      message: "The reminder is not valid Unicode text.",
      next: "Send UTF-8 text.",
    });
  }
}

function nobody(address: Address): BellhopError {
  return new BellhopError("recipient.unknown", {
    message: `${address} has no mailbox.`,
    next: 'Say whom to remind with --to; "bellhop ls" shows who is there.',
  });
}

function shown({ id, dueAt, createdAt, fired, repeat, work }: Reminder, read: StoreReader): ShownReminder {
  const waiting = stillWaiting(read, work)?.shortId;
  return {
    id,
    to: work.to,
    ...present({ sessionId: work.sessionId }),
    text: work.text,
    setBy: work.setBy,
    dueAt,
    ...(repeat?.kind === "every" ? { everyMs: repeat.ms } : {}),
    ...(repeat?.kind === "cron" ? { cron: repeat.line } : {}),
    createdAt,
    fired,
    ...present({ waiting }),
  };
}

function unknown(text: string): BellhopError {
  return new BellhopError("reminder.unknown", {
    message: `No reminder matches "${text}".`,
    next: 'List them with "bellhop reminders": it may have come already.',
  });
}

function several(text: string, meant: readonly Timer[]): BellhopError {
  return new BellhopError("message.ambiguous", {
    message: `"${text}" matches several reminders.`,
    next: "Give the whole id.",
    candidates: meant.map(({ id }) => id),
  });
}
