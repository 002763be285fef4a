/** Who may come in by HTTP. Rules as plain functions; the order is Host, Origin, token, content type. */
import { createHash, timingSafeEqual } from "node:crypto";

export type Admission =
  | { readonly kind: "admitted" }
  | { readonly kind: "refused"; readonly status: 401 | 403 | 415 | 421; readonly why: string };

const ADMITTED: Admission = { kind: "admitted" };

export interface RequestHead {
  readonly method: string;
  /** Node's flat list, because its object keeps one of two equal headers and hides the other. */
  readonly rawHeaders: readonly string[];
}

/** The names under which a browser or a client may know a listener on this port. */
export function ownHosts(port: number): readonly string[] {
  const names = ["127.0.0.1", "localhost"];
  const withPort = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...names] : withPort;
}

/** A page that rebinds its own name to 127.0.0.1 still sends its own name. */
export function checkHost(head: RequestHead, hosts: readonly string[]): Admission {
  const sent = headerValues(head, "host");
  const host = sent[0];
  if (sent.length !== 1 || host === undefined || !hosts.includes(host.toLowerCase())) {
    return { kind: "refused", status: 421, why: "This host name is not ours." };
  }
  return ADMITTED;
}

/** Programs send no Origin. Browsers do, and ours is the only page that may. */
export function checkOrigin(head: RequestHead, hosts: readonly string[]): Admission {
  const refused: Admission = { kind: "refused", status: 403, why: "Requests from other pages are refused." };
  const origins = headerValues(head, "origin");
  const origin = origins[0];
  if (origins.length > 1) return refused;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) return refused;
  // An image or a form of another page may carry no Origin; browsers then still say where it came from.
  const sites = headerValues(head, "sec-fetch-site");
  if (sites.some((site) => site !== "same-origin" && site !== "none")) return refused;
  return ADMITTED;
}

/** `readToken` is asked every time, so that a rotated token counts at once. */
export async function checkToken(head: RequestHead, readToken: () => Promise<string>): Promise<Admission> {
  const refused: Admission = { kind: "refused", status: 401, why: "A bearer token is needed." };
  const sent = headerValues(head, "authorization");
  const match = /^bearer +([\x21-\x7e]+) *$/i.exec(sent[0] ?? "");
  if (sent.length !== 1 || match?.[1] === undefined) return refused;
  let token: string;
  try {
    token = (await readToken()).trim();
  } catch {
    return { kind: "refused", status: 401, why: "The token file cannot be read, so nobody is let in." };
  }
  return token !== "" && sameSecret(match[1], token) ? ADMITTED : refused;
}

/** Hashed first: the comparison takes equal lengths only and must not tell how much was right. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** A form can post text/plain across origins without asking; JSON it cannot. */
export function checkContentType(head: RequestHead): Admission {
  if (head.method === "GET" || head.method === "HEAD") return ADMITTED;
  const sent = headerValues(head, "content-type");
  const [type, ...parameters] = (sent[0] ?? "").split(";").map((part) => part.trim().toLowerCase());
  const plain = parameters.every((parameter) => /^charset="?utf-8"?$/.test(parameter));
  if (sent.length !== 1 || type !== "application/json" || !plain) {
    return { kind: "refused", status: 415, why: "Only application/json is taken." };
  }
  return ADMITTED;
}

function headerValues(head: RequestHead, name: string): readonly string[] {
  return head.rawHeaders.filter(
    (_, index) => index % 2 === 1 && head.rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
