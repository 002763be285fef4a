import { describe, expect, it } from "vitest";
import {
  type Admission,
  checkContentType,
  checkHost,
  checkOrigin,
  checkToken,
  ownHosts,
  type RequestHead,
  sameSecret,
} from "./auth.ts";

const HOSTS = ownHosts(2355);
const TOKEN = "s3cret-token-0123456789";

const head = (headers: readonly (readonly [string, string])[], method = "POST"): RequestHead => ({
  method,
  rawHeaders: headers.flat(),
});
const verdict = (admission: Admission) => (admission.kind === "admitted" ? 200 : admission.status);

async function admit(request: RequestHead): Promise<number> {
  for (const rule of [checkHost, checkOrigin]) {
    const found = verdict(rule(request, HOSTS));
    if (found !== 200) return found;
  }
  const token = verdict(await checkToken(request, { readToken: async () => `${TOKEN}\n` }));
  return token === 200 ? verdict(checkContentType(request)) : token;
}

const HOST = ["Host", "127.0.0.1:2355"] as const;
const AUTH = ["Authorization", `Bearer ${TOKEN}`] as const;
const JSON_TYPE = ["Content-Type", "application/json"] as const;

describe("who may come in by HTTP", () => {
  it.each<[string, RequestHead]>([
    ["a program with the token", head([HOST, AUTH, JSON_TYPE])],
    ["localhost", head([["Host", "localhost:2355"], AUTH, JSON_TYPE])],
    ["a host in capitals", head([["HOST", "LocalHost:2355"], AUTH, JSON_TYPE])],
    ["our own page", head([HOST, ["Origin", "http://127.0.0.1:2355"], AUTH, JSON_TYPE])],
    ["our own fetch", head([HOST, ["Sec-Fetch-Site", "same-origin"], AUTH, JSON_TYPE])],
    ["a typed address", head([HOST, ["Sec-Fetch-Site", "none"], AUTH, JSON_TYPE])],
    ["a charset", head([HOST, AUTH, ["Content-Type", "application/json; charset=UTF-8"]])],
    ["a small bearer", head([HOST, ["authorization", `bearer ${TOKEN}`], JSON_TYPE])],
  ])("lets in %s", async (_, request) => {
    expect(await admit(request)).toBe(200);
  });

  const host = (value: string) => head([["Host", value], AUTH, JSON_TYPE]);
  const origin = (value: string) => head([HOST, ["Origin", value], AUTH, JSON_TYPE]);
  const auth = (value: string) => head([HOST, ["Authorization", value], JSON_TYPE]);
  const type = (value: string) => head([HOST, AUTH, ["Content-Type", value]]);

  it.each<[string, RequestHead, number]>([
    ["no host", head([AUTH, JSON_TYPE]), 421],
    ["an empty host", host(""), 421],
    ["a rebound name", host("evil.example:2355"), 421],
    ["a rebound name without port", host("evil.example"), 421],
    ["our address without port", host("127.0.0.1"), 421],
    ["our name without port", host("localhost"), 421],
    ["another port", host("127.0.0.1:2356"), 421],
    ["a longer port", host("127.0.0.1:23555"), 421],
    ["a port with zeros", host("127.0.0.1:02355"), 421],
    ["another loopback address", host("127.0.0.2:2355"), 421],
    ["the short loopback", host("127.1:2355"), 421],
    ["a decimal address", host("2130706433:2355"), 421],
    ["a hexadecimal address", host("0x7f000001:2355"), 421],
    ["any address", host("0.0.0.0:2355"), 421],
    ["a trailing dot", host("localhost.:2355"), 421],
    ["a name that begins like ours", host("localhost.evil.example:2355"), 421],
    ["a name that ends like ours", host("evil.localhost:2355"), 421],
    ["a user in the host", host("evil@127.0.0.1:2355"), 421],
    ["a path in the host", host("127.0.0.1:2355/evil"), 421],
    ["a list of hosts", host("127.0.0.1:2355, evil.example"), 421],
    ["two host headers", head([HOST, ["Host", "evil.example"], AUTH, JSON_TYPE]), 421],
    ["two host headers, ours last", head([["Host", "evil.example"], HOST, AUTH, JSON_TYPE]), 421],
    ["a wide digit", host("127.0.0.１:2355"), 421],

    ["a null origin", origin("null"), 403],
    ["an empty origin", origin(""), 403],
    ["another site", origin("https://evil.example"), 403],
    ["another local port", origin("http://127.0.0.1:3000"), 403],
    ["our page under another name", origin("http://localhost:2355"), 403],
    ["ours over https", origin("https://127.0.0.1:2355"), 403],
    ["ours with a slash", origin("http://127.0.0.1:2355/"), 403],
    ["ours without port", origin("http://127.0.0.1"), 403],
    ["ours in capitals", origin("HTTP://127.0.0.1:2355"), 403],
    ["ours as a prefix", origin("http://127.0.0.1:2355.evil.example"), 403],
    ["an extension", origin("chrome-extension://abcdef"), 403],
    ["a file", origin("file://"), 403],
    ["a list of origins", origin("http://127.0.0.1:2355 https://evil.example"), 403],
    [
      "two origins",
      head([HOST, ["Origin", "http://localhost:2355"], ["Origin", "null"], AUTH, JSON_TYPE]),
      403,
    ],
    ["a cross-site image", head([HOST, ["Sec-Fetch-Site", "cross-site"], AUTH, JSON_TYPE]), 403],
    ["another local page", head([HOST, ["Sec-Fetch-Site", "same-site"], AUTH, JSON_TYPE]), 403],

    ["no token", head([HOST, JSON_TYPE]), 401],
    ["an empty token", auth("Bearer "), 401],
    ["a wrong token", auth("Bearer nope"), 401],
    ["a prefix of the token", auth(`Bearer ${TOKEN.slice(0, -1)}`), 401],
    ["the token and more", auth(`Bearer ${TOKEN}x`), 401],
    ["the token in capitals", auth(`Bearer ${TOKEN.toUpperCase()}`), 401],
    ["the bare token", auth(TOKEN), 401],
    ["basic", auth(`Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}`), 401],
    ["two tokens in one", auth(`Bearer nope, Bearer ${TOKEN}`), 401],
    ["two authorization headers", head([HOST, AUTH, ["Authorization", "Bearer nope"], JSON_TYPE]), 401],
    ["the token as a cookie", head([HOST, ["Cookie", `token=${TOKEN}`], JSON_TYPE]), 401],

    ["no content type", head([HOST, AUTH]), 415],
    ["text", type("text/plain"), 415],
    ["a form", type("application/x-www-form-urlencoded"), 415],
    ["a multipart form", type("multipart/form-data; boundary=x"), 415],
    ["JSON dressed as text", type("text/plain; application/json"), 415],
    ["something like JSON", type("application/jsonp"), 415],
    ["another charset", type("application/json; charset=utf-7"), 415],
    ["an odd parameter", type("application/json; boundary=x"), 415],
    ["two content types", head([HOST, AUTH, JSON_TYPE, ["Content-Type", "text/plain"]]), 415],
  ])("refuses %s", async (_, request, status) => {
    expect(await admit(request)).toBe(status);
  });

  it("lets nobody in when the token file is empty or cannot be read", async () => {
    const request = head([HOST, ["Authorization", "Bearer x"], JSON_TYPE]);
    expect(verdict(await checkToken(request, { readToken: async () => "\n" }))).toBe(401);
    expect(
      verdict(
        await checkToken(request, {
          readToken: async () => {
            throw new Error("gone");
          },
        }),
      ),
    ).toBe(401);
  });

  it("asks for the token each time, so a rotation counts at once", async () => {
    let current = "first";
    const read = { readToken: async () => current };
    const request = head([["Authorization", "Bearer first"]]);
    expect(verdict(await checkToken(request, read))).toBe(200);
    current = "second";
    expect(verdict(await checkToken(request, read))).toBe(401);
  });

  it("says whose token it is", async () => {
    const keys = {
      readToken: async () => TOKEN,
      agentOfToken: (owner: string, text: string) => (text === `coder.${owner}` ? "coder" : undefined),
    };
    const bearer = (token: string) => head([["Authorization", `Bearer ${token}`]]);
    expect(await checkToken(bearer(TOKEN), keys)).toMatchObject({ who: { kind: "owner" } });
    expect(await checkToken(bearer(`coder.${TOKEN}`), keys)).toEqual({
      kind: "admitted",
      who: { kind: "agent", name: "coder" },
      shown: { kind: "token", token: `coder.${TOKEN}` },
    });
    expect(verdict(await checkToken(bearer(`writer.${TOKEN}`), keys))).toBe(401);
    // A door that cannot recognise agents' tokens admits no agent.
    expect(verdict(await checkToken(bearer(`coder.${TOKEN}`), { readToken: keys.readToken }))).toBe(401);
  });

  it("compares secrets of any length", () => {
    expect(sameSecret("a", "a")).toBe(true);
    expect(sameSecret("a", "aa")).toBe(false);
  });

  it("knows the bare names only on port 80", () => {
    const bare = { host: "localhost", origin: "http://localhost" };
    expect(ownHosts(80)).toContainEqual(bare);
    expect(ownHosts(2355)).not.toContainEqual(bare);
  });
});
