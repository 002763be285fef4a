/** The first line of what an agent reads, and how to find it again in a prompt that a hook reports. */
import { defuseHeaders } from "./defuse-headers.ts";
import { assertNever } from "./errors.ts";
import type { AgentName, SessionId } from "./message.ts";
import { sanitiseLine } from "./sanitise.ts";

export type Sender =
  | {
      readonly kind: "agent";
      readonly name: AgentName;
      readonly sessionId?: SessionId;
      readonly headline?: string;
    }
  /** One that nobody knows, or not at the moment: its id is all there is of it. */
  | { readonly kind: "session"; readonly id: SessionId }
  /** `outside`: through a phone or a chat, not at this machine. */
  | { readonly kind: "person"; readonly name: string; readonly outside: boolean }
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

/** Names as many senders as fit, the first in any case; undefined when even that is too long. */
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
 * The tokens of our headers in a submitted prompt: `#shortId]`, or the base name of a batch's file.
 * A header counts only where it opens a line; the mark that defuses an imitation keeps it from that place.
 */
export function findTokens(prompt: string): readonly string[] {
  return prompt.split(/\r\n?|[\n\u2028\u2029]/).flatMap((line) => {
    const shortId = SINGLE.exec(line)?.[1];
    if (shortId !== undefined) return [tokenFor(shortId)];
    const file = BATCH.exec(line.trim())?.[1];
    return file === undefined || file.endsWith("/") ? [] : [batchTokenFor(file)];
  });
}

/**
 * Whether our header with this token stands anywhere in the text, also behind other words. A quotation of it that was
 * defused does not count.
 */
export function mentions(text: string, token: string): boolean {
  return [...text.matchAll(ANYWHERE)].some(([, shortId, path]) =>
    shortId === undefined ? (path ?? "").includes(`/${token}`) : tokenFor(shortId) === token,
  );
}

const ANYWHERE =
  /(?<!> )\[(?:message from: [^[\]]* #([A-Za-z0-9]{6})\]|\d+ messages from: [^[\]]*\] Read (\/[^\n]*))/g;
const SINGLE = /^\s*\[message from: [^[\]]* #([A-Za-z0-9]{6})\](?=\s|$)/;
const BATCH = /^\[\d+ messages from: [^[\]]*\] Read (\/.*)$/;

function fullName(sender: Sender): string {
  switch (sender.kind) {
    case "agent":
      return sender.sessionId === undefined
        ? shortName(sender)
        : `${shortName(sender)} (${sanitiseLine(sender.sessionId)})`;
    case "session":
    case "person":
    case "bellhop":
      return shortName(sender);
    default:
      return assertNever(sender);
  }
}

function shortName(sender: Sender): string {
  if (sender.kind === "bellhop") return "bellhop";
  return nameable(sender.kind === "session" ? `session/${sender.id}` : sender.name);
}

/** Brackets would end the header early, and `name (id)` is how a session is named: neither is a person's to write. */
function nameable(name: string): string {
  const line = sanitiseLine(name)
    .replace(/[\p{Open_Punctuation}\p{Close_Punctuation}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return sanitiseLine(defuseHeaders(line), LONGEST_NAME).trimEnd() || "unknown";
}
