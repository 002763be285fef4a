/**
 * Owes other hosts news of the letters that came from them: for each, what is true now is compared with what its host
 * was told last. So nothing is lost by a crash, and what changes often is told once. Started with the cluster; it
 * listens to the store, and dispatch asks it what to pack. It changes no delivery.
 */
import type { HostName } from "../../../core/cluster/hosts.ts";
import { MOST_MOVED } from "../../../core/cluster/moving.ts";
import type { RefusalReason } from "../../../core/cluster/refusals.ts";
import type { DeliveryId, DeliveryState, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { isFinal } from "../../../core/transitions.ts";
import type { TakenLetter } from "../../../ports/cluster-store.ts";
import type { StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { News } from "../../../wire/cluster/parcels.ts";
import { lookAtPages } from "../../base/pages.ts";
import type { Touches } from "../../base/touches.ts";
import type { Ground } from "../../presence/ground.ts";
import { NEVER_CAME } from "../withdrawing.ts";

/** While it only waits, why it waits may change several times in a moment. */
const GATHER_MS = 200;
const PAGE = 500;
const LONGEST_LINE = 1_000;
/** Whoever asks for so many back asks again. */
const MOST_NEVER_CAME = 1_000;

/** `again`: its host asks, or has forgotten that it knows. `never-came`: it asked for it back, and nothing is kept. */
type OwedBecause = "changed" | "again" | "never-came";

type Truth = Omit<News, "kind" | "delivery" | "number">;

export interface TellingParts extends Ground {
  readonly touches: Touches;
  /** Something is owed to this host. */
  owed(host: HostName): void;
}

/** News that are packed, and what is written down once they are stored. */
export interface ToldNews {
  readonly host: HostName;
  readonly news: News;
  readonly digest: string;
}

export class Telling {
  readonly #parts: TellingParts;
  readonly #owed = new Map<HostName, Map<DeliveryId, OwedBecause>>();
  readonly #gathering = new Map<HostName, () => void>();
  #unfollow: () => void = () => {};
  #isStopped = false;

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  /** First to listen, then to look at all that is not over: what changes meanwhile is seen by one of both. */
  start(): void {
    this.#unfollow = this.#parts.touches.follow((_, { messages }) => this.#changed(messages));
    this.lookAgain();
  }

  /** At all that is not over: to whom it is owed may have changed. */
  lookAgain(): void {
    this.#lookAtAll().catch((cause) => this.#failed(cause));
  }

  stop(): void {
    this.#isStopped = true;
    this.#unfollow();
    for (const cancel of this.#gathering.values()) cancel();
    this.#gathering.clear();
  }

  /** Its host is told how it stands, whether or not it was told before. */
  again(host: HostName, delivery: DeliveryId): void {
    this.#owe(host, delivery, "again");
    this.#parts.owed(host);
  }

  /** Its host may leave nothing here, not even that. If there is no room for it now, it asks again. */
  neverCame(host: HostName, deliveries: readonly DeliveryId[]): void {
    const room = MOST_NEVER_CAME - (this.#owed.get(host)?.size ?? 0);
    if (deliveries.length === 0 || deliveries.length > room) return;
    for (const delivery of deliveries) this.#owe(host, delivery, "never-came");
    this.#parts.owed(host);
  }

  /** They are owed no longer: whoever takes them packs them, or gives them back. */
  take(host: HostName, most: number): readonly (readonly [DeliveryId, OwedBecause])[] {
    const owed = this.#owed.get(host);
    const taken = [...(owed ?? [])].slice(0, most);
    for (const [delivery] of taken) owed?.delete(delivery);
    return taken;
  }

  giveBack(host: HostName, taken: ReturnType<Telling["take"]>): void {
    for (const [delivery, why] of taken) this.#owe(host, delivery, why);
  }

  /** What is true of them now, without what their host knows. */
  news(read: StoreReader, host: HostName, taken: ReturnType<Telling["take"]>): readonly ToldNews[] {
    return taken.flatMap(([delivery, why]) => {
      const never: TakenLetter = { ...NEVER_CAME, host, delivery, takenAt: 0 };
      const letter = read.takenLetter(host, delivery) ?? (why === "never-came" ? never : undefined);
      if (letter === undefined) return [];
      const truth = truthOf(read, letter);
      const digest = this.#digest(truth);
      if (digest === letter.toldDigest && why === "changed") return [];
      // By the clock: a home that was restored from a copy would count again from where that was.
      const number = Math.max(letter.told, this.#parts.context.clock.now());
      return [{ host, digest, news: { kind: "news", delivery, number, ...truth } }];
    });
  }

  /** The engine has stored them. */
  record(tx: StoreWriter, { host, news, digest }: ToldNews): void {
    const letter = tx.takenLetter(host, news.delivery);
    if (letter === undefined) return;
    const isOver = letter.isOver || isFinal(news.state);
    // Its host may have said meanwhile how far its news had come.
    const told = Math.max(letter.told, news.number + 1);
    const recorded = { ...letter, told, toldDigest: digest, isOver };
    tx.putTakenLetter(recorded);
    // Meanwhile it may have become again what was told before: then nobody noticed a difference.
    if (!isOver) this.#compare(tx, recorded);
  }

  /** Its host has heeded news with this number, of which nothing is known here: the next get a greater one. */
  numberAbove(tx: StoreWriter, host: HostName, delivery: DeliveryId, heeded: number): void {
    const letter = tx.takenLetter(host, delivery);
    if (letter !== undefined && letter.told <= heeded) tx.putTakenLetter({ ...letter, told: heeded + 1 });
  }

  #owe(host: HostName, delivery: DeliveryId, why: OwedBecause): void {
    const owed = this.#owed.get(host) ?? new Map<DeliveryId, OwedBecause>();
    this.#owed.set(host, owed);
    const before = owed.get(delivery) ?? why;
    owed.set(delivery, why === "changed" ? before : why);
  }

  /** Called after a commit, where nobody would catch an error. */
  #changed(messages: ReadonlySet<MessageId>): void {
    try {
      const { read } = this.#parts.context.store;
      for (const id of messages) {
        const letter = read.takenAs(id);
        if (letter !== undefined && !letter.isOver) this.#compare(read, letter);
      }
    } catch (cause) {
      this.#failed(cause);
    }
  }

  async #lookAtAll(): Promise<void> {
    const { store, clock } = this.#parts.context;
    const read = (after?: TakenLetter) => store.read.takenLetters({ ...present({ after }), limit: PAGE });
    await lookAtPages({ clock, size: PAGE, read, isOver: () => this.#isStopped }, (letter) =>
      this.#compare(store.read, letter),
    );
  }

  #compare(read: StoreReader, letter: TakenLetter): void {
    const { host, delivery, toldDigest } = letter;
    const truth = truthOf(read, letter);
    if (this.#digest(truth) === toldDigest) return;
    this.#owe(host, delivery, "changed");
    if (ONLY_WAITS.includes(truth.state)) this.#gather(host);
    else this.#parts.owed(host);
  }

  #gather(host: HostName): void {
    if (this.#gathering.has(host) || this.#isStopped) return;
    const cancel = this.#parts.context.clock.after(GATHER_MS, () => {
      this.#gathering.delete(host);
      this.#parts.owed(host);
    });
    this.#gathering.set(host, cancel);
  }

  #digest(truth: Truth): string {
    return this.#parts.context.digest(JSON.stringify(truth));
  }

  /** It is looked at again with the next change, and after a start. */
  #failed(cause: unknown): void {
    this.#parts.context.log.error("cluster.untold", { cause: String(cause) });
  }
}

