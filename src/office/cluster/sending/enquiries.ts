/**
 * Letters on their way to one host of which nothing was heard: that host is asked for them, once it has said something
 * of itself since. After the engine was away, it is asked soon for all that is under way, because news may be lost with
 * what the engine had. Every hour it is asked for what has become quiet: what it has, delivered or not, and of which
 * nothing was heard for long. Only at a start all that is quiet is looked at. It never sends; dispatch asks it what is due.
 */
import type { HostName } from "../../../core/cluster/hosts.ts";
import type { DeliveryId, DeliveryState, Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { QuietLetter, SentLetter } from "../../../ports/cluster-store.ts";
import { lookAtPages, type Pages } from "../../base/pages.ts";
import type { Ground } from "../../presence/ground.ts";

/** How long a host may say nothing of a letter. */
export const SILENT_MS = 120_000;
/** After the engine was away: what it lost with that is not waited for so long. */
const SOON_MS = 3_000;
const MOST_AT_ONCE = 500;
const PAGE = 500;
/** How often it is looked for what has become quiet. */
const LOOK_EVERY_MS = 3_600_000;
/** More are not in doubt at the same time: those that were heard of make room for them. */
const MOST_DOUBTED = 500;
/** What can still become something else without a letter that says so: an answer is one. */
const MAY_MOVE: readonly DeliveryState[] = ["delivering", "unconfirmed", "delivered"];

interface Silence {
  /** Monotonic. */
  readonly since: number;
  readonly isAsked: boolean;
  /** The letter says that nothing is heard of it. */
  isDoubted: boolean;
}

export class Enquiries {
  readonly #ground: Ground;
  readonly #host: HostName;
  /** Silent for longest first. */
  readonly #silent = new Map<DeliveryId, Silence>();
  /** On their way when the engine came back, or told of by a clock that is behind. */
  readonly #perhapsLost = new Set<DeliveryId>();
  #connectedAt = 0;
  /** What was quiet by then is asked for. */
  #lookedUntil: Instant = 0;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(ground: Ground, host: HostName) {
    this.#ground = ground;
    this.#host = host;
  }

  /** Now and then it looks for what has become quiet. */
  start(): void {
    const { clock, log } = this.#ground.context;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => {
      this.start();
      this.#lookForQuiet().catch((cause) =>
        log.error("cluster.enquiries_failed", { host: this.#host, cause: String(cause) }),
      );
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** What was said meanwhile may not have come here. */
  async lookAtAll(): Promise<void> {
    await this.#underWay((delivery) => {
      if (!this.#silent.has(delivery)) this.sent(delivery);
    });
    this.#lookedUntil = 0;
    await this.#lookForQuiet();
  }

  /**
   * The engine was away, and may have lost what it had taken just before or after: whatever is under way is asked for.
   * What is delivered is not: nobody waits for more, and it is asked for when it has become quiet.
   */
  async connected(): Promise<void> {
    this.#connectedAt = this.#now();
    await this.#underWay((delivery) => this.#perhapsLost.add(delivery));
  }

  /** All that the engine has and its host has not delivered, page by page. */
  async #underWay(found: (delivery: DeliveryId) => void): Promise<void> {
    const { store } = this.#ground.context;
    const host = this.#host;
    const read = (after?: SentLetter) =>
      store.read.lettersUnderWay({ host, ...present({ after: after?.delivery }), limit: PAGE });
    await this.#lookAtPages(read, ({ delivery, storedAt }) => {
      if (storedAt !== undefined) found(delivery);
    });
  }

  /** What has become quiet since the last look. Whatever is asked for becomes quiet again, unless no more can follow. */
  async #lookForQuiet(): Promise<void> {
    const { store, clock } = this.#ground.context;
    const by = clock.now();
    // The clock was set back: what is heard of since then becomes quiet before that.
    const since = by < this.#lookedUntil ? 0 : this.#lookedUntil;
    const filter = { host: this.#host, since, by, limit: PAGE };
    let left: QuietLetter | undefined;
    const read = (after?: QuietLetter) => store.read.quietLetters({ ...filter, ...present({ after }) });
    await this.#lookAtPages(read, (letter) => {
      const { delivery, state } = letter;
      if (!MAY_MOVE.includes(state) || this.#silent.has(delivery)) return;
      if (state === "delivering" || this.#silent.size < MOST_DOUBTED) this.sent(delivery);
      else left ??= letter;
    });
    // They come in this order: the next look begins with the first that was left.
    this.#lookedUntil = left === undefined ? by : left.quietAt - 1;
  }

  #lookAtPages<Row>(read: Pages<Row>["read"], look: (row: Row) => void): Promise<void> {
    const { clock } = this.#ground.context;
    return lookAtPages({ clock, size: PAGE, read, isOver: () => this.#isStopped }, look);
  }

  announced(): void {
    this.#announcedAt = this.#now();
  }

  sent(delivery: DeliveryId): void {
    this.#silent.delete(delivery);
    this.#silent.set(delivery, { since: this.#now(), isAsked: false, isDoubted: false });
  }

  heard(delivery: DeliveryId): void {
    this.#silent.delete(delivery);
    // It may be what the engine still had from before; what was said after that, it may have lost.
    if (!this.#isUnderWay(delivery)) this.#perhapsLost.delete(delivery);
  }

  askSoon(delivery: DeliveryId): void {
    this.#perhapsLost.add(delivery);
  }

  hasAskedFor(delivery: DeliveryId): boolean {
    return this.#silent.get(delivery)?.isAsked === true;
  }

  /** Silent since before that (monotonic), and each named once. */
  doubtful(before: number, most: number): readonly DeliveryId[] {
    const doubtful: DeliveryId[] = [];
    for (const [delivery, silence] of this.#silent) {
      if (doubtful.length === most) break;
      if (silence.isDoubted || silence.since >= before) continue;
      silence.isDoubted = true;
      doubtful.push(delivery);
    }
    return doubtful;
  }

  /** They count as asked for, unless they are given back. */
  due(): readonly DeliveryId[] {
    const now = this.#now();
    const isSoon = this.#isSoon() && this.#connectedAt + SOON_MS <= now;
    const due = isSoon ? [...this.#perhapsLost].slice(0, MOST_AT_ONCE) : [];
    for (const [delivery, { since }] of this.#silent) {
      if (due.length === MOST_AT_ONCE || since + SILENT_MS > now || since >= this.#announcedAt) break;
      if (!due.includes(delivery)) due.push(delivery);
    }
    for (const delivery of due) {
      this.#perhapsLost.delete(delivery);
      const isDoubted = this.#silent.get(delivery)?.isDoubted === true;
      this.#silent.delete(delivery);
      this.#silent.set(delivery, { since: now, isAsked: true, isDoubted });
    }
    return due;
  }

  /** They did not go after all, or perhaps not: they are due again at once. What was heard of meanwhile is not. */
  notAsked(deliveries: readonly DeliveryId[]): void {
    for (const delivery of deliveries) {
      const silence = this.#silent.get(delivery);
      if (silence?.isAsked !== true) continue;
      this.#silent.set(delivery, { ...silence, isAsked: false });
      this.#perhapsLost.add(delivery);
    }
  }

  /** When something is due, if its host is there. */
  nextAt(): Instant | "on-signal" {
    const now = this.#now();
    const [first] = this.#silent.values();
    const wall = this.#ground.context.clock.now();
    if (this.#isSoon()) return wall + Math.max(1, this.#connectedAt + SOON_MS - now);
    // While it says nothing of itself, it is not asked: what it says next wakes dispatch.
    if (first === undefined || first.since >= this.#announcedAt) return "on-signal";
    return wall + Math.max(1, first.since + SILENT_MS - now);
  }

  #isUnderWay(delivery: DeliveryId): boolean {
    if (!this.#perhapsLost.has(delivery)) return false;
    return this.#ground.context.store.read.findDelivery(delivery)?.state === "delivering";
  }

  /** Its host has said something of itself since the engine is back. */
  #isSoon(): boolean {
    return this.#perhapsLost.size > 0 && this.#announcedAt >= this.#connectedAt;
  }

  #now(): number {
    return this.#ground.context.clock.monotonic();
  }
}
