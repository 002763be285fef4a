/** Why a delivery stands where it stands, in a person's words: from what is known, nobody is asked. */
import type { Delivery, Receipt, SessionId } from "../core/message.ts";
import type { Readiness } from "../core/readiness.ts";
import type { Reading } from "../core/reading.ts";

/** `taker`: whoever empties its mailbox now. */
export function whyItWaits(
  { to, hold, release }: Delivery,
  taker:
    | { readonly sessionId: SessionId; readonly readiness: Readiness; readonly reading: Reading }
    | undefined,
): readonly string[] {
  const why: string[] = [];
  if (release === "withheld") why.push('A person keeps it back: release it with "bellhop queue now".');
  if (hold !== undefined) why.push(`It is held (${hold.reason}) and goes out ${hold.release}.`);
  if (taker === undefined) why.push(`No program runs for ${to}.`);
  else why.push(`Session ${taker.sessionId} is ${taker.readiness.kind}: ${taker.readiness.because}.`);
  // A suspended one is unreadable for the reason that was just given.
  if (taker?.reading.kind === "unknown" && taker.reading.why !== taker.readiness.because)
    why.push(`Its screen cannot be read: ${taker.reading.why}.`);
  if (hold === undefined) why.push("Its courier has not looked yet.");
  return why;
}

export function whatBecame(
  { state, transport, evidence }: Delivery,
  last: Receipt | undefined,
): readonly string[] {
  const via = transport === undefined ? "" : ` by ${transport}`;
  const proof = evidence === undefined ? "no evidence" : `evidence: ${evidence}`;
  return [`It is ${state}${via} (${proof}).`, ...(last?.note === undefined ? [] : [`${last.note}.`])];
}
