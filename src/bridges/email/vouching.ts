/**
 * Whether the mail provider vouches for who wrote a letter. The field From is only a claim. What the provider found out
 * stands in Authentication-Results, which anybody can write too: only the topmost one with the provider's own name
 * counts, because a provider writes its own above all that came in, and removes others that use its name.
 */
import { domainToASCII } from "node:url";
import { domainOf, mailAddress } from "./addresses.ts";
import { type AuthenticationResults, parseAuthenticationResults } from "./authentication-results.ts";

export interface HeaderField {
  /** Lower case. */
  readonly name: string;
  /** Unfolded, not decoded. */
  readonly value: string;
}

export type Sender =
  | { readonly kind: "vouched"; readonly address: string }
  /** `claimed`, if it can be read: only for people to look at. */
  | { readonly kind: "unvouched"; readonly claimed?: string; readonly why: string };

export function senderOf(fields: readonly HeaderField[], authservId: string | undefined): Sender {
  const address = claimedSender(fields);
  if (address === undefined) return { kind: "unvouched", why: "its From names not exactly one address" };
  const unvouched = (why: string): Sender => ({ kind: "unvouched", claimed: address, why });
  if (authservId === undefined) return unvouched("authserv_id is not set");
  const results = topmostResults(fields, authservId);
  if (results === undefined) return unvouched(`no Authentication-Results of ${authservId}`);
  return isAuthentic(results, domainOf(address))
    ? { kind: "vouched", address }
    : unvouched(`${authservId} found no passing check for ${domainOf(address)}`);
}

/** Readers of mail disagree about a From with several addresses, so such a one names nobody. */
function claimedSender(fields: readonly HeaderField[]): string | undefined {
  const [from, ...others] = fields.filter(({ name }) => name === "from");
  if (from === undefined || others.length > 0) return undefined;
  const bracketed = /^[^<>]*<([^<>]*)>\s*$/u.exec(from.value);
  return mailAddress(bracketed?.[1] ?? from.value);
}

/** The topmost of the provider's fields that says something about the sender; some providers write several. */
function topmostResults(
  fields: readonly HeaderField[],
  authservId: string,
): AuthenticationResults | undefined {
  for (const { name, value } of fields) {
    if (name !== "authentication-results") continue;
    const found = parseAuthenticationResults(value);
    const isOurs = found !== undefined && isNamed(found.authservId, authservId.toLowerCase());
    if (isOurs && found.results.some(({ method }) => ABOUT_SENDER.includes(method))) return found;
  }
  return undefined;
}

/** `*.example.com`: providers with many servers name each of them. */
function isNamed(authservId: string, wanted: string): boolean {
  return wanted.startsWith("*.") ? authservId.endsWith(wanted.slice(1)) : authservId === wanted;
}

const ABOUT_SENDER = ["dmarc", "dkim", "spf"];

function isAuthentic({ results }: AuthenticationResults, domain: string): boolean {
  const policies = results.filter(({ method }) => method === "dmarc");
  if (policies.some(({ result }) => result === "fail")) return false;
  if (
    policies.some(
      ({ result, properties }) => result === "pass" && isSame(properties.get("header.from"), domain),
    )
  ) {
    return true;
  }
  return results.some(({ method, result, properties }) => {
    if (result !== "pass") return false;
    if (method === "dkim") {
      return isAligned(properties.get("header.d") ?? behindAt(properties.get("header.i")), domain);
    }
    return method === "spf" && isAligned(behindAt(properties.get("smtp.mailfrom")), domain);
  });
}

/**
 * The same domain, or one above it, which could as well write its own entries for the sender's. Not one below: without
 * a list of public suffixes, a stranger's `evil.example.com` could speak for `example.com`. DMARC covers that case.
 */
function isAligned(found: string | undefined, domain: string): boolean {
  if (found === undefined || !found.includes(".")) return isSame(found, domain);
  return isSame(found, domain) || ascii(domain).endsWith(`.${ascii(found)}`);
}

function isSame(found: string | undefined, domain: string): boolean {
  return found !== undefined && ascii(found) !== "" && ascii(found) === ascii(domain);
}

function ascii(domain: string): string {
  return domainToASCII(domain.replace(/\.$/u, ""));
}

function behindAt(value: string | undefined): string | undefined {
  return value?.slice(value.lastIndexOf("@") + 1);
}
