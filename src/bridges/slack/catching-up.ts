/**
 * Slack repeats an event for some minutes and then gives up. So after a longer absence the conversations are read from
 * where they were left, and the threads in which Bellhop spoke last.
 */
import type { WebClient } from "@slack/web-api";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { rest } from "../../system/resting.ts";
import { isFields, own, textIn } from "../fields.ts";
import { callFailure } from "./call-failure.ts";
import { TIMESTAMP } from "./events.ts";
import { isLater, type Seen } from "./seen.ts";
import type { Threads } from "./threads.ts";

export interface CatchingUpOptions {
  readonly web: WebClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly seen: Seen;
  readonly threads: Threads;
  readonly signal: AbortSignal;
}

/** As the event would have been. */
export type MissedEvent = Readonly<Record<string, unknown>>;

export interface Missed {
  readonly events: readonly MissedEvent[];
  /** False: some could not be read now, and must be asked for again. */
  readonly isAll: boolean;
}

interface Page {
  readonly messages: readonly MissedEvent[];
  readonly cursor?: string;
}

const PAGE = 200;
const MOST_PAGES = 5;
const MOST_THREADS = 20;
const MOST_TRIES = 3;
const LONGEST_WAIT_MS = 60_000;
const PAUSE_MS = 1_000;

export class CatchingUp {
  readonly #options: CatchingUpOptions;

  constructor(options: CatchingUpOptions) {
    this.#options = options;
  }

  /** What was missed, the oldest first. Whatever Slack refuses to tell is in the log. */
  async missed(): Promise<Missed> {
    const { web, seen, threads } = this.#options;
    const events: MissedEvent[] = [];
    const unread = new Set<string>();
    seen.missing();
    for (const [channel, oldest] of seen.conversations) {
      const found = await this.#all(channel, (cursor) =>
        web.conversations.history({ channel, oldest, limit: PAGE, ...cursor }),
      );
      if (found === "later") unread.add(channel);
      else events.push(...found);
    }
    for (const { channel, root, last } of threads.latest(MOST_THREADS)) {
      const replies = await this.#all(channel, (cursor) =>
        web.conversations.replies({ channel, ts: root, oldest: last, limit: PAGE, ...cursor }),
      );
      if (replies === "later") unread.add(channel);
      // The first message of a thread comes with its answers, however old it is.
      else events.push(...replies.filter(({ ts }) => isLater(String(ts), last)));
    }
    seen.foundExcept(unread);
    const once = new Map(events.map((event) => [`${event.channel} ${event.ts}`, event]));
    const inOrder = [...once.values()].sort((one, other) =>
      isLater(String(one.ts), String(other.ts)) ? 1 : -1,
    );
    return { events: inOrder, isAll: unread.size === 0 };
  }

  async #all(
    channel: string,
    ask: (cursor: { readonly cursor?: string }) => Promise<unknown>,
  ): Promise<readonly MissedEvent[] | "later"> {
    const events: MissedEvent[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && !this.#options.signal.aborted; page += 1) {
      const found = await this.#page(channel, () => ask(cursor === undefined ? {} : { cursor }));
      if (found === "later") return "later";
      if (found === "refused") return events;
      events.push(...found.messages.map((message) => ({ ...message, channel })));
      cursor = found.cursor;
      if (cursor === undefined) return events;
    }
    this.#options.log.warn("slack has more than is read after an absence", { channel, read: events.length });
    return events;
  }

  async #page(channel: string, ask: () => Promise<unknown>): Promise<Page | "refused" | "later"> {
    const { clock, log, signal } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return pageOf(await ask());
      } catch (error) {
        const failure = callFailure(error);
        const isPassing = failure.kind === "throttled" || failure.kind === "unreachable";
        if (!isPassing || attempt >= MOST_TRIES) {
          log.warn("slack does not tell what was missed", { channel, why: failure.words });
          return isPassing ? "later" : "refused";
        }
        const pause = failure.kind === "throttled" ? Math.min(failure.afterMs, LONGEST_WAIT_MS) : PAUSE_MS;
        await rest(clock, pause, signal);
      }
    }
    return "later";
  }
}

function pageOf(answer: unknown): Page {
  const messages = own(answer, "messages");
  const readable = (Array.isArray(messages) ? messages : [])
    .filter(isFields)
    .filter((message) => own(message, "type") === "message" && TIMESTAMP.test(String(own(message, "ts"))));
  const cursor = textIn(own(answer, "response_metadata"), "next_cursor", 500);
  return { messages: readable, ...(cursor === undefined ? {} : { cursor }) };
}
