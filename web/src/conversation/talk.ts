/** What the page knows of one agent's messages. It asks again when the board says that one changed, or no answer came. */
import { signal } from "@preact/signals";
import { tryingAgain } from "../board/asking.ts";
import { ask, segment, type Told } from "../connection/requests.ts";
import {
  EMPTY,
  type Entry,
  mayBeStale,
  type Timeline,
  withNewest,
  withOlder,
  withRenewed,
} from "./timeline.ts";
import type { ToldDraft, ToldPage, ToldQueued } from "./told.ts";

const PAGE = 100;
/** A page of the daemon may find nothing among so many deliveries of others; then it is asked for the next one. */
const MOST_EMPTY_PAGES = 20;

export class Talk {
  readonly name: string;
  readonly timeline = signal<Timeline>(EMPTY);
  readonly isKnown = signal(false);
  readonly queue = signal<readonly ToldQueued[]>([]);
  readonly drafts = signal<readonly ToldDraft[]>([]);
  readonly trouble = signal<Told | undefined>(undefined);
  /** Grows with each asking. */
  readonly asked = signal(0);
  readonly #trying = {
    newest: tryingAgain(() => void this.refresh()),
    older: tryingAgain(() => void this.loadOlder()),
    // What is in view is looked at again after each asking.
    renewed: tryingAgain(() => void this.refresh()),
  };
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  #isLoadingOlder = false;
  #isRenewing = false;

  constructor(name: string) {
    this.name = name;
  }

  /** A bare name could be the beginning of a session's id. */
  get address(): string {
    return `agent/${this.name}`;
  }

  /** However often it is called, one asking is under way, and one more follows. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refresh();
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.asked.value += 1;
      const asked = this.asked.peek();
      const who = `/sessions/${segment(this.address)}`;
      const [page, queue, drafts] = await Promise.all([
        this.#page(),
        ask<{ readonly deliveries: readonly ToldQueued[] }>({ method: "GET", path: `${who}/queue` }),
        ask<{ readonly drafts: readonly ToldDraft[] }>({ method: "GET", path: `${who}/drafts` }),
      ]);
      if (page.kind === "done") {
        this.timeline.value = withNewest(this.timeline.peek(), page.body, asked);
        this.isKnown.value = true;
      }
      if (queue.kind === "done")
        this.queue.value = queue.body.deliveries.filter(({ state }) => state === "queued");
      if (drafts.kind === "done") this.drafts.value = drafts.body.drafts;
      const refused = [page, queue, drafts].find(({ kind }) => kind === "refused");
      this.trouble.value = refused?.kind === "refused" ? refused.error : undefined;
      this.#trying.newest.told(page, queue, drafts);
    }
    this.#refreshing = undefined;
  }

  /** Nobody looks at it any more. */
  end(): void {
    for (const trying of Object.values(this.#trying)) trying.end();
  }

  async loadOlder(): Promise<void> {
    const { before } = this.timeline.peek();
    if (before === undefined || this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    const page = await this.#page(before);
    // A newer page may have come meanwhile that does not reach the old stretch.
    if (page.kind === "done" && this.timeline.peek().before === before)
      this.timeline.value = withOlder(this.timeline.peek(), page.body, this.asked.peek());
    this.#isLoadingOlder = false;
    this.#trying.older.told(page);
  }

  /** Asks again for what is in view, if it may have changed. */
  async renew(shown: readonly Entry[]): Promise<void> {
    const until = shown.at(-1)?.number;
    const asked = this.asked.peek();
    if (until === undefined || this.#isRenewing || !mayBeStale(shown, asked)) return;
    this.#isRenewing = true;
    const page = await this.#page(until + 1);
    if (page.kind === "done")
      this.timeline.value = withRenewed(this.timeline.peek(), page.body, until, asked);
    this.#isRenewing = false;
    this.#trying.renewed.told(page);
  }

  async #page(before?: number) {
    let from = before;
    for (let tries = 0; ; tries += 1) {
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (from !== undefined) query.set("before", String(from));
      const path = `/agents/${segment(this.name)}/timeline?${query}`;
      const answer = await ask<ToldPage>({ method: "GET", path });
      if (answer.kind === "refused" || answer.body.entries.length > 0) return answer;
      if (answer.body.before === undefined || tries >= MOST_EMPTY_PAGES) return answer;
      from = answer.body.before;
    }
  }
}
