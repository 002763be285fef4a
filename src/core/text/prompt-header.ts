/** The first line that an agent reads, and how to find it again in a prompt that a hook reports. */

import type { AgentName, SessionId } from "../message.ts";
import { defuseHeaders } from "./defuse-headers.ts";
import { sanitiseLine } from "./sanitise.ts";

export type Sender =
  | {
      readonly kind: "agent";
      readonly name: AgentName;
      readonly sessionId?: SessionId;
      readonly headline?: string;
    }
  /** A session that is unknown, or not known now: only its id can be given. */
  | { readonly kind: "session"; readonly id: SessionId }
  /** Somebody in a place outside, or at another host (`onHost`), who is not the person: they do not see the terminal. */
  | { readonly kind: "guest"; readonly name: string; readonly onHost?: true }
  /** `outside`: through a phone or a chat, not at this machine. */
  | { readonly kind: "person"; readonly name: string; readonly outside: boolean }
  /** On another host: a script, a place outside, or the Bellhop there (`isBellhop`). Nobody there reads an answer. */
  | { readonly kind: "program"; readonly name: string; readonly outside: boolean; readonly isBellhop?: true }
  | { readonly kind: "bellhop" };

const LONGEST_NAME = 80;

export function tokenFor(shortId: string): string {
  return `#${shortId}]`;
}

/** A batch by reference is proven by the name of its file. */
export function batchTokenFor(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

export function headerFor(sender: Sender, shortId: string): string {
  return `[message from: ${fullName(sender)} ${tokenFor(shortId)}`;
}

/** In an inline batch: the only colon but that of a host is ours, so that no name can pass for a header. */
export function itemHeaderFor(sender: Sender, shortId: string, number: number): string {
  const name = fullName(sender);
  const host = isOnHost(sender) ? (/^[a-z0-9-]+:/u.exec(name)?.[0] ?? "") : "";
  return `(${number}) from ${host}${name.slice(host.length).replaceAll(":", ".")} ${itemMark(shortId)}`;
}

/** Nobody at home has a name with a colon, except a person or a guest. */
function isOnHost(sender: Sender): boolean {
  return (
    sender.kind === "agent" ||
    sender.kind === "program" ||
    (sender.kind === "guest" && sender.onHost === true)
  );
}

/** Includes all ids: another batch that begins with the same message is another prompt. */
export function inlineTokenFor(shortIds: readonly string[]): string {
  return shortIds.map(itemMark).join("");
}

/** The parts of a token as a screen or a session file shows them. */
export function marksOf(token: string): readonly string[] {
  return /^(?:#[A-Za-z0-9]{6}:)+$/.test(token) ? (token.match(/#[^#]+/g) ?? []) : [token];
}

function itemMark(shortId: string): string {
  return `#${shortId}:`;
}

/** Names as many senders as fit, at least the first; undefined if even that is too long. */
export function batchHeaderFor(senders: readonly Sender[], maxCharacters: number): string | undefined {
  const names = [...new Set(senders.map(shortName))];
  for (let shown = names.length; shown > 0; shown -= 1) {
    const rest = shown < names.length ? ", …" : "";
    const header = `[${senders.length} messages from: ${names.slice(0, shown).join(", ")}${rest}]`;
    if (header.length <= maxCharacters) return header;
  }
  return undefined;
}

/**
 * The tokens of our headers in a submitted prompt: `#shortId]`, the ids of a batch, or the base name of its file.
 * A header counts only at the start of a line, where an imitation cannot be because of its defusing mark.
 */
export function findTokens(prompt: string): readonly string[] {
  return prompt.split(/\r\n?|[\n\u2028\u2029]/).flatMap((line) => {
    const shortId = SINGLE.exec(line)?.[1];
    if (shortId !== undefined) return [tokenFor(shortId)];
    const inline = INLINE.test(line) ? inlineToken(line) : undefined;
    if (inline !== undefined) return [inline];
    const file = BATCH.exec(line.trim())?.[1];
    return file === undefined || file.endsWith("/") ? [] : [batchTokenFor(file)];
  });
}

/**
 * Whether our header with this token occurs anywhere in the text, even after other words. A defused quotation of it
 * does not count.
 */
export function mentions(text: string, token: string): boolean {
  return (
    [...text.matchAll(ANYWHERE)].some(([, shortId, path]) =>
      shortId === undefined ? (path ?? "").includes(`/${token}`) : tokenFor(shortId) === token,
    ) || [...text.matchAll(INLINE_ANYWHERE)].some(({ index }) => inlineToken(text.slice(index)) === token)
  );
}

/** The token of the batch whose header starts the text; if a number is defused or missing, it is not ours. */
function inlineToken(text: string): string | undefined {
  const count = Number(INLINE.exec(text)?.[1]);
  const shortIds: string[] = [];
  for (const [, number, shortId] of text.matchAll(INLINE_ITEM)) {
    if (Number(number) !== shortIds.length + 1 || shortId === undefined) return undefined;
    shortIds.push(shortId);
    if (shortIds.length === count) return inlineTokenFor(shortIds);
  }
  return undefined;
}

const ANYWHERE =
  /(?<!> )\[(?:message from: [^[\]]* #([A-Za-z0-9]{6})\]|\d+ messages from: [^[\]]*\] Read (\/[^\n]*))/g;
const SINGLE = /^\s*\[message from: [^[\]]* #([A-Za-z0-9]{6})\](?=\s|$)/;
const INLINE = /^\s*\[(\d{1,4}) messages\] \(1\) from /;
const INLINE_ANYWHERE = /(?<!> )\[\d{1,4} messages\] \(1\) from /g;
/** A name has at most 80 characters of two units each, and an id may follow it. */
const INLINE_ITEM = /(?<!> )\((\d{1,4})\) from [^\n]{1,200}? #([A-Za-z0-9]{6}):/g;
const BATCH = /^\[\d+ messages from: [^[\]]*\] Read (\/.*)$/;

function fullName(sender: Sender): string {
  const name = shortName(sender);
  return sender.kind === "agent" && sender.sessionId !== undefined
    ? `${name} (${sanitiseLine(sender.sessionId)})`
    : name;
}

function shortName(sender: Sender): string {
  if (sender.kind === "bellhop") return "bellhop";
  return nameable(sender.kind === "session" ? `session/${sender.id}` : sender.name);
}

/** Brackets would end the header early, and `name (id)` denotes a session: a person's name may contain neither. */
export function nameable(name: string): string {
  const line = sanitiseLine(name)
    .replace(/[\p{Open_Punctuation}\p{Close_Punctuation}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return sanitiseLine(defuseHeaders(line), LONGEST_NAME).trimEnd() || "unknown";
}