const ONLY_WAITS: readonly DeliveryState[] = ["queued", "delivering"];

/** Its message is not kept here any more. */
function forgotten(endedAs: DeliveryState | undefined): Truth {
  if (endedAs === undefined)
    return {
      ...{ state: "unconfirmed", taken: true, isLast: true },
      note: "it was taken there; what became of it is forgotten",
    };
  return { state: endedAs, taken: true, isLast: true, note: "no more is known of it there" };
}

function endOf(why: RefusalReason): DeliveryState {
  if (why === "withdrawn") return "cancelled";
  return why === "overdue" ? "expired" : "failed";
}

function truthOf(read: StoreReader, letter: TakenLetter): Truth {
  const { messageId, why = "other", refusal = "it was not taken", moved, endedAs } = letter;
  if (messageId === undefined) {
    // Where it is to follow its agent, nothing has failed yet.
    const state = moved === undefined ? endOf(why) : "cancelled";
    return { state, why, note: line(refusal), ...(moved === undefined ? {} : { moved: [...moved] }) };
  }
  // A copy that is only for reading: nobody has to take it.
  const delivery = read.deliveriesOf(messageId).find(({ handledBy }) => handledBy === undefined);
  if (delivery === undefined) {
    const reason = read.unmatchedReason(messageId);
    return reason === undefined
      ? forgotten(endedAs)
      : { state: "failed", taken: true, unmatched: true, note: line(reason) };
  }
  const { state, hold, transport, evidence, possibleDuplicate } = delivery;
  const note = read.receiptsOf(delivery.id).at(-1)?.note;
  return {
    ...{ state, taken: true },
    ...(hold === undefined || state !== "queued"
      ? {}
      : { hold: { reason: hold.reason, release: line(hold.release) } }),
    ...present({ transport, evidence, note: note === undefined ? undefined : line(note) }),
    ...(moved === undefined ? {} : { moved: moved.slice(-MOST_MOVED) }),
    ...(possibleDuplicate ? { possibleDuplicate } : {}),
  };
}

function line(text: string): string {
  return text.slice(0, LONGEST_LINE);
}
