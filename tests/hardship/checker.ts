/**
 * What must be true after a hard day, decided from what was seen from outside: what senders were promised, what both
 * hosts say of it, and what the agents read. It asks nobody, so that it can be fed with any history.
 */
import type { DeliveryState } from "../../src/core/message.ts";

/** One message, under a mark that is found in whatever an agent reads. */
export interface Sent {
  readonly mark: string;
  /** `host/agent`, both. */
  readonly from: string;
  readonly to: string;
  /** Counts what this sender wrote to this recipient. */
  readonly number: number;
  /** Whether the sender was told that it is accepted. */
  acknowledged: boolean;
}

/** What one host says of a message. */
export interface Side {
  readonly state: DeliveryState;
  readonly possibleDuplicate: boolean;
}

export interface History {
  /** In the order in which each sender sent it. */
  readonly sent: readonly Sent[];
  /** What the sender's host says, by mark. */
  readonly here: ReadonlyMap<string, Side>;
  /** What the recipient's host says: one side for each message that it has stored under this mark. */
  readonly there: ReadonlyMap<string, readonly Side[]>;
  /** The marks that each recipient read, in this order. */
  readonly read: ReadonlyMap<string, readonly string[]>;
}

export const FAULTS = ["lost", "twice", "swapped", "disagreement", "astray"] as const;
export interface Fault {
  readonly kind: (typeof FAULTS)[number];
  readonly words: string;
}

const REACHED: readonly DeliveryState[] = ["delivered", "read", "replied", "unconfirmed"];

export function faultsOf(history: History): readonly Fault[] {
  return [
    ...lost(history),
    ...twice(history),
    ...swapped(history),
    ...disagreements(history),
    ...astray(history),
  ];
}

function* lost({ sent, read }: History): Generator<Fault> {
  for (const { mark, to, acknowledged } of sent)
    if (acknowledged && !(read.get(to) ?? []).includes(mark))
      yield { kind: "lost", words: `${mark} was accepted, and ${to} never read it` };
}

/** A second copy must be marked, by both. */
function* twice({ read, here, there }: History): Generator<Fault> {
  for (const [to, marks] of read)
    for (const [mark, copies] of counted(marks)) {
      if (copies < 2) continue;
      const sides = [here.get(mark), ...(there.get(mark) ?? [])];
      if (sides.every((side) => side?.possibleDuplicate === true)) continue;
      yield { kind: "twice", words: `${to} read ${mark} ${copies} times, and nobody was warned` };
    }
  for (const [mark, sides] of there)
    if (sides.length > 1) yield { kind: "twice", words: `${mark} is stored ${sides.length} times` };
}

/** By what was read first: a marked second copy may come late. */
function* swapped({ sent, read }: History): Generator<Fault> {
  const byMark = new Map(sent.map((one) => [one.mark, one]));
  for (const [to, marks] of read) {
    const last = new Map<string, Sent>();
    for (const mark of new Set(marks)) {
      const one = byMark.get(mark);
      if (one === undefined) continue;
      const before = last.get(one.from);
      if (before !== undefined && before.number > one.number)
        yield { kind: "swapped", words: `${to} read ${mark} after ${before.mark}` };
      else last.set(one.from, one);
    }
  }
}

function* disagreements({ sent, here, there }: History): Generator<Fault> {
  for (const { mark, acknowledged } of sent) {
    if (!acknowledged) continue;
    const [said, stored] = [here.get(mark)?.state, there.get(mark)?.[0]?.state];
    if (said === stored && said !== undefined && REACHED.includes(said)) continue;
    yield {
      kind: "disagreement",
      words: `${mark} is ${said ?? "unknown"} where it was sent, and ${stored ?? "unknown"} where it went`,
    };
  }
}

/** Read by somebody else, or never sent. */
function* astray({ sent, read }: History): Generator<Fault> {
  const recipients = new Map(sent.map(({ mark, to }) => [mark, to]));
  for (const [to, marks] of read)
    for (const mark of new Set(marks))
      if (recipients.get(mark) !== to)
        yield {
          kind: "astray",
          words: `${to} read ${mark}, which was for ${recipients.get(mark) ?? "nobody"}`,
        };
}

function counted(marks: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
