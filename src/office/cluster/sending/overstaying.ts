/**
 * Letters that went to another host and whose time is over: that host lets them expire and says so, if it can. If nothing
 * is heard, they are asked back; if that is not answered either, they are given up. Started with the cluster; it looks by
 * itself, and dispatch sends what is asked.
 */
import { hostMailbox } from "../../../core/cluster/hosts.ts";
import { MOVES } from "../../../core/cluster/moving.ts";
import type { Address, Instant, MessageId } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import type { Ground } from "../../presence/ground.ts";
import { askBack, giveUp } from "../withdrawing.ts";

/** What the other host says of what expired there is under way for less than that. */
const GRACE_MS = 60_000;
const LOOK_EVERY_MS = 30_000;
const AT_ONCE = 100;
const BECAUSE = "because its time was over";

export interface OverstayingParts extends Ground {
  /** The time for deadlines: all of them agree with it. */
  readonly timekeeper: { now(): Promise<Instant> };
  wake(mailbox: Address): void;
}

/** When a letter with this deadline is looked at. */
export function dueAfter(timeoutAt: Instant | undefined): Pick<SentLetter, "dueAt"> {
  return timeoutAt === undefined ? {} : { dueAt: timeoutAt + GRACE_MS };
}

export class Overstaying {
  readonly #parts: OverstayingParts;
  #looking: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(parts: OverstayingParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, log } = this.#parts.context;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => {
      this.#looking = this.#look()
        .catch((cause: unknown) => log.error("cluster.overstays_failed", { cause: String(cause) }))
        .then(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { context, states, timekeeper, wake } = this.#parts;
    const now = await timekeeper.now();
    for (;;) {
      const due = context.store.read.lettersDue(now, AT_ONCE);
      if (due.length === 0 || this.#isStopped) return;
      const changed = await context.store.write((tx) => due.flatMap((one) => overstayed(tx, one, now) ?? []));
      if (changed.length > 0) states.changed(changed);
      for (const host of new Set(due.map((one) => one.host))) wake(hostMailbox(host));
    }
  }
}

/** Whatever comes of it, the letter is not due any more. */
function overstayed(tx: StoreWriter, { delivery: id }: SentLetter, now: Instant): MessageId | undefined {
  const delivery = tx.findDelivery(id);
  const letter = tx.sentLetter(id);
  if (letter?.dueAt === undefined || letter.dueAt > now) return undefined;
  const { dueAt, ...undue } = letter;
  // Whoever asked for a move asks it back by itself; what was taken in time waits there for as long as it takes.
  const isMoving = delivery !== undefined && tx.message(delivery.messageId)?.from === MOVES;
  if (delivery?.state !== "delivering" || isMoving) {
    tx.putSentLetter(undue);
    return undefined;
  }
  if (letter.withdrawn !== undefined) return giveUp(tx, delivery, letter, BECAUSE, now).messageId;
  const again = dueAfter(delivery.timeoutAt).dueAt;
  // The clock was set, and the deadline has moved with it.
  if (again !== undefined && again > now) {
    tx.putSentLetter({ ...undue, dueAt: again });
    return undefined;
  }
  return askBack(tx, id, BECAUSE, { now, isExpelled: () => false }).messageId;
}
