/**
 * What Bellhop said last in each thread. Slack tells of an answer only the thread's first message, which may be the
 * person's own: whom they answer is whoever spoke there last.
 */
import type { OutsideInbox } from "../../ports/bridge.ts";
import { CHANNEL_ID, TIMESTAMP } from "./events.ts";

const KEY = "threads";
const MOST_THREADS = 200;

type Entry = readonly [thread: string, ts: string];

export class Threads {
  readonly #inbox: OutsideInbox;
  readonly #last: Map<string, string>;

  constructor(inbox: OutsideInbox) {
    this.#inbox = inbox;
    this.#last = new Map(parsed(inbox.kept(KEY)));
  }

  /** The ids of what is answered there, the nearest first. */
  answeredIn(channel: string, root: string): readonly string[] {
    const last = this.#last.get(`${channel}/${root}`);
    return last === undefined ? [`${channel}/${root}`] : [`${channel}/${last}`, `${channel}/${root}`];
  }

  /** Those in which Bellhop spoke last, and what it said there last. */
  latest(
    count: number,
  ): readonly { readonly channel: string; readonly root: string; readonly last: string }[] {
    return [...this.#last].slice(-count).flatMap(([thread, last]) => {
      const [channel = "", root = ""] = thread.split("/");
      return CHANNEL_ID.test(channel) && TIMESTAMP.test(root) ? [{ channel, root, last }] : [];
    });
  }

  async said(channel: string, root: string, ts: string): Promise<void> {
    const thread = `${channel}/${root}`;
    this.#last.delete(thread);
    this.#last.set(thread, ts);
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MOST_THREADS) break;
      this.#last.delete(oldest);
    }
    await this.#inbox.keep({ [KEY]: JSON.stringify([...this.#last]) });
  }
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
  return Array.isArray(value) && typeof value[0] === "string" && TIMESTAMP.test(String(value[1]));
}
