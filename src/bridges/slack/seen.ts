/** The newest message that came in of each conversation, written with it: what is newer was missed. */
import type { Kept, OutsideInbox } from "../../ports/bridge.ts";
import { CHANNEL_ID, TIMESTAMP } from "./events.ts";

const KEY = "seen";
const MOST_CONVERSATIONS = 50;

type Entry = readonly [channel: string, ts: string];

export class Seen {
  readonly #newest: Map<string, string>;
  /** Conversations with a gap after what was seen: until it is read, what is newer does not move the mark past it. */
  #unread: ReadonlySet<string> = new Set();

  constructor(inbox: OutsideInbox) {
    this.#newest = new Map(parsed(inbox.kept(KEY)));
  }

  get conversations(): readonly Entry[] {
    return [...this.#newest];
  }

  /** After an absence: something may be missing in each. */
  missing(): void {
    this.#unread = new Set(this.#newest.keys());
  }

  /** What was missing is known now, except in these. */
  foundExcept(channels: ReadonlySet<string>): void {
    this.#unread = channels;
  }

  /** What must be written with this message. The last active conversation is last. */
  after(channel: string, ts: string): Kept {
    const before = this.#newest.get(channel) ?? "0.0";
    this.#newest.delete(channel);
    this.#newest.set(channel, isLater(ts, before) && !this.#unread.has(channel) ? ts : before);
    for (const quietest of this.#newest.keys()) {
      if (this.#newest.size <= MOST_CONVERSATIONS) break;
      this.#newest.delete(quietest);
    }
    return { [KEY]: JSON.stringify([...this.#newest]) };
  }
}

/** Times have six digits after the point, more than a number of today can hold. */
export function isLater(one: string, other: string): boolean {
  const [seconds = "", part = ""] = one.split(".");
  const [otherSeconds = "", otherPart = ""] = other.split(".");
  const difference = Number(seconds) - Number(otherSeconds);
  return difference === 0 ? part.padEnd(10, "0") > otherPart.padEnd(10, "0") : difference > 0;
}

function parsed(text: string | undefined): readonly Entry[] {
  try {
    const entries: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  return Array.isArray(value) && CHANNEL_ID.test(String(value[0])) && TIMESTAMP.test(String(value[1]));
}
