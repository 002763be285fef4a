/** Addresses of people as this bridge names them: lower case, and always a segment of a path. */
import { ADDRESS_LIMITS } from "../../core/address.ts";
import type { Address } from "../../core/message.ts";

/**
 * Fewer than the standard allows: no quotes, no slash, no wildcard of a pattern, nothing invisible. Whoever has another
 * address cannot be reached in this way.
 */
const MAILBOX = /^[\p{L}\p{N}!$%&'+=^_`{|}~-]+(?:\.[\p{L}\p{N}!$%&'+=^_`{|}~-]+)*$/u;
const DOMAIN =
  /^(?=.{1,253}$)[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)*$/u;
const LONGEST = { mailbox: 64, address: 254 } as const;

/** Stands in a path for a sender whom nobody vouches for: it is no address, and nobody can be written to there. */
export const UNVOUCHED = "(not verified)";

/** Lower case; undefined for what this bridge does not accept as an address. */
export function mailAddress(text: string): string | undefined {
  const address = text.trim().normalize("NFC").toLowerCase();
  const at = address.lastIndexOf("@");
  const mailbox = address.slice(0, at);
  if (at < 1 || address.length > LONGEST.address || mailbox.length > LONGEST.mailbox) return undefined;
  return MAILBOX.test(mailbox) && DOMAIN.test(address.slice(at + 1)) ? address : undefined;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** `coder` for `bot+coder@example.com`, if `bot@example.com` is ours; an empty text for our address itself. */
export function tagOf(address: string, ours: string): string | undefined {
  if (address === ours) return "";
  const at = ours.lastIndexOf("@");
  const start = `${ours.slice(0, at)}+`;
  const end = ours.slice(at);
  const isOurs =
    address.length > start.length + end.length && address.startsWith(start) && address.endsWith(end);
  return isOurs ? address.slice(start.length, -end.length) : undefined;
}

export function withTag(ours: string, tag: string): string {
  const at = ours.lastIndexOf("@");
  return `${ours.slice(0, at)}+${tag}${ours.slice(at)}`;
}

/** Recipient first; undefined if both together are longer than a path may be. */
export function mailPath(to: string, from: string): Address | undefined {
  const path = `email/${to}/${from}`;
  return [...path].length <= ADDRESS_LIMITS.characters ? path : undefined;
}

export interface Correspondents {
  /** Our address, perhaps with a tag. */
  readonly ours: string;
  readonly theirs: string;
}

/** The two addresses of a path on which we can speak. */
export function correspondentsOf(path: Address, ours: string): Correspondents | undefined {
  const [root, to = "", from = "", ...more] = path.split("/");
  if (root !== "email" || more.length > 0 || mailAddress(to) !== to || mailAddress(from) !== from)
    return undefined;
  return tagOf(to, ours) === undefined ? undefined : { ours: to, theirs: from };
}
