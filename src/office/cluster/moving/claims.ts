/**
 * What another host says of agents that moved away from it, and how far it is believed: it must not choose who gets what
 * was said to somebody else. Reads only; `following` acts.
 */
import { splitAddress } from "../../../core/address.ts";
import type { AdmittedHost } from "../../../core/cluster/admission.ts";
import { type Elsewhere, shownElsewhere, splitHost } from "../../../core/cluster/hosts.ts";
import { MOST_FOLLOWING, MOVES } from "../../../core/cluster/moving.ts";
import type { AgentName, DeliveryId } from "../../../core/message.ts";
import { inQuotes } from "../../../core/text/strangers-words.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { Item, StoreReader } from "../../../ports/store.ts";
import type { News } from "../../../wire/cluster/parcels.ts";
import type { Ground } from "../../presence/ground.ts";

const LONGEST_SAID = 200;

/** Where the agent is now, as the host says from which it moved. */
export interface Gone extends Elsewhere {
  readonly name: AgentName;
  readonly from: AdmittedHost;
  readonly news: News;
}

/** Of each letter, each agent once, and so many at most, also of those after which it was sent on before. */
export function goneBy(read: StoreReader, from: AdmittedHost, all: readonly News[]): readonly Gone[] {
  const names = new Map<DeliveryId, Set<AgentName>>();
  return all
    .flatMap((news) => {
      const gone = (news.moved ?? []).flatMap((to) => goneTo(from, news, to));
      return meant(read, news, gone);
    })
    .filter(({ news: { delivery }, name }) => {
      const known = names.get(delivery) ?? new Set(read.sentLetter(delivery)?.followed);
      names.set(delivery, known);
      if (known.has(name) || known.size >= MOST_FOLLOWING) return false;
      known.add(name);
      return true;
    });
}

/** What was said to one agent can follow that one alone: of others, one is enough to say that it does not. */
function meant(read: StoreReader, { delivery }: News, gone: readonly Gone[]): readonly Gone[] {
  const messageId = read.findDelivery(delivery)?.messageId;
  const message = messageId === undefined ? undefined : read.message(messageId);
  if (message === undefined || isSaidToPath({ message })) return gone;
  const named = gone.filter(({ address }) => address === addressed(message.to));
  return named.length > 0 ? named : gone.slice(0, 1);
}

function goneTo(from: AdmittedHost, news: News, to: string): readonly Gone[] {
  const there = splitHost(to);
  if (there === undefined || there.host === from.host) return [];
  const { kind, rest: name } = splitAddress(there.address);
  return kind === "agent" ? [{ ...there, name, from, news }] : [];
}

/**
 * What may have waited there. Undefined: it went to another host, that host never had it, somebody wants it back, or that
 * host has said what became of it. Of what was said to a path this can be said only of one of those who hear it.
 */
export function waitedThere(read: StoreReader, { from, news }: Gone): Item | undefined {
  const letter = read.sentLetter(news.delivery);
  const delivery = read.findDelivery(news.delivery);
  const message = delivery === undefined ? undefined : read.message(delivery.messageId);
  if (letter?.host !== from.host || letter.withdrawn !== undefined || letter.settledAt !== undefined)
    return undefined;
  if (delivery === undefined || message === undefined || message.from === MOVES) return undefined;
  return isSaidToPath({ message }) || isUnderway(read, news, letter) ? { delivery, message } : undefined;
}

/** It is still on its way, as far as is known here, and that host says that it keeps it no longer. */
export function isUnderway(
  read: StoreReader,
  { delivery, state }: News,
  { isOver, withdrawn }: SentLetter,
): boolean {
  if (isOver || withdrawn !== undefined || state !== "cancelled") return false;
  return read.findDelivery(delivery)?.state === "delivering";
}

/** Many may hear it there, and each of them may move. */
export function isSaidToPath({ message }: Pick<Item, "message">): boolean {
  return splitAddress(addressed(message.to)).kind === "other";
}

/** Without the host. */
export function addressed(to: string): string {
  return splitHost(to)?.address ?? to;
}

/**
 * Why it does not follow, in words for whoever sent it. What can be known only from that host stands in quotes, and
 * nobody is told to write to whom it names.
 */
export function whyNot(
  { context, neighbours }: Ground,
  { address, name, host, from }: Gone,
  { message }: Item,
): string | undefined {
  const claim = `${from.host} says: ${inQuotes(`${name} moved to ${host}`, LONGEST_SAID)}`;
  const to = addressed(message.to);
  const isNamed = to === address;
  // It may have had that name, or have run that session: only its host knows, which must not choose who gets it.
  if (!isNamed && !isSaidToPath({ message })) return `${claim}; it was for ${to}, so it did not follow`;
  const isHome = host === neighbours.current?.host;
  if (!isHome && neighbours.current?.isAdmitted(host) !== true)
    return `${claim}; that host is not admitted here, so it did not follow`;
  if (isHome && context.store.read.agent(name)?.cameFrom !== from.host)
    return `${claim}; no such agent has come from there since, so it did not follow`;
  if (message.form.kind === "raw")
    return `${isNamed ? `${name} moved to ${host}` : claim}; keys do not follow an agent`;
  if (from.rights.includes("move")) return undefined;
  const may = `${from.host} may not move agents here, so it did not follow`;
  return isNamed
    ? `${name} moved to ${host}; ${may}: send it to ${shownElsewhere({ address, host })}`
    : `${claim}; ${may}`;
}
