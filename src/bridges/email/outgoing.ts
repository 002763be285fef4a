/** A message as a mail. */

import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Saying } from "../../ports/bridge.ts";
import { type Correspondents, withTag } from "./addresses.ts";
import type { RememberedLetter } from "./correspondence.ts";
import { withoutReplyPrefix } from "./words/phrases.ts";

export interface OutgoingMail {
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  /** Set if the person wrote to an address with a tag, so that their answer goes there too. */
  readonly replyTo?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
}

export interface Composing {
  readonly messageId: string;
  /** Our address without a tag. */
  readonly address: string;
  readonly correspondents: Correspondents;
  /** The letter that it answers, if we remember it. */
  readonly answered?: RememberedLetter;
}

const BELLHOP = "Bellhop";
const REPEAT_MARK = "(perhaps a repeat) ";
const LONGEST_SUBJECT = 72;
const MOST_REFERENCES = 20;

export function compose(saying: Saying, composing: Composing): OutgoingMail {
  const { address, correspondents, answered, messageId } = composing;
  const replyTo = answered?.tag === undefined ? correspondents.ours : withTag(address, answered.tag);
  const said = `${saying.perhapsSaid ? REPEAT_MARK : ""}${saying.text}`;
  const inReplyTo = [saying.answers, answered?.id].find(isMessageId);
  const references = [...(answered?.references ?? []), saying.thread, inReplyTo].filter(isMessageId);
  return {
    messageId,
    from: { name: sanitiseLine(saying.agent ?? BELLHOP), address },
    ...(replyTo === address ? {} : { replyTo }),
    to: correspondents.theirs,
    subject: subjectOf(saying, answered),
    text: said,
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    ...(references.length === 0 ? {} : { references: [...new Set(references)].slice(-MOST_REFERENCES) }),
  };
}

function subjectOf({ text, answers }: Saying, answered: RememberedLetter | undefined): string {
  const subject = withoutReplyPrefix(sanitiseLine(answered?.subject ?? ""));
  if (subject !== "") return `Re: ${subject}`;
  const words = firstWords(text);
  return answers === undefined ? words : `Re: ${words}`;
}

function firstWords(text: string): string {
  const line = sanitiseLine(text.trim().split("\n", 1)[0] ?? "").trim();
  if (line === "") return BELLHOP;
  if ([...line].length <= LONGEST_SUBJECT) return line;
  const start = sanitiseLine(line, LONGEST_SUBJECT);
  return `${start.replace(/\s+\S*$/u, "")}…`;
}

function isMessageId(id: string | undefined): id is string {
  return id !== undefined && /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/u.test(id);
}
