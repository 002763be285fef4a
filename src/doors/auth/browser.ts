/**
 * What a logged-in browser shows: a cookie, which scripts cannot read, and a key, which no other page on the same host
 * name can: cookies ignore ports. Neither alone opens anything.
 */
import type { WebLogins, WebProof } from "../../ports/web-logins.ts";
import { headerValues, type Identified, type Refused, type RequestHead } from "./auth.ts";

const KEY_HEADER = "x-bellhop-key";

/** A browser sends every cookie of the host name that has our name: ours, and what others set. */
const MOST_COOKIES = 4;
const LONGEST_SECRET = 128;

const NEXT = 'Open the link that "bellhop open" prints.';

/** Two daemons on one machine have different ports, and the same host name. */
export function cookieName(port: number): string {
  return `bellhop-${port}`;
}

/** Until its session ends: the daemon decides when, the browser only keeps it long enough. */
const KEPT_SECONDS = 400 * 24 * 3_600;

export function setCookie(port: number, value: string, origin: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(port)}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${KEPT_SECONDS}${secure}`;
}

export function cookiesIn(head: Pick<RequestHead, "rawHeaders">, port: number): readonly string[] {
  const prefix = `${cookieName(port)}=`;
  return headerValues(head, "cookie")
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix) && pair.length <= prefix.length + LONGEST_SECRET)
    .map((pair) => pair.slice(prefix.length))
    .filter((value) => value !== "")
    .slice(0, MOST_COOKIES);
}

/** Undefined if it shows neither, and so is no browser of ours. */
export function proofIn(
  head: RequestHead,
  port: number,
): { readonly [Part in keyof WebProof]: WebProof[Part] | undefined } | undefined {
  const cookies = cookiesIn(head, port);
  const keys = headerValues(head, KEY_HEADER);
  if (cookies.length === 0 && keys.length === 0) return undefined;
  return {
    cookies: cookies.length === 0 ? undefined : cookies,
    key: keys.length === 1 && keys[0] !== "" ? keys[0] : undefined,
  };
}

export const NOT_LOGGED_IN = {
  kind: "refused",
  status: 401,
  why: "This browser is not logged in.",
  next: NEXT,
} as const satisfies Refused;

export function checkProof({ cookies, key }: WebProof, logins: WebLogins): Identified {
  // Longer than any secret of ours: nothing is hashed for it.
  const id = key.length > LONGEST_SECRET ? undefined : logins.holder({ cookies, key });
  if (id === undefined) return { ...NOT_LOGGED_IN, credential: "wrong" };
  return { kind: "admitted", who: { kind: "owner" }, shown: { kind: "browser", session: id, cookies, key } };
}

const WHY = {
  used: "This link was already used: each works once.",
  expired: "This link is too old: each works for two minutes.",
  unknown: "This link is not right, or Bellhop was restarted since it was made.",
} as const;

export function wrongCode(verdict: keyof typeof WHY): Refused {
  const next =
    verdict === "used"
      ? 'Make another with "bellhop open". If somebody else used it, end what they opened: "bellhop open revoke --all".'
      : 'Make another with "bellhop open".';
  const refused = { kind: "refused", status: 401, why: WHY[verdict], next } as const;
  // One that was right is no guess.
  return verdict === "unknown" ? { ...refused, credential: "wrong" } : refused;
}
