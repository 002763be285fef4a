/** Who may use the loopback port: the same rules, and one count of wrong tokens, for requests and WebSockets. */
import { createHash } from "node:crypto";
import type { Instant } from "../../core/message.ts";
import {
  type Admission,
  type Credentials,
  checkCredential,
  checkHost,
  checkOrigin,
  checkTarget,
  checkToken,
  type Identified,
  isSameCaller,
  type Keys,
  ownHosts,
  type RequestHead,
} from "./auth.ts";
import { type ThrottleState, throttle } from "./throttle.ts";

export class LoopbackGuard {
  readonly #keys: Keys;
  readonly #now: () => Instant;
  #hosts: readonly string[] = [];
  #wrongTokens: ThrottleState = [];

  constructor(keys: Keys, now: () => Instant) {
    this.#keys = keys;
    this.#now = now;
  }

  /** Until this is called, every caller is refused: without the port, our own host names are unknown. */
  listensOn(port: number): void {
    this.#hosts = ownHosts(port);
  }

  /** Whether the caller may speak to us at all. */
  meet(head: RequestHead, target: string | undefined): Admission {
    const aimed = checkTarget(target);
    if (aimed.kind === "refused") return aimed;
    const known = checkHost(head, this.#hosts);
    return known.kind === "refused" ? known : checkOrigin(head, this.#hosts);
  }

  async identify(head: RequestHead): Promise<Identified> {
    return this.#counted(await checkToken(head, this.#keys));
  }

  /** For a token that did not come in a header. */
  async identifyToken(text: string): Promise<Identified> {
    return this.#counted(await checkCredential(text, this.#keys));
  }

  /** Checks a token that was accepted before. It is not a guess, so it is not counted. */
  async isStill({ who, token }: Credentials): Promise<boolean> {
    const now = await checkCredential(token, this.#keys);
    return now.kind === "admitted" && isSameCaller(now.who, who);
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

  #counted(identified: Identified): Identified {
    if (identified.kind === "admitted" || identified.status !== 401 || identified.credential === undefined)
      return identified;
    const [counted, verdict] = throttle(this.#wrongTokens, this.#now());
    this.#wrongTokens = counted;
    if (verdict.kind === "told-no") return identified;
    const { retryAfterMs } = verdict;
    return { kind: "refused", status: 429, why: "Too many wrong tokens.", retryAfterMs };
  }
}
