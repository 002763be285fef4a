import { describe, expect, it } from "vitest";
import type { LoggedIn, WebLogins, WebProof } from "../../ports/web-logins.ts";
import type { RequestHead } from "./auth.ts";
import { LoopbackGuard } from "./loopback-guard.ts";
import { THROTTLE } from "./throttle.ts";

const HOST = ["Host", "bellhop.localhost:2355"];
const COOKIE = ["Cookie", "theirs=1; bellhop-2355=c00kie; bellhop-3000=other"];
const KEY = ["X-Bellhop-Key", "k3y"];
const head = (...headers: readonly string[][]): RequestHead => ({
  method: "GET",
  rawHeaders: [HOST, ...headers].flat(),
});

function guardOver(answers: Partial<WebLogins> = {}): { guard: LoopbackGuard; shown: WebProof[] } {
  const shown: WebProof[] = [];
  const logins: WebLogins = {
    logIn: async () => ({ kind: "out", code: "unknown" }),
    knows: (cookies) => cookies.includes("c00kie"),
    holder: (proof) => {
      shown.push(proof);
      return proof.cookies.includes("c00kie") && proof.key === "k3y" ? "s1" : undefined;
    },
    logOut: async () => {},
    onLoggedOut: () => {},
    ...answers,
  };
  const guard = new LoopbackGuard({ readToken: async () => "t0ken", logins }, () => 0);
  guard.listensOn(2355);
  return { guard, shown };
}

const status = (found: { readonly kind: string; readonly status?: number }) =>
  found.kind === "admitted" ? 200 : found.status;

describe("a browser", () => {
  it("is the owner with its cookie and its key", async () => {
    const { guard } = guardOver();
    expect(await guard.identify(head(COOKIE, KEY))).toMatchObject({
      kind: "admitted",
      who: { kind: "owner" },
    });
  });

  it.each<[string, string[][]]>([
    ["the cookie alone", [COOKIE]],
    ["the key alone", [KEY]],
    ["the key twice", [COOKIE, KEY, KEY]],
    ["an empty key", [COOKIE, ["X-Bellhop-Key", ""]]],
    ["the cookie of another port", [["Cookie", "bellhop-3000=c00kie"], KEY]],
    ["an empty cookie", [["Cookie", "bellhop-2355="], KEY]],
  ])("is nobody with %s, and that is no guess", async (_, headers) => {
    const { guard, shown } = guardOver();
    for (let tries = 0; tries <= THROTTLE.wrongTokens; tries += 1)
      expect(status(await guard.identify(head(...headers)))).toBe(401);
    expect(shown).toEqual([]);
  });

  it("is slowed down when it guesses, and let in with the right ones nevertheless", async () => {
    const { guard } = guardOver();
    const wrong = head(COOKIE, ["X-Bellhop-Key", "wrong"]);
    const seen = [];
    for (let tries = 0; tries <= THROTTLE.wrongTokens; tries += 1)
      seen.push(status(await guard.identify(wrong)));
    expect(seen).toEqual([...Array(THROTTLE.wrongTokens).fill(401), 429]);
    expect(status(await guard.identify(head(COOKIE, KEY)))).toBe(200);
  });

  it("is not kept out by cookies that another server set, unless by many", async () => {
    const { guard } = guardOver();
    const crumbs = (count: number) => [
      "Cookie",
      [...Array(count).fill("bellhop-2355=x"), "bellhop-2355=c00kie"].join("; "),
    ];
    expect(status(await guard.identify(head(crumbs(3), KEY)))).toBe(200);
    expect(status(await guard.identify(head(crumbs(4), KEY)))).toBe(401);
  });

  it("counts by its token if it shows one", async () => {
    const { guard } = guardOver();
    const wrong = ["Authorization", "Bearer wrong"];
    expect(status(await guard.identify(head(COOKIE, KEY, wrong)))).toBe(401);
    expect(status(await guard.identify(head(["Authorization", "Bearer t0ken"])))).toBe(200);
  });

  it("opens a WebSocket only with the cookie of a login; a program needs none yet", () => {
    const { guard } = guardOver();
    const page = ["Origin", "http://bellhop.localhost:2355"];
    expect(status(guard.meetSocket(head(page)))).toBe(401);
    expect(status(guard.meetSocket(head(page, ["Cookie", "bellhop-2355=old"])))).toBe(401);
    expect(guard.meetSocket(head(page, COOKIE))).toEqual({ kind: "admitted", cookies: ["c00kie"] });
    expect(guard.meetSocket(head())).toEqual({ kind: "admitted", cookies: [] });
    expect(status(guard.identifyKey({ cookies: [], key: "k3y" }))).toBe(401);
    expect(status(guard.identifyKey({ cookies: ["c00kie"], key: "k3y" }))).toBe(200);
  });
});

describe("a login", () => {
  const inside: LoggedIn = { kind: "in", id: "s1", cookie: "c00kie", key: "k3y" };

  it("gives a cookie that scripts and other sites do not get", async () => {
    const { guard } = guardOver({ logIn: async () => inside });
    const admitted = await guard.logIn("code", head());
    expect(admitted).toMatchObject({ kind: "admitted", id: "s1", key: "k3y" });
    expect(admitted.kind === "admitted" && admitted.cookie).toMatch(
      /^bellhop-2355=c00kie; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/,
    );
  });

  it("says what became of a code that was right, however often it is asked", async () => {
    const { guard } = guardOver({ logIn: async () => ({ kind: "out", code: "used" }) });
    for (let tries = 0; tries <= THROTTLE.wrongTokens; tries += 1)
      expect(await guard.logIn("code", head())).toMatchObject({
        status: 401,
        why: expect.stringContaining("already used"),
        next: expect.stringContaining("bellhop open revoke --all"),
      });
  });

  it("slows down who guesses", async () => {
    const { guard } = guardOver();
    for (let tries = 0; tries < THROTTLE.wrongTokens; tries += 1)
      expect(await guard.logIn("code", head())).toMatchObject({ status: 401 });
    expect(await guard.logIn("code", head())).toMatchObject({ status: 429, retryAfterMs: THROTTLE.windowMs });
  });
});
