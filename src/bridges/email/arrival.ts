/** What a letter is to the office, or why it is nothing to it. */
import { isAgentName } from "../../core/address.ts";
import type { Json } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Arrival } from "../../ports/bridge.ts";
import { mailAddress, mailPath, tagOf, UNVOUCHED } from "./addresses.ts";
import type { RememberedLetter } from "./correspondence.ts";
import type { Letter, NamedAttachment } from "./letter.ts";
import { answeredIds, messageIdOf, rootId } from "./message-ids.ts";
import { whyUnwanted } from "./unwanted.ts";
import { senderOf } from "./vouching.ts";
import { ownWords } from "./words/own-words.ts";
import { isForwardSubject } from "./words/phrases.ts";

export interface Reading {
  readonly address: string;
  readonly authservId?: string;
}

export type Read =
  | { readonly kind: "arrival"; readonly arrival: Arrival; readonly remember?: RememberedLetter }
  | { readonly kind: "dropped"; readonly why: string };

/** Less than a message may have, so that it is never refused for its length. */
const MOST_TEXT_BYTES = 200 * 1024;
const CUT_MARK = "\n[the mail goes on]";

export function readArrival(letter: Letter, reading: Reading): Read {
  const messageId = messageIdOf(letter.fields);
  const unwanted = whyUnwanted(letter.fields, messageId);
  if (unwanted !== undefined) return { kind: "dropped", why: unwanted };
  const sender = senderOf(letter.fields, reading.authservId);
  const path = mailPath(reading.address, sender.kind === "vouched" ? sender.address : UNVOUCHED);
  if (path === undefined) return { kind: "dropped", why: "its addresses are too long" };
  const said = { path, text: textOf(letter), payload: payloadOf(letter) };
  if (sender.kind === "unvouched") {
    const claim = `${sender.claimed ?? letter.fromName ?? "somebody"}, not verified: ${sender.why}`;
    // Not its own Message-ID: a forged letter must not pass for the real one that comes after it. Nothing else either
    // that could lend it weight.
    const externalId = `unverified:${letter.digest}`;
    return { kind: "arrival", arrival: { externalId, from: "", fromName: claim, ...said } };
  }
  const answers = answeredIds(letter.fields);
  const thread = rootId(letter.fields);
  const tag = tagIn(letter, reading.address);
  const topic = tag !== undefined && isAgentName(tag) ? tag : undefined;
  const arrival: Arrival = {
    externalId: messageId ?? `sha256:${letter.digest}`,
    from: sender.address,
    ...said,
    ...(answers.length === 0 ? {} : { answers }),
    ...present({ fromName: letter.fromName, thread, topic }),
  };
  if (messageId === undefined) return { kind: "arrival", arrival };
  const remember = {
    id: messageId,
    thread: thread ?? messageId,
    subject: letter.subject,
    references: [...answers].reverse(),
    ...present({ tag }),
  };
  return { kind: "arrival", arrival, remember };
}

/** `coder`, if it was written to `bot+coder@…`. */
function tagIn({ fields }: Letter, ours: string): string | undefined {
  for (const name of ["delivered-to", "x-original-to", "to", "cc"]) {
    for (const { value } of fields.filter((field) => field.name === name)) {
      for (const candidate of value.split(/[\s,;<>"()]+/u)) {
        const address = mailAddress(candidate);
        const tag = address === undefined ? undefined : tagOf(address, ours);
        if (tag !== undefined && tag !== "") return tag;
      }
    }
  }
  return undefined;
}

function textOf(letter: Letter): string {
  const own = ownWords(letter.text, { isForward: isForwardSubject(letter.subject) });
  const text = cut(own === "" ? letter.subject : own);
  const attached = letter.attachments.map(attachmentLine).join("\n");
  return [text, attached].filter((part) => part !== "").join("\n\n") || "(an empty mail)";
}

function attachmentLine({ name, type, bytes }: NamedAttachment): string {
  const size = bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
  return `[attached, not kept: ${[name, type, size].filter((part) => part !== "").join(", ")}]`;
}

function payloadOf({ subject, attachments }: Letter): Json {
  return { subject, attachments: attachments.map(({ name, type, bytes }) => ({ name, type, bytes })) };
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MOST_TEXT_BYTES) return text;
  // Half a character at the end becomes U+FFFD, which goes too.
  const start = Buffer.from(text)
    .subarray(0, MOST_TEXT_BYTES)
    .toString("utf8")
    .replace(/\uFFFD$/u, "");
  return start + CUT_MARK;
}
