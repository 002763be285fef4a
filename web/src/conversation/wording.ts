/** What became of a message, in words. Pure. */
import { sanitiseText } from "../../../src/core/text/sanitise.ts";
import { TEXT } from "../strings.ts";
import { momentInWords } from "../ui/moment.ts";
import type { ToldEntry, ToldReceipt } from "./told.ts";

const { conversation } = TEXT;

/** “delivered, submitted 12:03”, without the time if that is the one at which it was sent; for what waits: why. */
export function standingOf(
  { state, to, evidence, queued_at, changed_at, hold, release, possible_duplicate }: ToldEntry,
  now: number,
): string {
  if (state === "queued") {
    if (release === "withheld") return conversation.heldBack;
    if (to.startsWith("person/")) return conversation.unread;
    return hold === undefined ? conversation.states.queued : conversation.waits(TEXT.reasons[hold.reason]);
  }
  const words = [
    conversation.states[state],
    ...(evidence === undefined ? [] : [conversation.evidence[evidence]]),
    ...(possible_duplicate === true ? [conversation.perhapsTwice] : []),
  ];
  const [sent, changed] = [queued_at, changed_at].map((moment) => momentInWords(moment, now));
  return [words.join(", "), ...(changed === sent ? [] : [changed])].join(" ");
}

export function receiptInWords({ state, evidence, transport, note }: ToldReceipt): string {
  return [
    conversation.states[state],
    ...(transport === undefined ? [] : [conversation.transports[transport]]),
    ...(evidence === undefined ? [] : [conversation.proofs[evidence]]),
    ...(note === undefined ? [] : [note]),
  ].join(", ");
}

/** Nobody reads on without being asked: so much of a text is shown at first. */
export const FOLDED_CHARACTERS = 2_000;

/** As text that cannot pretend to be anything else. Cut between characters. */
export function shownBody(
  body: string,
  isWhole: boolean,
): { readonly text: string; readonly isCut: boolean } {
  if (isWhole || body.length <= FOLDED_CHARACTERS) return { text: sanitiseText(body), isCut: false };
  return { text: sanitiseText(body.slice(0, FOLDED_CHARACTERS).toWellFormed()), isCut: true };
}
