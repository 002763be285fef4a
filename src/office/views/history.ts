/** Every message that ever came, in pages. Every door asks it; read-only. */
import { agentAddress, splitAddress } from "../../core/address.ts";
import type { Address } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Item } from "../../ports/store.ts";
import type { HistoryEntry } from "../../wire/shapes/messages.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import { withinOneAnswer } from "../broker/mailboxes.ts";
import type { Ground } from "../presence/ground.ts";
import type { Queries } from "./queries.ts";
import { timelineEntry } from "./timeline-entry.ts";

const HISTORY_ENTRIES = 50;
const EXPORT_PAGE = 500;

export class History {
  readonly #ground: Ground;
  readonly #queries: Queries;

  constructor(ground: Ground, queries: Queries) {
    this.#ground = ground;
    this.#queries = queries;
  }

  /** Newest first, for one mailbox owner or for all. */
  newest(request: RequestOf<"history">): readonly HistoryEntry[] {
    const { who, limit = HISTORY_ENTRIES, fromTime, toTime } = request;
    const items = this.#ground.context.store.read.deliveries({
      newestFirst: true,
      limit,
      ...(who === undefined ? {} : { mailboxes: this.#queries.mailboxesMeant(who) }),
      ...present({ from: fromTime, until: toTime }),
    });
    return this.entries(items);
  }

  /** What came to an agent and from it, one page. */
  timeline({
    agent,
    before = Number.MAX_SAFE_INTEGER,
    limit = HISTORY_ENTRIES,
  }: RequestOf<"timeline">): ResponseOf<"timeline"> {
    const { read } = this.#ground.context.store;
    const { name } = this.#queries.agent(agent);
    const { items, next } = read.itemsAbout(
      this.#ground.directory.aliases(agentAddress(name)),
      before,
      limit,
    );
    const entries = items.map((item) => timelineEntry(item, read)).toReversed();
    return { entries, ...present({ before: next }) };
  }

  /** What waits for someone, oldest first, in the order of their mailboxes. */
  entries(items: readonly Item[]): readonly HistoryEntry[] {
    return withinOneAnswer(items).map(({ message, delivery }) => ({
      message: this.#queries.shown(message),
      delivery: this.#queries.shownDelivery(delivery, message),
    }));
  }

  /** One page of what ever came to these mailboxes, or of the dead letters. */
  exported(request: RequestOf<"export">): ResponseOf<"export"> {
    const { read } = this.#ground.context.store;
    const { who, unmatched, after = 0, limit = EXPORT_PAGE } = request;
    if (unmatched === true) {
      const letters = read.unmatchedAfter(after, limit);
      const page = withinOneAnswer(letters);
      const entries = page.map(({ message, reason }) => ({ message: this.#queries.shown(message), reason }));
      return { entries, ...following(letters, page, limit, page.at(-1)?.number) };
    }
    const mailboxes = who === undefined ? undefined : this.#exportedMailboxes(who);
    const items = read.itemsAfter(mailboxes, after, limit);
    const page = withinOneAnswer(items);
    const entries = page.map(({ message, delivery }) => ({
      message: this.#queries.shown(message),
      delivery: { ...this.#queries.shownDelivery(delivery, message), receipts: read.receiptsOf(delivery.id) },
    }));
    return { entries, ...following(items, page, limit, page.at(-1)?.delivery.sequence) };
  }

  /** For an agent, also the mailboxes of its sessions; for a session, only its own. */
  #exportedMailboxes(who: string): readonly Address[] {
    const address = this.#ground.directory.resolve(who);
    return splitAddress(address).kind === "session" ? [address] : this.#ground.directory.aliases(address);
  }
}

/** Where the next page begins, if there is one. */
function following(
  found: readonly unknown[],
  page: readonly unknown[],
  limit: number,
  last: number | undefined,
): Pick<ResponseOf<"export">, "next"> {
  return found.length >= limit || page.length < found.length ? present({ next: last }) : {};
}
