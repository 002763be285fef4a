/** The files of the dashboard, on the daemon as it is built. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { WebStage } from "./web-stage.ts";

let bellhop: Bellhop;
let web: WebStage;
let page: string;
let script: string;

beforeAll(async () => {
  bellhop = new Bellhop();
  await bellhop.start();
  web = await WebStage.of(bellhop);
  page = (await web.ask("GET", "/")).bytes.toString();
  script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
});
afterAll(() => bellhop.dispose());

describe("the page", () => {
  it("comes with rules for the browser that let nothing else in", async () => {
    for (const path of ["/", script]) {
      const { status, headers } = await web.ask("GET", path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
      const policy = String(headers["content-security-policy"]);
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types bellhop",
      ])
        expect(policy.split("; ")).toContain(rule);
      expect(policy).not.toContain("unsafe-eval");
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  it("is compressed as the browser likes it", async () => {
    const plain = (await web.ask("GET", script)).bytes;
    for (const [accepted, coding, unpack] of [
      ["gzip, br", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
    ] as const) {
      const { headers, bytes } = await web.ask("GET", script, { "accept-encoding": accepted });
      expect(headers).toMatchObject({ "content-encoding": coding, vary: "accept-encoding" });
      expect(bytes.length).toBeLessThan(plain.length);
      expect(unpack(bytes)).toEqual(plain);
    }
  });

  it("is sent once, and its files are kept for good", async () => {
    const { headers } = await web.ask("GET", script);
    expect(headers["cache-control"]).toContain("immutable");
    const again = await web.ask("GET", script, { "if-none-match": String(headers.etag) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect((await web.ask("GET", "/")).headers["cache-control"]).toBe("no-cache");
    const head = await web.ask("HEAD", "/");
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
  });

  it("answers for its own addresses, to who takes pages; programs learn no more than before", async () => {
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    expect((await web.ask("GET", "/agents/coder", browser)).bytes.toString()).toBe(page);
    expect((await web.ask("GET", "/agents/coder?x=1#y", browser)).bytes.toString()).toBe(page);
    expect((await web.ask("GET", "/agents/coder")).status).toBe(401);
    expect((await web.ask("GET", "/agents/coder", web.proof(await web.logIn()))).status).toBe(404);
    expect((await web.ask("POST", "/agents/coder", browser, {})).status).toBe(401);
    expect((await web.ask("GET", "/assets/none.js", browser)).status).toBe(404);
    expect((await web.ask("GET", "/sessions", browser)).status).toBe(401);
  });

  it.each([
    "/../daemon.cjs",
    "/assets/../../daemon.cjs",
    "/assets/..%2f..%2fdaemon.cjs",
    "/%2e%2e/daemon.cjs",
    "/files.json",
    "/index.html.br",
    "/assets/",
    "/..\\daemon.cjs",
  ])("has no other files: not %s", async (path) => {
    const answer = await web.ask("GET", path);
    expect([400, 401, 404]).toContain(answer.status);
    const shown = await web.ask("GET", path, { accept: "text/html" });
    if (shown.status === 200) expect(shown.bytes.toString()).toBe(page);
  });

  it("is for our own names alone, and embedded nowhere", async () => {
    for (const host of ["evil.example", `127.0.0.2:${web.port}`, "laptop.example.ts.net", "localhost"])
      expect([host, (await web.ask("GET", "/", { host })).status]).toEqual([host, 421]);
    for (const host of [`127.0.0.1:${web.port}`, `localhost:${web.port}`, `[::1]:${web.port}`, web.host])
      expect([host, (await web.ask("GET", "/", { host })).status]).toEqual([host, 200]);
    expect((await web.ask("GET", script, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await web.ask("GET", "/", { origin: "null" })).status).toBe(200);
  });
});
