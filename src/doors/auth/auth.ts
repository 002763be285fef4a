/** Who may use HTTP. The rules are plain functions, checked in the order Host, Origin, token, content type. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { AgentName } from "../../core/message.ts";
import type { WebLogins, WebProof } from "../../ports/web-logins.ts";

/** The owner of a credential. */
export type Who = { readonly kind: "owner" } | { readonly kind: "agent"; readonly name: AgentName };

export type Refused =
  | {
      readonly kind: "refused";
      readonly status: 401 | 403 | 415 | 421;
      readonly why: string;
      /** What to do, if it is not what everyone is told at this status. */
      readonly next?: string;
      /** A credential was shown, and it was wrong. */
      readonly credential?: "wrong";
    }
  | {
      readonly kind: "refused";
      readonly status: 429;
      readonly why: string;
      readonly next?: string;
      readonly retryAfterMs: number;
    };

export type Admission = { readonly kind: "admitted" } | Refused;
export type Shown =
  | { readonly kind: "token"; readonly token: string }
  /** `session`: the login that it belongs to. */
  | ({ readonly kind: "browser"; readonly session: string } & WebProof);
/** A caller, and what it showed. */
export interface Credentials {
  readonly who: Who;
  readonly shown: Shown;
}
export type Identified = ({ readonly kind: "admitted" } & Credentials) | Refused;

/** What the daemon gives a door to identify its callers. */
export interface Keys {
  /** Read every time, so that a rotated token takes effect at once. */
  readToken(): Promise<string>;
  /** Whose token it is, if it is an agent's. */
  agentOfToken?(ownerToken: string, text: string): AgentName | undefined;
  /** The browsers that are logged in; without it there is no dashboard. */
  readonly logins?: WebLogins;
  /** The name by which a tunnel or proxy serves the dashboard, with TLS. */
  webName?(): string | undefined;
}

const ADMITTED: Admission = { kind: "admitted" };

export interface RequestHead {
  readonly method?: string | undefined;
  /** Node's flat list, because its header object keeps only one of two equal headers. */
  readonly rawHeaders: readonly string[];
}

/** A name of ours, as the Host header says it, and what a page served under it has as its origin. */
export interface OwnHost {
  readonly host: string;
  readonly origin: string;
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]", "bellhop.localhost"];

/** By which a browser or client may reach a listener on this port, directly or through a tunnel. */
export function ownHosts(port: number, webName?: string): readonly OwnHost[] {
  const plain = (host: string): OwnHost => ({ host, origin: `http://${host}` });
  return [
    ...LOOPBACK_NAMES.map((name) => plain(`${name}:${port}`)),
    ...(port === 80 ? LOOPBACK_NAMES.map(plain) : []),
    ...(webName === undefined ? [] : [{ host: webName, origin: `https://${webName}` }]),
  ];
}

/** Undefined if we do not answer to it. */
export function ownHost(
  head: Pick<RequestHead, "rawHeaders">,
  hosts: readonly OwnHost[],
): OwnHost | undefined {
  const sent = headerValues(head, "host");
  const name = sent[0]?.toLowerCase();
  return sent.length === 1 ? hosts.find(({ host }) => host === name) : undefined;
}

/** A page that rebinds its own name to 127.0.0.1 still sends that name. */
export function checkHost(head: RequestHead, hosts: readonly OwnHost[]): Admission {
  if (ownHost(head, hosts) !== undefined) return ADMITTED;
  return { kind: "refused", status: 421, why: "This daemon does not answer to that host name." };
}

/** Refuses proxy-style targets such as `http://evil.example/sessions`: that name would override the Host header. */
export function checkTarget(target: string | undefined): Admission {
  if (target?.startsWith("/")) return ADMITTED;
  return { kind: "refused", status: 421, why: "Only paths are served: this is not a proxy." };
}

const FOREIGN_PAGE: Refused = {
  kind: "refused",
  status: 403,
  why: "Requests from web pages of other sites are refused.",
};

