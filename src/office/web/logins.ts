/**
 * The browsers that may act for the owner: codes for links, logins, and their end. Called by the door of the dashboard
 * and by the use-cases behind `bellhop open`. It keeps digests only, never a code, a cookie or a key.
 */
import { BellhopError } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { LOGIN_CODE, type LoginCode, useCode, withCode } from "../../core/web/login-code.ts";
import {
  isExpired,
  isSeenAnew,
  makesRoom,
  WEB_SESSION,
  type WebSession,
} from "../../core/web/web-session.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { LoggedIn, WebCaller, WebLogins, WebProof } from "../../ports/web-logins.ts";
import type { OfficeContext } from "../base/context.ts";

export class Logins implements WebLogins {
  readonly #context: OfficeContext;
  readonly #told: (() => void)[] = [];
  #codes: readonly LoginCode[] = [];

  constructor(context: OfficeContext) {
    this.#context = context;
  }

  newCode(): { readonly code: string; readonly expiresAt: Instant } {
    const { ids, digest, clock, log } = this.#context;
    const code = ids.secret(LOGIN_CODE.bytes);
    this.#codes = withCode(this.#codes, digest(code), clock.monotonic());
    log.info("web.code_made");
    return { code, expiresAt: clock.now() + LOGIN_CODE.goodForMs };
  }

  async logIn(code: string, { browser, host }: WebCaller): Promise<LoggedIn> {
    const { ids, digest, clock, store, log } = this.#context;
    const [codes, verdict] = useCode(this.#codes, digest(code), clock.monotonic());
    this.#codes = codes;
    if (verdict !== "good") {
      log.warn("web.login_refused", { code: verdict });
      return { kind: "out", code: verdict };
    }
    const cookie = ids.secret(WEB_SESSION.secretBytes);
    const key = ids.secret(WEB_SESSION.secretBytes);
    const id = ids.shortId();
    const now = clock.now();
    await store.write((tx) => {
      for (const gone of makesRoom(tx.webSessions(), now)) tx.removeWebSession(gone.id);
      tx.putWebSession({
        id,
        cookieDigest: digest(cookie),
        keyDigest: digest(key),
        browser: browser.slice(0, WEB_SESSION.browserCharacters),
        host: host.slice(0, WEB_SESSION.hostCharacters),
        loggedInAt: now,
        seenAt: now,
      });
    });
    log.info("web.logged_in", { id });
    this.#tell();
    return { kind: "in", id, cookie, key };
  }

  knows(cookies: readonly string[]): boolean {
    return cookies.some((cookie) => this.#byCookie(cookie) !== undefined);
  }

  holder({ cookies, key }: WebProof): string | undefined {
    const { digest, clock, store, log } = this.#context;
    const keyDigest = digest(key);
    const found = cookies
      .map((cookie) => this.#byCookie(cookie))
      .find((session) => session?.keyDigest === keyDigest);
    if (found === undefined) return undefined;
    const now = clock.now();
    if (isSeenAnew(found, now)) {
      // Not awaited: nobody is kept out because this cannot be written.
      store
        .write((tx) => tx.seeWebSession(found.id, now))
        .catch((cause) => log.warn("web.unseen", { cause: String(cause) }));
    }
    return found.id;
  }

  /** Those who are logged in, the one used last first. */
  list(): readonly WebSession[] {
    return this.#alive(this.#context.store.read);
  }

  async logOut(id: string): Promise<void> {
    const ended = await this.#end((session) => session.id === id);
    if (ended.length > 0) return;
    throw new BellhopError("web.unknown", {
      message: `No browser "${id.slice(0, 64)}" is logged in.`,
      next: 'List them with "bellhop open sessions".',
    });
  }

  /** Also ends the links that were not used yet. */
  async logOutAll(): Promise<readonly WebSession[]> {
    this.#codes = [];
    return this.#end(() => true);
  }

  onLoggedOut(hear: () => void): void {
    this.#told.push(hear);
  }

  async #end(which: (session: WebSession) => boolean): Promise<readonly WebSession[]> {
    const { store, log } = this.#context;
    const ended = await store.write((tx) => {
      const going = this.#alive(tx).filter(which);
      for (const { id } of going) tx.removeWebSession(id);
      return going;
    });
    for (const { id } of ended) log.info("web.logged_out", { id });
    this.#tell();
    return ended;
  }

  #tell(): void {
    for (const hear of this.#told) hear();
  }

  #alive(read: StoreReader): readonly WebSession[] {
    const now = this.#context.clock.now();
    return read.webSessions().filter((session) => !isExpired(session, now));
  }

  #byCookie(cookie: string): WebSession | undefined {
    const { digest, store, clock } = this.#context;
    const found = store.read.webSessionByCookie(digest(cookie));
    return found === undefined || isExpired(found, clock.now()) ? undefined : found;
  }
}
