import { once } from "node:events";
import { statSync } from "node:fs";
import { type AddressInfo, createServer, connect as dial } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { type Answer, type Ask, AUTH, HttpHarness, JSON_TYPE, TOKEN } from "./http-harness.ts";

let http: HttpHarness;

const hook = (body: unknown, more: Ask = {}): Promise<Answer> => http.post("/hooks/Stop", body, more);
const EVENT = {
  program: "claude",
  payload: { session_id: "x", deepKey: { a_b: 1 } },
  environment: { TMUX_PANE: "%1" },
  emitted_at: 42,
};

beforeEach(() => {
  http = new HttpHarness();
});
afterEach(() => http.close());

describe("the HTTP door", () => {
  it("says only that it is well, to anyone here", async () => {
    await http.start();
    const answer = await http.ask({});
    expect(answer).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(answer.headers.server).toBeUndefined();
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect((await http.ask({ local: true })).text).toBe('{"ok":true}');
  });

  it("hands a hook to its use-case and gives back what it is to print", async () => {
    await http.start({
      hook_event: async () => ({ output: { hookSpecificOutput: { additionalContext: "hi" } } }),
    });
    const answer = await hook(EVENT);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ hookSpecificOutput: { additionalContext: "hi" } });
    expect(http.script.asked).toEqual([
      {
        verb: "hook_event",
        request: {
          eventName: "Stop",
          program: "claude",
          payload: EVENT.payload,
          environment: EVENT.environment,
          emittedAt: 42,
        },
      },
    ]);
  });

  it("answers a hook with nothing to print by an empty body", async () => {
    await http.start({ hook_event: async () => ({}) });
    expect(await hook(EVENT)).toMatchObject({ status: 204, text: "" });
  });

  it("needs no token on its own socket, which only the owner can open", async () => {
    await http.start({ hook_event: async () => ({}) });
    expect(statSync(http.socketPath).mode & 0o777).toBe(0o600);
    expect((await hook(EVENT, { local: true, headers: JSON_TYPE })).status).toBe(204);
    expect((await hook(EVENT, { local: true, headers: { "content-type": "text/plain" } })).status).toBe(415);
  });

  it("fills in the time and an empty environment", async () => {
    await http.start({ hook_event: async () => ({}) });
    await hook({ program: "codex", payload: null });
    expect(http.script.asked[0]?.request).toMatchObject({ emittedAt: 1_000, environment: {}, payload: null });
  });

  it.each<[string, Ask, number]>([
    ["no token", { headers: JSON_TYPE }, 401],
    ["a wrong token", { headers: { ...JSON_TYPE, authorization: "Bearer nope" } }, 401],
    ["the token in the URL", { headers: JSON_TYPE, path: `/hooks/Stop?token=${TOKEN}` }, 401],
    ["a rebound host", { headers: { ...AUTH, ...JSON_TYPE, host: "evil.example" } }, 421],
    ["another page", { headers: { ...AUTH, ...JSON_TYPE, origin: "https://evil.example" } }, 403],
    ["a null origin", { headers: { ...AUTH, ...JSON_TYPE, origin: "null" } }, 403],
    ["a form", { headers: { ...AUTH, "content-type": "application/x-www-form-urlencoded" } }, 415],
    ["text", { headers: { ...AUTH, "content-type": "text/plain" } }, 415],
    ["no content type", { headers: AUTH }, 415],
    [
      "a rebound host at healthz",
      { method: "GET", path: "/healthz", headers: { host: "evil.example" } },
      421,
    ],
    ["another page at healthz", { method: "GET", path: "/healthz", headers: { origin: "null" } }, 403],
    ["an unknown route without token", { method: "GET", path: "/secret", headers: {} }, 401],
    ["an unknown route with token", { method: "GET", path: "/secret", headers: AUTH }, 404],
    [
      "a pre-flight",
      { method: "OPTIONS", path: "/hooks/Stop", headers: { origin: "https://evil.example" } },
      403,
    ],
    ["another method", { method: "PUT", headers: { ...AUTH, ...JSON_TYPE } }, 405],
    ["a path that climbs", { path: "/hooks/..%2f..%2fetc", headers: { ...AUTH, ...JSON_TYPE } }, 400],
    ["a broken escape", { path: "/hooks/%zz", headers: { ...AUTH, ...JSON_TYPE } }, 400],
  ])("refuses %s, and nothing is carried out", async (_, options, status) => {
    await http.start({ hook_event: async () => ({}) });
    const { method = "POST" } = options;
    const answer =
      method === "GET" || method === "OPTIONS" ? await http.ask(options) : await hook(EVENT, options);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: expect.any(String),
      next: expect.any(String),
    });
    expect(answer.text).not.toContain(TOKEN);
    expect(http.script.asked).toEqual([]);
  });

  it.each<[string, string | Buffer, number]>([
    ["garbage", "{nope", 400],
    ["nothing", "", 400],
    ["an array", "[]", 400],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400],
    ["deep JSON", `{"program":"claude","payload":${"[".repeat(70)}${"]".repeat(70)}}`, 400],
    ["an unknown field", '{"program":"claude","payload":1,"evil":1}', 400],
    ["a bad program", '{"program":"../x","payload":1}', 400],
    ["a time that is none", '{"program":"claude","payload":1,"emitted_at":"now"}', 400],
    ["a prototype", '{"program":"claude","payload":1,"__proto__":{"x":1}}', 400],
    ["a body over the limit", Buffer.alloc(LIMITS.requestBytes + 1, 0x20), 413],
  ])("refuses %s", async (_, body, status) => {
    await http.start({ hook_event: async () => ({}) });
    const answer = await hook(body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).error.next).not.toBe("");
    expect(answer.text).not.toMatch(/FST_|node_modules|at /);
    expect(http.script.asked).toEqual([]);
  });

  it("takes a body at the limit", async () => {
    await http.start({ hook_event: async () => ({}) });
    const frame = '{"program":"claude","payload":""}';
    const body = frame.replace('""', `"${"x".repeat(LIMITS.requestBytes - frame.length)}"`);
    expect(Buffer.byteLength(body)).toBe(LIMITS.requestBytes);
    expect((await hook(body)).status).toBe(204);
  });

  it("takes a rotated token at once", async () => {
    await http.start({ hook_event: async () => ({}) });
    http.token = "another";
    expect((await hook(EVENT)).status).toBe(401);
    http.token = TOKEN;
    expect((await hook(EVENT)).status).toBe(204);
  });

  it("gives up on a body that trickles", async () => {
    await http.start({}, { requestMs: 600, headersMs: 500, sweepMs: 10 });
    const socket = dial(http.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    const closed = once(socket, "close");
    socket.write(
      `POST /hooks/Stop HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("gives up on headers that never end, and on what is no HTTP", async () => {
    await http.start({}, { requestMs: 600, headersMs: 500, sweepMs: 10 });
    for (const [said, status] of [
      ["GET /healthz HTTP/1.1\r\nHost: ", 408],
      ["hello\r\n\r\n", 400],
      [`GET /healthz HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const socket = dial(http.port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("utf8");
      });
      socket.on("error", () => {});
      socket.write(said);
      await once(socket, "close");
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  it("answers two hundred hooks at once", async () => {
    await http.start({ hook_event: async ({ payload }) => ({ output: payload }) });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        hook({ program: "claude", payload: index }, { local: index % 2 === 0 }),
      ),
    );
    expect(answers.map(({ text }) => Number(text))).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it("tells nothing of a bug", async () => {
    await http.start({
      hook_event: async () => {
        throw new Error("secret detail");
      },
    });
    const answer = await hook(EVENT);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("secret");
    expect(JSON.stringify(http.log.entries)).toContain("secret detail");
  });

  it("takes any port when its wish is taken, and says so when the owner's is", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = (other.address() as AddressInfo).port;
    const found = await http.start({}, {}, { kind: "default", port: taken });
    expect(found.port).not.toBe(taken);
    expect((await http.ask({})).status).toBe(200);
    await found.close();
    await expect(http.start({}, {}, { kind: "explicit", port: taken })).rejects.toMatchObject({
      code: "http.port_taken",
    });
    other.close();
  });

  it("leaves no listener and no socket behind", async () => {
    const opened = await http.start();
    await opened.close();
    expect(() => statSync(http.socketPath)).toThrow();
    const probe = dial(opened.port, "127.0.0.1");
    const [error] = (await once(probe, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("refuses a socket path that another program holds, and gives its port back", async () => {
    const other = createServer().listen(http.socketPath);
    await once(other, "listening");
    await expect(http.start()).rejects.toMatchObject({ code: "daemon.socket_taken" });
    other.close();
    await once(other, "close");
  });
});
