/** A delivery as the letter that goes to another host, and in which order letters go. Reads only; dispatch asks it. */
import { type HostName, hostMailbox, splitHost } from "../../../core/cluster/hosts.ts";
import { speakerOf } from "../../../core/cluster/speakers.ts";
import { isCode, NO_DIALOG } from "../../../core/desk/reply-text.ts";
import type { Delivery, Instant, Message, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { LADDER, PRIORITIES } from "../../../core/priority.ts";
import { LONGEST_DURATION_MS } from "../../../core/time/duration.ts";
import type { Item, StoreReader } from "../../../ports/store.ts";
import type { Letter } from "../../../wire/cluster/parcels.ts";
import { isOverdue } from "../../delivery/outgoing.ts";

const FURTHER = 4;
/** What somebody released goes right after what interrupts. */
const RELEASED_RANK = LADDER.interrupt.rank + 0.5;

export interface Way {
  /** This host. */
  readonly from: HostName;
  readonly to: HostName;
  /** That of the other host, as it is admitted now. */
  readonly key?: string;
}

export function letterOf(
  read: StoreReader,
  { delivery, message }: Item,
  { from, to }: Way,
  now: Instant,
): Letter {
  const { id, shortId, body, source, command, channel, externalId, hops } = message;
  const replyTo = message.replyTo === undefined ? undefined : answeredThere(read, message.replyTo, to);
  const { priority, timeoutAt, require, atMostOnce, anyWayIn, possibleDuplicate } = delivery;
  const timeoutMs = timeoutAt === undefined ? undefined : between(now, timeoutAt);
  const waitedMs = between(message.createdAt, now);
  return {
    kind: "letter",
    delivery: delivery.id,
    message: {
      ...{ id, shortId, from: speakerOf(message.from, from), to: asKnownThere(message.to, to), body },
      ...{ form: formOf(message), priority, source, hops },
      ...present({ command, channel, externalId, replyTo }),
      ...(message.payload === undefined ? {} : { payload: message.payload as Letter["message"]["payload"] }),
    },
    ...present({ timeoutMs, require, waitedMs: waitedMs === 0 ? undefined : waitedMs }),
    ...(atMostOnce ? { atMostOnce } : {}),
    ...(possibleDuplicate ? { possibleDuplicate } : {}),
    ...(anyWayIn === true ? { anyWayIn } : {}),
  };
}

/** What came from that host may have another id here: there it is known by its own. */
function answeredThere(read: StoreReader, answered: MessageId, host: HostName): MessageId {
  const letter = read.takenAs(answered);
  if (letter?.host !== host) return answered;
  // The id of a delivery begins with that of its message.
  return letter.delivery.slice(0, letter.delivery.lastIndexOf("."));
}

/** Neither less than nothing nor more than may be asked for, although the clock was set since. */
function between(earlier: Instant, later: Instant): number {
  return Math.min(Math.max(0, later - earlier), LONGEST_DURATION_MS);
}

/** `agent/coder@laptop` is `agent/coder` on the laptop; a path has the same name everywhere. */
function asKnownThere(to: string, host: HostName): string {
  const there = splitHost(to);
  return there?.host === host ? there.address : to;
}

/** Keys for a dialog that stood here, before their agent moved, go into nothing there. */
function formOf({ form }: Message): Letter["message"]["form"] {
  if (form.kind === "text") return form;
  const dialog = form.dialog === undefined || isCode(form.dialog) ? form.dialog : NO_DIALOG;
  return { kind: "raw", keys: [...form.keys], ...present({ dialog }) };
}

/**
 * What waits for this host and may go, at most so many: by priority, and within one in the order of acceptance. Also
 * for a priority of which the newest goes first: the other host puts its newest first by itself.
 */
export function departing(read: StoreReader, host: HostName, now: Instant, most: number): readonly Item[] {
  const mailboxes = [hostMailbox(host)];
  const goes = ({ delivery }: Item): boolean => delivery.release !== "withheld" && !isOverdue(delivery, now);
  const few = read.fewQueued(mailboxes, most);
  if (few !== undefined) return few.filter(goes).toSorted(byDeparture);
  for (let limit = most; ; limit *= FURTHER) {
    const items = waitingOf(read, mailboxes, limit);
    const going = items.filter(goes);
    if (going.length >= most || items.length < limit) return going.toSorted(byDeparture).slice(0, most);
  }
}

function waitingOf(read: StoreReader, mailboxes: readonly string[], limit: number): readonly Item[] {
  const waiting = { mailboxes, states: ["queued"], limit } as const;
  const all = [
    ...read.deliveries({ ...waiting, released: true }),
    ...PRIORITIES.flatMap((priority) => read.deliveries({ ...waiting, priority })),
  ];
  return [...new Map(all.map((item) => [item.delivery.id, item])).values()];
}

function byDeparture({ delivery: a }: Item, { delivery: b }: Item): number {
  return rankOf(a) - rankOf(b) || a.position - b.position || a.sequence - b.sequence;
}

function rankOf({ priority, release }: Delivery): number {
  const { rank } = LADDER[priority];
  return release === "now" ? Math.min(rank, RELEASED_RANK) : rank;
}
