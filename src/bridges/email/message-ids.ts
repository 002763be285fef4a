/** Message-IDs: those of others, which may be anything, and ours, by which an answer is certain. */
import { createHmac } from "node:crypto";
import { domainToASCII } from "node:url";
import { domainOf } from "./addresses.ts";
import type { HeaderField } from "./vouching.ts";

const LONGEST = 500;
const MOST_NAMED = 50;
const OURS = /^<bellhop\.[A-Za-z0-9_-]{32}@[^@<>\s]+>$/u;
const TOKEN_LENGTH = 32;

/** The ids in a field, in its order; what is not one is left out. */
function idsIn(fields: readonly HeaderField[], name: string): readonly string[] {
  return fields
    .filter((field) => field.name === name)
    .flatMap(({ value }) => value.match(/<[^<>\s]+>/gu) ?? [])
    .filter((id) => id.length <= LONGEST && /^<[\x21-\x7e]+>$/u.test(id));
}

export function messageIdOf(fields: readonly HeaderField[]): string | undefined {
  return idsIn(fields, "message-id")[0];
}

/** What a letter answers, the nearest first. */
export function answeredIds(fields: readonly HeaderField[]): readonly string[] {
  const references = idsIn(fields, "references").slice(-MOST_NAMED).reverse();
  return [...new Set([...idsIn(fields, "in-reply-to").slice(0, MOST_NAMED), ...references])].slice(
    0,
    MOST_NAMED,
  );
}

/** The letter that a conversation began with. */
export function rootId(fields: readonly HeaderField[]): string | undefined {
  return idsIn(fields, "references")[0] ?? idsIn(fields, "in-reply-to")[0] ?? messageIdOf(fields);
}

/**
 * Nobody can guess it without the key. The same message to the same person has the same id, also when it is sent
 * again after a crash: an answer to either copy is known, and many providers show only one of them.
 */
export function ownMessageId(
  key: string,
  parts: { readonly messageId: string; readonly path: string; readonly address: string },
): string {
  const token = createHmac("sha256", key)
    .update(JSON.stringify([parts.messageId, parts.path]))
    .digest("base64url")
    .slice(0, TOKEN_LENGTH);
  return `<bellhop.${token}@${domainToASCII(domainOf(parts.address))}>`;
}

export function isOwnMessageId(id: string): boolean {
  return OURS.test(id);
}
