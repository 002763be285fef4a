/** More than forty host names that are not ours, on real sockets: requests with any of them are refused. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOST, LENGTH, TOKEN_LINE, TYPE, written } from "./http-bytes.ts";
import { expectTurnedAway } from "./http-expectations.ts";
import { HttpHarness, type RawAnswer } from "./http-harness.ts";
import { sampleAnswers } from "./scripted-use-cases.ts";

let http: HttpHarness;

beforeEach(async () => {
  http = new HttpHarness();
  await http.start(sampleAnswers());
});
afterEach(() => http.close());

const turnedAway = (answer: RawAnswer, status: number) => expectTurnedAway(http, answer, status);

const hosts = (...values: readonly string[]) => [
  ...values.map((value) => `Host: ${value}`),
  TOKEN_LINE,
  TYPE,
  LENGTH,
];
const origin = (...values: readonly string[]) => [
  HOST,
  ...values.map((value) => `Origin: ${value}`),
  TOKEN_LINE,
  TYPE,
  LENGTH,
];

/** With the right token: only the names are wrong. */
const STRANGE: readonly (readonly [string, readonly string[], number])[] = [
  ["no host", hosts(), 421],
  ["an empty host", hosts(""), 421],
  ["a rebound name", hosts("evil.example"), 421],
  ["a rebound name with our port", hosts("evil.example:{port}"), 421],
  ["our address without a port", hosts("127.0.0.1"), 421],
  ["our name without a port", hosts("localhost"), 421],
  ["our address with an empty port", hosts("127.0.0.1:"), 421],
  ["our address on port 80", hosts("127.0.0.1:80"), 421],
  ["a port that begins with zero", hosts("127.0.0.1:0{port}"), 421],
  ["a port that goes on", hosts("127.0.0.1:{port}0"), 421],
  ["another loopback address", hosts("127.0.0.2:{port}"), 421],
  ["the short loopback address", hosts("127.1:{port}"), 421],
  ["the loopback address as one number", hosts("2130706433:{port}"), 421],
  ["the loopback address in hexadecimal", hosts("0x7f.0.0.1:{port}"), 421],
  ["the loopback address in octal", hosts("0177.0.0.1:{port}"), 421],
  ["any address", hosts("0.0.0.0:{port}"), 421],
  ["IPv6 loopback without a port", hosts("[::1]"), 421],
  ["IPv4 in IPv6", hosts("[::ffff:127.0.0.1]:{port}"), 421],
  ["a dot after the name", hosts("localhost.:{port}"), 421],
  ["a name that begins like ours", hosts("localhost.evil.example:{port}"), 421],
  ["a name that ends like ours", hosts("evil.localhost:{port}"), 421],
  ["a public name of loopback", hosts("127.0.0.1.nip.io:{port}"), 421],
  ["a user before the host", hosts("evil@127.0.0.1:{port}"), 421],
  ["a path behind the host", hosts("127.0.0.1:{port}/x"), 421],
  ["two hosts in one line", hosts("127.0.0.1:{port}, evil.example"), 421],
  ["two hosts in two lines", hosts("127.0.0.1:{port}", "evil.example"), 421],
  ["two hosts, ours last", hosts("evil.example", "127.0.0.1:{port}"), 421],
  ["our host twice", hosts("127.0.0.1:{port}", "127.0.0.1:{port}"), 421],
  ["a forwarded host", hosts("evil.example:{port}").concat("X-Forwarded-Host: 127.0.0.1:{port}"), 421],

  ["another site", origin("https://evil.example"), 403],
  ["another site on our port", origin("http://evil.example:{port}"), 403],
  ["another local page", origin("http://127.0.0.1:3000"), 403],
  ["our own page under another name of ours", origin("http://localhost:{port}"), 403],
  ["another local page by name", origin("http://localhost:3000"), 403],
  ["a sandboxed frame", origin("null"), 403],
  ["an empty origin", origin(""), 403],
  ["ours without a port", origin("http://127.0.0.1"), 403],
  ["ours over TLS", origin("https://127.0.0.1:{port}"), 403],
  ["ours with a slash", origin("http://127.0.0.1:{port}/"), 403],
  ["ours with a path", origin("http://127.0.0.1:{port}/evil"), 403],
  ["ours in capitals", origin("HTTP://127.0.0.1:{port}"), 403],
  ["a site that begins like ours", origin("http://127.0.0.1:{port}.evil.example"), 403],
  ["ours as a user's name", origin("http://127.0.0.1:{port}@evil.example"), 403],
  ["an extension", origin("chrome-extension://abcdefgh"), 403],
  ["a file", origin("file://"), 403],
  ["two origins in one line", origin("http://127.0.0.1:{port} https://evil.example"), 403],
  ["two origins in two lines", origin("http://127.0.0.1:{port}", "https://evil.example"), 403],
  ["ours twice", origin("http://127.0.0.1:{port}", "http://127.0.0.1:{port}"), 403],
  ["a picture of another site", origin().concat("Sec-Fetch-Site: cross-site"), 403],
  ["a page of our site's sister", origin().concat("Sec-Fetch-Site: same-site"), 403],
  ["both wrong", hosts("evil.example").concat("Origin: https://evil.example"), 421],
];

describe("names that are not ours", () => {
  it("are many", () => expect(STRANGE.length).toBeGreaterThanOrEqual(40));

  it.each(STRANGE)("%s: refused", async (_, headers, status) => {
    turnedAway(await http.say(written(headers)), status);
  });

  it.each(STRANGE)("%s at healthz: refused", async (_, headers, status) => {
    const lines = headers.filter((line) => line !== TOKEN_LINE && line !== TYPE && line !== LENGTH);
    turnedAway(await http.say(written(lines, "GET /healthz HTTP/1.1", "")), status);
  });

  it.each([
    ["our address", "127.0.0.1:{port}", undefined],
    ["our name", "localhost:{port}", undefined],
    ["our name in capitals", "LOCALHOST:{port}", undefined],
    ["our own page", "127.0.0.1:{port}", "http://127.0.0.1:{port}"],
    ["IPv6 loopback", "[::1]:{port}", undefined],
    ["the dashboard's name", "bellhop.localhost:{port}", undefined],
    ["our own page by name", "localhost:{port}", "http://localhost:{port}"],
  ])("%s is let in", async (_, host, page) => {
    const headers = [...hosts(host), ...(page === undefined ? [] : [`Origin: ${page}`])];
    expect((await http.say(written(headers))).status).toBe(200);
  });

  it("get no answer that a page could read, and no pre-flight", async () => {
    const ask = [HOST, "Origin: https://evil.example", "Access-Control-Request-Method: POST"];
    turnedAway(await http.say(written(ask, "OPTIONS /sessions/api/send HTTP/1.1", "")), 403);
  });

  it.each(["http://evil.example/sessions", "http://127.0.0.1:{port}/sessions", "*"])(
    "%s as a target is refused: we are no proxy",
    async (target) => {
      turnedAway(await http.say(written([HOST, TOKEN_LINE], `OPTIONS ${target} HTTP/1.1`, "")), 421);
    },
  );
});