/** Programs send no Origin. Browsers do, and only a page that came from the very same name and port is allowed. */
export function checkOrigin(head: RequestHead, hosts: readonly OwnHost[]): Admission {
  const origins = headerValues(head, "origin");
  const origin = origins[0];
  if (origins.length > 1) return FOREIGN_PAGE;
  if (origin !== undefined && origin !== ownHost(head, hosts)?.origin) return FOREIGN_PAGE;
  // An image or form on another page may send no Origin; browsers still report the site it came from.
  const sites = headerValues(head, "sec-fetch-site");
  return sites.every(isOwnSite) ? ADMITTED : FOREIGN_PAGE;
}

function isOwnSite(site: string): boolean {
  return site === "same-origin" || site === "none";
}

/** The files of the page hold nothing secret. A link elsewhere may lead to them, but no other page may embed them. */
export function checkPageFetch(head: RequestHead): Admission {
  if (headerValues(head, "sec-fetch-site").every(isOwnSite)) return ADMITTED;
  const only = (name: string, value: string) => {
    const sent = headerValues(head, name);
    return sent.length === 1 && sent[0] === value;
  };
  return only("sec-fetch-mode", "navigate") && only("sec-fetch-dest", "document") ? ADMITTED : FOREIGN_PAGE;
}

export async function checkToken(head: RequestHead, keys: Keys): Promise<Identified> {
  const sent = headerValues(head, "authorization");
  if (sent.length === 0) return { kind: "refused", status: 401, why: "A bearer token is needed." };
  const match = /^bearer +([\x21-\x7e]+) *$/i.exec(sent[0] ?? "");
  if (sent.length !== 1 || match?.[1] === undefined) return WRONG_TOKEN;
  return checkCredential(match[1], keys);
}

const WRONG_TOKEN: Refused = {
  kind: "refused",
  status: 401,
  why: "The bearer token is wrong.",
  credential: "wrong",
};

export async function checkCredential(token: string, keys: Keys): Promise<Identified> {
  let owners: string;
  try {
    owners = (await keys.readToken()).trim();
  } catch {
    return { kind: "refused", status: 401, why: "The token file cannot be read, so nobody is let in." };
  }
  if (owners === "") return WRONG_TOKEN;
  const shown: Shown = { kind: "token", token };
  if (sameSecret(token, owners)) return { kind: "admitted", who: { kind: "owner" }, shown };
  const name = keys.agentOfToken?.(owners, token);
  return name === undefined ? WRONG_TOKEN : { kind: "admitted", who: { kind: "agent", name }, shown };
}

export function isSameCaller(one: Who, other: Who): boolean {
  return one.kind === "agent" ? other.kind === "agent" && one.name === other.name : other.kind === "owner";
}

/** Hashed first: the comparison requires equal lengths and must not reveal how much was right. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** A form can post text/plain across origins without a preflight, but not JSON. */
export function checkContentType(head: RequestHead): Admission {
  if (head.method === "GET" || head.method === "HEAD") return ADMITTED;
  const packed = headerValues(head, "content-encoding");
  if (packed.some((coding) => coding.trim().toLowerCase() !== "identity"))
    return { kind: "refused", status: 415, why: "Compressed bodies are not accepted." };
  const sent = headerValues(head, "content-type");
  if (head.method === "DELETE" && sent.length === 0 && !hasBody(head)) return ADMITTED;
  const [type, ...parameters] = (sent[0] ?? "").split(";").map((part) => part.trim().toLowerCase());
  const plain = parameters.every((parameter) => /^charset="?utf-8"?$/.test(parameter));
  if (sent.length !== 1 || type !== "application/json" || !plain) {
    return { kind: "refused", status: 415, why: "Only application/json is accepted." };
  }
  return ADMITTED;
}

function hasBody(head: RequestHead): boolean {
  return (
    headerValues(head, "transfer-encoding").length > 0 ||
    headerValues(head, "content-length").some((length) => length.trim() !== "0")
  );
}

export function headerValues(head: Pick<RequestHead, "rawHeaders">, name: string): readonly string[] {
  return head.rawHeaders.filter(
    (_, index) => index % 2 === 1 && head.rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
