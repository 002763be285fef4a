/**
 * What this host sent to an agent that has moved since, before it got it: the host where it waited says so and keeps it no
 * longer, and it follows from here, where it began. So nobody speaks for a third host. Intake calls it with the news of a
 * bag; each follows once, also if they come again.
 *
 *   c ── hello ─▶ a      waits for the agent, which moves to b; or comes when it has moved
 *   c ◀─ moved ── a
 *   c ── hello ─▶ b      as a new message; if the agent moved to c itself, it is in its mailbox as it was
 */
import type { AdmittedHost } from "../../../core/cluster/admission.ts";
import { hostMailbox } from "../../../core/cluster/hosts.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { Delivery, Message } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { Item, StoreWriter } from "../../../ports/store.ts";
import type { News } from "../../../wire/cluster/parcels.ts";
import type { Accept } from "../../accept/accept.ts";
import type { Ground } from "../../presence/ground.ts";
import { whereItWas } from "../taking/heeding.ts";
import { addressed, type Gone, goneBy, isSaidToPath, isUnderway, waitedThere, whyNot } from "./claims.ts";
import { cameToNothing, copyOf, inPlaceOf } from "./copying.ts";
import { wentTo } from "./departed.ts";
import type { NewHome } from "./moving-in.ts";

/** In another transaction of this moment, after another agent. */
class FollowedBefore extends Error {
  override readonly name = "FollowedBefore";
}

export interface FollowingParts extends Ground {
  readonly accept: Accept;
  readonly home: NewHome;
}

/** All begin without a pause in between: one transaction, in which they keep their order. */
export async function followMoved(
  parts: FollowingParts,
  from: AdmittedHost,
  all: readonly News[],
): Promise<void> {
  const gone = goneBy(parts.context.store.read, from, all);
  await Promise.all(gone.map((one) => follow(parts, one)));
}

async function follow(parts: FollowingParts, said: Gone): Promise<void> {
  const { context, neighbours } = parts;
  const gone = whereNow(parts, said);
  const waited = waitedThere(context.store.read, gone);
  if (waited === undefined) return;
  const why = whyNot(parts, gone, waited);
  if (why !== undefined) return stay(parts, gone, why);
  const isHome = gone.host === neighbours.current?.host;
  if (isHome && hasItHere(parts, gone, waited)) return;
  if (isHome && addressed(waited.message.to) === gone.address) return comeBack(parts, gone);
  return goAsCopy(parts, gone, waited);
}

/** It came here, and has moved on since. */
function whereNow(parts: FollowingParts, gone: Gone): Gone {
  const host = gone.host === parts.neighbours.current?.host ? wentTo(parts, gone.name) : undefined;
  return host === undefined || host === gone.from.host ? gone : { ...gone, host };
}

/** It was said here to a path that the agent heard here, too, while it moved: it ends as that host says. */
function hasItHere({ context, directory }: FollowingParts, { address }: Gone, { message }: Item): boolean {
  const mailboxes = directory.aliases(address);
  const all = context.store.read.deliveriesOf(message.id);
  return all.some((one) => mailboxes.includes(one.to) && !cameToNothing(one));
}

function underway(tx: StoreWriter, { from, news }: Gone): SentLetter | undefined {
  const letter = tx.sentLetter(news.delivery);
  return letter?.host === from.host && isUnderway(tx, news, letter) ? letter : undefined;
}

function over(tx: StoreWriter, letter: SentLetter, { news }: Gone, now: number): void {
  const { storedAt = now } = letter;
  tx.putSentLetter({ ...letter, storedAt, heeded: news.number, heardAt: now, isOver: true });
}

/** To the agent itself, which lives here now: the same delivery waits where it would have waited at first. */
async function comeBack(parts: FollowingParts, gone: Gone): Promise<void> {
  const { store, clock } = parts.context;
  const { delivery: id } = gone.news;
  const back = await store.write((tx): Delivery | undefined => {
    const letter = underway(tx, gone);
    if (letter === undefined) return undefined;
    const now = clock.now();
    const note = `its agent moved here from ${gone.from.host}`;
    tx.moveDelivery(id, { at: now, state: "queued", note }, { hold: null });
    over(tx, letter, gone, now);
    return tx.readdressDelivery(id, gone.address);
  });
  if (back === undefined) return;
  parts.states.changed([back.messageId]);
  parts.home.wake(gone.address);
}

async function goAsCopy(parts: FollowingParts, gone: Gone, waited: Item): Promise<void> {
  const { context, neighbours } = parts;
  const isHome = gone.host === neighbours.current?.host;
  const now = context.clock.now();
  const to = isHome ? gone.address : `${gone.address}@${gone.host}`;
  const idempotencyKey = `moved ${gone.news.delivery} ${gone.name}`;
  try {
    await parts.accept.accept(
      { ...copyOf(waited, to, now), idempotencyKey },
      {
        hops: waited.message.hops,
        answersDialog: true,
        isCopy: true,
        ...(isHome ? {} : { only: hostMailbox(gone.host) }),
        with: (tx, copy) => {
          const there = isHome ? undefined : hostMailbox(gone.host);
          const wentThere = tx.deliveriesOf(waited.message.id).some(({ to }) => to === there);
          inPlaceOf(tx, copy, waited.delivery, wentThere);
          followed(tx, gone);
          const isOver = endsAs(tx, gone, copy, now);
          if (!isOver && !isSaidToPath(waited)) throw new FollowedBefore();
        },
      },
    );
  } catch (cause) {
    if (cause instanceof FollowedBefore) return;
    if (!(cause instanceof BellhopError) || /^(?:store|daemon|internal)\./u.test(cause.code)) throw cause;
    // It followed before; or it cannot, and ends as that host says.
    if (cause.code !== "message.conflict")
      context.log.warn("cluster.not_followed", { delivery: gone.news.delivery, cause: cause.message });
  }
  parts.states.changed([waited.message.id]);
}

/** That host can say it again, with other names, for as long as the message is known. */
function followed(tx: StoreWriter, { news, name }: Gone): void {
  const letter = tx.sentLetter(news.delivery);
  if (letter !== undefined) tx.putSentLetter({ ...letter, followed: [...(letter.followed ?? []), name] });
}

function endsAs(tx: StoreWriter, gone: Gone, { shortId }: Message, now: number): boolean {
  const letter = underway(tx, gone);
  if (letter === undefined) return false;
  const { delivery: id } = gone.news;
  tx.moveDelivery(id, { at: now, state: "queued", note: whereItWas(letter) });
  const note = `its agent moved to ${gone.host}: it goes there as #${shortId}`;
  tx.moveDelivery(id, { at: now, state: "cancelled", note }, { hold: null });
  over(tx, letter, gone, now);
  return true;
}

/** If it still waited there: what others there have got has not failed. */
async function stay(parts: FollowingParts, gone: Gone, note: string): Promise<void> {
  const { context, states } = parts;
  const { delivery } = gone.news;
  const failed = await context.store.write((tx) => {
    const letter = underway(tx, gone);
    if (letter === undefined) return undefined;
    const now = context.clock.now();
    over(tx, letter, gone, now);
    const owes = { ...tx.findDelivery(delivery)?.owes, onDelivery: true };
    return tx.moveDelivery(delivery, { at: now, state: "failed", note }, { hold: null, owes });
  });
  if (failed !== undefined) states.changed([failed.messageId]);
}
