/** The login to the dashboard, on the daemon as it is built: what opens it, and everything that does not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { THROTTLE } from "../../src/doors/auth/throttle.ts";
import type { ShownWebSession, WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { WebStage } from "./web-stage.ts";

const TUNNEL = "laptop.example.ts.net";

let bellhop: Bellhop;
let web: WebStage;

// Each with a daemon of its own: wrong secrets are counted for all callers together.
beforeEach(async () => {
  bellhop = new Bellhop({ config: `web: { name: ${TUNNEL} }\n` });
  await bellhop.start();
  web = await WebStage.of(bellhop);
});
afterEach(() => bellhop.dispose());

describe("the login", () => {
  it("gives a cookie and a key, which together are the owner", async () => {
    const answer = await web.redeem(await web.code());
    expect(answer.status).toBe(200);
    const [set = ""] = [answer.headers["set-cookie"] ?? []].flat();
    expect(set).toMatch(/^bellhop-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/);
    expect(answer.body).toEqual({
      key: expect.stringMatching(/^[\w-]{43}$/),
      session: expect.any(String),
    });
    const login = await web.logIn();
    expect(await web.status(web.proof(login))).toBe(200);
    const sent = await web.ask("POST", "/sessions/nobody/send", web.proof(login), { text: "x" });
    expect(sent).toMatchObject({ status: 404, body: { error: { code: "recipient.unknown" } } });
  });

  it("takes each code once, and says what to do next", async () => {
    const code = await web.code();
    expect((await web.redeem(code)).status).toBe(200);
    const again = await web.redeem(code);
    expect(again).toMatchObject({
      status: 401,
      body: { error: { code: "request.unauthorised", next: expect.stringContaining("bellhop open") } },
    });
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  it("lets in one of many who race with the same code", async () => {
    const code = await web.code();
    const answers = await Promise.all(Array.from({ length: 8 }, () => web.redeem(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  });

  it("is not for pages of others, nor under other names, and the code stays good", async () => {
    const code = await web.code();
    const page = (headers: Readonly<Record<string, string>>) => web.redeem(code, headers);
    for (const origin of ["null", "http://localhost:5173", `http://bellhop.localhost:${web.port + 1}`])
      expect([origin, (await page({ origin })).status]).toEqual([origin, 403]);
    expect((await page({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await page({ "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await page({ host: "evil.example" })).status).toBe(421);
    expect((await page({ "content-type": "text/plain" })).status).toBe(415);
    expect((await page({})).status).toBe(200);
  });

  it("is not read from anything but a code", async () => {
    const origin = { origin: web.origin };
    for (const body of [null, [], "x", {}, { code: 1 }, { code: "" }, { code: "x".repeat(129) }])
      expect((await web.ask("POST", "/web/login", origin, body)).status).toBe(400);
    expect((await web.ask("GET", "/web/login", { accept: "text/html" })).status).toBe(405);
  });

  it("marks the cookie as secure behind a tunnel with TLS", async () => {
    const headers = { host: TUNNEL, origin: `https://${TUNNEL}` };
    const answer = await web.redeem(await web.code(), headers);
    expect(answer.status).toBe(200);
    expect(String(answer.headers["set-cookie"])).toMatch(/; Secure$/);
    expect((await web.redeem(await web.code(), { ...headers, origin: `http://${TUNNEL}` })).status).toBe(403);
  });

  it("is on the port only: on the socket of the home there is no browser", async () => {
    const { askHttp } = await import("./http-harness.ts");
    const socketPath = join(bellhop.home, "run", "http.sock");
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ code: await web.code() });
    expect(
      (await askHttp({ socketPath }, { method: "POST", path: "/web/login", headers, body })).status,
    ).toBe(404);
    expect((await askHttp({ socketPath }, { path: "/", headers: { accept: "text/html" } })).status).toBe(404);
  });
});

describe("half of a login", () => {
  it("opens nothing over HTTP", async () => {
    const [one, other] = [await web.logIn(), await web.logIn()];
    const { cookie = "", "x-bellhop-key": key = "" } = web.proof(one);
    expect(await web.status({ cookie })).toBe(401);
    expect(await web.status({ "x-bellhop-key": key })).toBe(401);
    expect(await web.status(web.proof({ ...one, key: other.key }))).toBe(401);
    expect(await web.status(web.proof({ ...one, cookie: one.key, key: one.cookie }))).toBe(401);
    expect(await web.status({ authorization: `Bearer ${one.key}` })).toBe(401);
    expect(await web.status({ cookie, "x-bellhop-key": key })).toBe(200);
  });

  it("opens nothing for a page on another port of the same name, which has the cookie too", async () => {
    const login = await web.logIn();
    const { cookie = "" } = web.proof(login);
    const theirs = { cookie, origin: "http://bellhop.localhost:5173", "sec-fetch-site": "same-site" };
    expect(await web.status(theirs)).toBe(403);
    expect(await web.status({ ...theirs, ...web.proof(login) })).toBe(403);
    expect(await web.socketRefused(theirs)).toBe(403);
    expect((await web.ask("OPTIONS", "/sessions", theirs)).headers).not.toHaveProperty(
      "access-control-allow-origin",
    );
    // What it fetches on its own server's behalf has no Origin, and still no key.
    expect(await web.status({ cookie })).toBe(401);
  });

  it("opens no WebSocket", async () => {
    const [one, other] = [await web.logIn(), await web.logIn()];
    const { origin } = web;
    const cookie = web.cookieHeader(one.cookie);
    expect(await web.socketRefused({ origin })).toBe(401);
    expect(await web.socketRefused({ origin, cookie: web.cookieHeader("made-up") })).toBe(401);
    expect(await web.socketRefused({ origin: "null", cookie })).toBe(403);
    expect(await web.socketRefused({ origin, cookie, host: "evil.example" })).toBe(421);
    expect(await web.socketRefused({ origin, cookie, "sec-fetch-site": "cross-site" })).toBe(403);
    for (const frame of [
      { type: "ping" },
      { type: "auth", key: other.key },
      { type: "auth", key: one.cookie },
      { type: "auth" },
      { type: "auth", key: one.key, token: one.key },
    ]) {
      const caller = await web.socket({ origin, cookie });
      expect((await caller.ask(frame)).type).toMatch(/\.error$/);
      expect(await caller.closed).toBe(4401);
    }
    // A program that stole the key, and has no cookie.
    const thief = await web.socket({});
    expect(await thief.ask({ type: "auth", key: one.key })).toMatchObject({ type: "auth.error" });
    const page = await web.page(one);
    expect(await page.ask({ type: "ping" })).toEqual({ type: "pong" });
    page.end();
  });
});

describe("a login ends", () => {
  it("when it is revoked: the next request and the open WebSocket both", async () => {
    const [one, other] = [await web.logIn(), await web.logIn()];
    const [page, stays] = [await web.page(one), await web.page(other)];
    const listed = await bellhop.json<{ sessions: ShownWebSession[] } | ShownWebSession[]>([
      "open",
      "sessions",
    ]);
    expect([listed].flat(1).flatMap((each) => ("sessions" in each ? each.sessions : each))).toContainEqual(
      expect.objectContaining({ id: one.session, host: web.host }),
    );
    expect(await bellhop.json(["open", "revoke", one.session])).toEqual({ revoked: [one.session] });
    expect(await page.closed).toBe(4401);
    expect(await web.status(web.proof(one))).toBe(401);
    expect(await stays.ask({ type: "ping" })).toEqual({ type: "pong" });
    const unused = await web.code();
    await bellhop.json(["open", "revoke", "--all"]);
    expect(await stays.closed).toBe(4401);
    expect(await web.status(web.proof(other))).toBe(401);
    expect((await web.redeem(unused)).status).toBe(401);
    expect((await bellhop.run(["open", "revoke", "nobody"])).code).toBe(3);
    expect((await bellhop.run(["open", "revoke"])).code).toBe(2);
  });

  it("not when the daemon is restarted; but links do", async () => {
    const login = await web.logIn();
    const code = await web.code();
    await bellhop.stop();
    await bellhop.start();
    web = await WebStage.of(bellhop);
    expect(await web.status(web.proof(login))).toBe(200);
    (await web.page(login)).end();
    expect((await web.redeem(code)).status).toBe(401);
  });

  it("and nothing that is kept on disk, or in the log, would open it", async () => {
    const login = await web.logIn();
    const code = await web.code();
    await bellhop.stop();
    const files = readdirSync(bellhop.home, { recursive: true, withFileTypes: true });
    const kept = files
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(kept.length).toBeGreaterThan(2);
    for (const secret of [login.cookie, login.key, code])
      expect(kept.some((bytes) => bytes.includes(secret))).toBe(false);
    await bellhop.start();
    web = await WebStage.of(bellhop);
  });
});

describe("bellhop open", () => {
  it("prints a link with a code that is good once", async () => {
    const link = await bellhop.json<WebLink>(["open"]);
    expect(link.url).toMatch(new RegExp(`^http://bellhop\\.localhost:${web.port}/#[\\w-]{22}$`));
    expect((await web.redeem(link.url.split("#")[1] ?? "")).status).toBe(200);
    const printed = await bellhop.run(["open", "--print"], { env: { DISPLAY: ":99" } });
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/\S+\n$/) });
  });

  it("shows the phone a picture of the link under the configured name", async () => {
    expect((await bellhop.json<WebLink>(["open", "--phone"])).url).toMatch(
      /^https:\/\/laptop\.example\.ts\.net\/#[\w-]{22}$/,
    );
    const { stdout } = await bellhop.run(["open", "--phone"]);
    expect(stdout).toContain("▄▄▄▄▄");
    expect(stdout).toContain(`https://${TUNNEL}/#`);
  });
});

describe("who guesses", () => {
  it("is slowed down, and who has the right code is not", async () => {
    const guess = () => web.redeem("guess");
    for (let tries = 0; tries < THROTTLE.wrongTokens; tries += 1) await guess();
    const slowed = await guess();
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers["retry-after"])).toBeGreaterThan(0);
    expect((await web.redeem(await web.code())).status).toBe(200);
  });
});
