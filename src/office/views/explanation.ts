/** Explains in a person's words why a delivery is where it is. From known facts only; nothing is queried. */
import { splitAddress } from "../../core/address.ts";
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import { rangAt, takingCommand } from "../../core/doorbell.ts";
import type { Delivery, DeliveryState, Receipt, SessionId } from "../../core/message.ts";
import type { Readiness } from "../../core/readiness/readiness.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import { CAREFUL_WAY } from "../../core/releases.ts";

/** `taker`: the session that currently takes from its mailbox. */
export function whyItWaits(
  { to, hold, release }: Delivery,
  shortId: string,
  taker:
    | {
        readonly sessionId: SessionId;
        readonly readiness: Readiness;
        readonly reading: Reading;
        readonly unproven?: string;
      }
    | undefined,
  receipts: readonly Receipt[] = [],
): readonly string[] {
  const why: string[] = [];
  const isWithheld = release === "withheld";
  if (isWithheld) why.push(`It was held back by hand: release it with "bellhop queue now ${shortId}".`);
  if (hold !== undefined && !(isWithheld && hold.reason === "paused"))
    why.push(sentence(`It is held (${hold.reason}) and goes out ${hold.release}`));
  const host = hostOfMailbox(to);
  if (host !== undefined) why.push(`It is for somebody on ${host}, and still here.`);
  else if (taker === undefined) why.push(`No program is running for ${to}.`);
  else why.push(`Session ${taker.sessionId} is ${taker.readiness.kind}: ${taker.readiness.because}.`);
  // For a suspended program, this is the reason that was just given.
  if (taker?.reading.kind === "unknown" && taker.reading.why !== taker.readiness.because)
    why.push(`Its screen cannot be read: ${taker.reading.why}.`);
  if (taker?.unproven !== undefined) why.push(`Its release is unproven: ${taker.unproven}, ${CAREFUL_WAY}.`);
  if (rangAt(receipts) !== undefined)
    why.push(`The person was told that it waits. To take it: ${takingCommand(splitAddress(to).rest)}`);
  if (hold === undefined) why.push("Bellhop has not tried to deliver it yet.");
  return why;
}

const WHAT_BECAME: Readonly<Record<Exclude<DeliveryState, "queued">, string>> = {
  delivering: "It is being delivered",
  delivered: "It was delivered",
  read: "It was read",
  replied: "It was answered",
  unconfirmed: "It is unconfirmed",
  expired: "It expired",
  cancelled: "It was cancelled",
  failed: "It could not be delivered",
};

export function whatBecame(
  { state, transport, evidence, to, hold }: Delivery,
  last: Receipt | undefined,
): readonly string[] {
  if (state === "queued") return [];
  const host = hostOfMailbox(to);
  if (state === "delivering" && host !== undefined)
    return [sentence(`It is on its way to ${host}${hold === undefined ? "" : `: ${hold.release}`}`)];
  const how = [
    ...(transport === undefined ? [] : [`transport: ${transport}`]),
    ...(evidence === undefined ? [] : [`evidence: ${evidence}`]),
  ];
  const why = last?.note === undefined ? "" : `: ${last.note}`;
  return [sentence(`${WHAT_BECAME[state]}${how.length === 0 ? "" : ` (${how.join(", ")})`}${why}`)];
}

/** What it ends with may be a sentence already, of this host or of another. */
function sentence(text: string): string {
  return /[.!?…]["”’)]?$/u.test(text) ? text : `${text}.`;
}
