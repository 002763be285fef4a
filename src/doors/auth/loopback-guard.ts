/** Who may use the loopback port: the same rules, and one count of wrong secrets, for requests and WebSockets. */
import { createHash } from "node:crypto";
import type { Instant } from "../../core/message.ts";
import type { WebProof } from "../../ports/web-logins.ts";
import {
  type Admission,
  type Credentials,
  checkCredential,
  checkHost,
  checkOrigin,
  checkPageFetch,
  checkTarget,
  checkToken,
  headerValues,
  type Identified,
  isSameCaller,
  type Keys,
  type OwnHost,
  ownHost,
  ownHosts,
  type Refused,
  type RequestHead,
} from "./auth.ts";
import { checkProof, cookiesIn, NOT_LOGGED_IN, proofIn, setCookie, wrongCode } from "./browser.ts";
import { type ThrottleState, throttle } from "./throttle.ts";

export interface Admitted {
  readonly kind: "admitted";
  readonly id: string;
  readonly key: string;
  /** The value of the header `Set-Cookie`. */
  readonly cookie: string;
}

export class LoopbackGuard {
  readonly #keys: Keys;
  readonly #now: () => Instant;
  #port: number | undefined;
  #wrongSecrets: ThrottleState = [];

  constructor(keys: Keys, now: () => Instant) {
    this.#keys = keys;
    this.#now = now;
  }

  /** Until this is called, every caller is refused: without the port, our own host names are unknown. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** Whether the caller may speak to us at all. */
  meet(head: RequestHead, target: string | undefined): Admission {
    const known = this.#meetByName(head, target);
    return known.kind === "refused" ? known : checkOrigin(head, this.#hosts());
  }

  /** Whether it may have the files of the page, which anybody may have. */
  meetReader(head: RequestHead, target: string | undefined): Admission {
    const known = this.#meetByName(head, target);
    return known.kind === "refused" ? known : checkPageFetch(head);
  }

  async identify(head: RequestHead): Promise<Identified> {
    const { logins } = this.#keys;
    const proof = this.#port === undefined ? undefined : proofIn(head, this.#port);
    if (logins === undefined || proof === undefined || headerValues(head, "authorization").length > 0)
      return this.#counted(await checkToken(head, this.#keys));
    const { cookies, key } = proof;
    // Half of it is what a browser sends for a page of somebody else on our host name: no guess.
    if (cookies === undefined || key === undefined) return NOT_LOGGED_IN;
    return this.#counted(checkProof({ cookies, key }, logins));
  }

  /** For a token that did not come in a header. */
  async identifyToken(text: string): Promise<Identified> {
    return this.#counted(await checkCredential(text, this.#keys));
  }

  /** For a key that did not come in a header, with the cookies that did. */
  identifyKey(proof: WebProof): Identified {
    const { logins } = this.#keys;
    if (logins === undefined || proof.cookies.length === 0) return NOT_LOGGED_IN;
    return this.#counted(checkProof(proof, logins));
  }

  /** The cookies with which a WebSocket is opened; a page must have one of a browser that is logged in. */
  meetSocket(
    head: RequestHead,
  ): { readonly kind: "admitted"; readonly cookies: readonly string[] } | Refused {
    const cookies = this.#port === undefined ? [] : cookiesIn(head, this.#port);
    const isPage = headerValues(head, "origin").length > 0;
    if (isPage && this.#keys.logins?.knows(cookies) !== true) return NOT_LOGGED_IN;
    return { kind: "admitted", cookies };
  }

  async logIn(code: string, head: RequestHead): Promise<Admitted | Refused> {
    const { logins } = this.#keys;
    const host = ownHost(head, this.#hosts());
    if (logins === undefined || host === undefined || this.#port === undefined) return NOT_LOGGED_IN;
    const browser = headerValues(head, "user-agent")[0] ?? "";
    const outcome = await logins.logIn(code, { browser, host: host.host });
    if (outcome.kind === "out") return this.#slowedDown(wrongCode(outcome.code));
    const { id, key } = outcome;
    return { kind: "admitted", id, key, cookie: setCookie(this.#port, outcome.cookie, host.origin) };
  }

  /** Checks a credential that was accepted before. It is not a guess, so it is not counted. */
  async isStill({ who, shown }: Credentials): Promise<boolean> {
    if (shown.kind === "browser") return this.#keys.logins?.holder(shown) !== undefined;
    const now = await checkCredential(shown.token, this.#keys);
    return now.kind === "admitted" && isSameCaller(now.who, who);
  }

  /** Called when browsers have been logged out. */
  onLoggedOut(hear: () => void): void {
    this.#keys.logins?.onLoggedOut(hear);
  }

  /** Changes with the owner's token; undefined while it cannot be read. */
  async mark(): Promise<string | undefined> {
    try {
      return createHash("sha256")
        .update(await this.#keys.readToken())
        .digest("hex");
    } catch {
      return undefined;
    }
  }

  #meetByName(head: RequestHead, target: string | undefined): Admission {
    const aimed = checkTarget(target);
    return aimed.kind === "refused" ? aimed : checkHost(head, this.#hosts());
  }

  /** Asked every time: the config may change. */
  #hosts(): readonly OwnHost[] {
    return this.#port === undefined ? [] : ownHosts(this.#port, this.#keys.webName?.());
  }

  #counted(identified: Identified): Identified {
    return identified.kind === "admitted" ? identified : this.#slowedDown(identified);
  }

  #slowedDown(refused: Refused): Refused {
    if (refused.status !== 401 || refused.credential === undefined) return refused;
    const [counted, verdict] = throttle(this.#wrongSecrets, this.#now());
    this.#wrongSecrets = counted;
    if (verdict.kind === "told-no") return refused;
    const { retryAfterMs } = verdict;
    const { next } = refused;
    const why = next === undefined ? "Too many wrong tokens." : "Too many wrong links or keys.";
    const wait = next === undefined ? {} : { next: `Wait a minute. ${next}` };
    return { kind: "refused", status: 429, why, ...wait, retryAfterMs };
  }
}
