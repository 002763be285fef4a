/**
 * How far another host's word counts in what Bellhop tells a sender here: news of a letter need no right, so they must
 * not become a way to write to whoever sent it, nor to start their turns. Notices asks.
 */
import { type HostName, hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { RefusalReason } from "../../core/cluster/refusals.ts";
import { noticesAbout } from "../../core/cluster/speakers.ts";
import type { Delivery, Message } from "../../core/message.ts";
import type { SentLetter } from "../../ports/cluster-store.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { Submission } from "../accept/submission.ts";
import type { Neighbours } from "../presence/neighbourhood.ts";

/** Of a notice about this delivery. An agent that sends again because of it goes on from there, and not for ever. */
export function asHeardThere(
  read: StoreReader,
  { id, to }: Delivery,
  { hops }: Message,
): Partial<Pick<Submission, "sender" | "afterHops">> {
  const host = hostOfMailbox(to);
  if (host === undefined) return {};
  const isHeard = isHeardOf(read.sentLetter(id));
  return {
    afterHops: hops,
    ...(isHeard ? { sender: { address: noticesAbout(host), source: "bellhop" } } : {}),
  };
}

/** Why it failed: in the other host's words, which its receipt has, only if that host may send any here. */
export function whyFailed(
  read: StoreReader,
  neighbours: Neighbours,
  { id, to }: Delivery,
): string | undefined {
  const host = hostOfMailbox(to);
  const note = read.receiptsOf(id).at(-1)?.note;
  // What is decided here has no host before it.
  const isTheirs = host !== undefined && note?.startsWith(`on ${host}`) === true;
  if (!isTheirs || neighbours.current?.may(host, "send") === true) return note;
  const { why = "other" } = read.sentLetter(id) ?? {};
  return OUR_WORDS[why]?.(host) ?? `${host} could not deliver it, or did not take it`;
}

function isHeardOf(letter: SentLetter | undefined): boolean {
  return letter !== undefined && letter.heeded >= 0;
}

const OUR_WORDS: Readonly<Partial<Record<RefusalReason, (host: HostName) => string>>> = {
  nobody: (host) => `nobody takes it on ${host}`,
  right: (host) => `${host} does not allow it`,
  overdue: (host) => `it came to ${host} after its time`,
  unreadable: (host) => `it cannot be read on ${host}`,
};
