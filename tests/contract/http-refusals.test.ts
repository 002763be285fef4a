/** What else the HTTP door refuses, and with which status: tokens, content, methods, oddities; on real sockets. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { THROTTLE } from "../../src/doors/auth/throttle.ts";
import { errorAnswer } from "../../src/wire/http/answers.ts";
import { BODY, HOST, LENGTH, TOKEN_LINE, TYPE, written } from "./http-bytes.ts";
import { expectTurnedAway } from "./http-expectations.ts";
import { AUTH, HttpHarness, hear, JSON_TYPE, type RawAnswer, TOKEN } from "./http-harness.ts";
import { sampleAnswers } from "./scripted-use-cases.ts";

let http: HttpHarness;

beforeEach(async () => {
  http = new HttpHarness();
  await http.start(sampleAnswers());
});
afterEach(() => http.close());

const turnedAway = (answer: RawAnswer, status: number) => expectTurnedAway(http, answer, status);

const ENDPOINTS = [
  "POST /sessions/api/send",
  "GET /sessions/api/send-queue",
  "GET /sessions",
  "GET /sessions/api/history",
  "GET /messages/x",
  "GET /messages/x/explain",
  "POST /scheduler/remind",
  "GET /scheduler/reminders",
  "DELETE /scheduler/reminders/x",
  "GET /turns",
  "GET /turns/x",
  "PUT /turns/switch",
  "POST /agents/api/turns",
  "GET /agents/api/auto-run",
  "PUT /agents/api/auto-run",
  "GET /agents/api/conversation",
  "POST /hooks/Stop",
  "GET /status",
  "GET /openapi.json",
  "GET /nothing",
  "PUT /sessions",
  "OPTIONS /sessions",
];

describe("tokens", () => {
  it.each(ENDPOINTS)("are needed: %s", async (endpoint) => {
    turnedAway(await http.say(written([HOST, TYPE, LENGTH], `${endpoint} HTTP/1.1`)), 401);
  });

  it.each<[string, readonly string[]]>([
    ["an empty one", ["Authorization: Bearer "]],
    ["a wrong one", ["Authorization: Bearer nope"]],
    ["the beginning of ours", [`Authorization: Bearer ${TOKEN.slice(0, -1)}`]],
    ["ours and more", [`Authorization: Bearer ${TOKEN}x`]],
    ["ours in capitals", [`Authorization: Bearer ${TOKEN.toUpperCase()}`]],
    ["ours without its scheme", [`Authorization: ${TOKEN}`]],
    ["ours as a password", [`Authorization: Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}`]],
    ["two in one line", [`Authorization: Bearer nope, Bearer ${TOKEN}`]],
    ["a wrong one, then ours", ["Authorization: Bearer nope", TOKEN_LINE]],
    ["ours, then a wrong one", [TOKEN_LINE, "Authorization: Bearer nope"]],
    ["ours twice", [TOKEN_LINE, TOKEN_LINE]],
    ["ours as a cookie", [`Cookie: token=${TOKEN}; authorization=${TOKEN}`]],
    ["ours in another header", [`X-Authorization: Bearer ${TOKEN}`, `Proxy-Authorization: Bearer ${TOKEN}`]],
  ])("%s: refused", async (_, lines) => {
    const answer = await http.say(written([HOST, ...lines, TYPE, LENGTH]));
    turnedAway(answer, 401);
    expect(answer.text).toMatch(/^www-authenticate: Bearer\r$/im);
  });

  it("in the address are none", async () => {
    const line = `GET /sessions?token=${TOKEN}&access_token=${TOKEN} HTTP/1.1`;
    const answer = await http.say(written([HOST], line, ""));
    turnedAway(answer, 401);
  });

  const wrong = () => http.ask({ path: "/sessions", headers: { authorization: "Bearer guess" } });
  const right = () => http.get("/sessions");

  it("that are wrong too often are slowed down; the right one never is", async () => {
    for (let count = 0; count < THROTTLE.wrongTokens; count += 1) {
      expect((await wrong()).status).toBe(401);
      expect((await right()).status).toBe(200);
    }
    http.now += 15_500;
    const answer = await wrong();
    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "45", connection: "close" } });
    expect(errorAnswer.parse(JSON.parse(answer.text)).error.code).toBe("request.throttled");
    expect((await right()).status).toBe(200);
    http.now += THROTTLE.windowMs;
    expect((await wrong()).status).toBe(401);
  });

  it("that are missing do not count as guesses, nor do strange hosts and pages", async () => {
    for (let count = 0; count <= THROTTLE.wrongTokens; count += 1) {
      expect((await http.ask({ path: "/sessions" })).status).toBe(401);
      const headers = { authorization: "Bearer guess", origin: "https://evil.example" };
      expect((await http.ask({ path: "/sessions", headers })).status).toBe(403);
    }
    expect((await wrong()).status).toBe(401);
  });

  it("are not needed on the Unix socket; wrong ones are refused there, and slow nobody down", async () => {
    const headers = { authorization: "Bearer guess" };
    for (let count = 0; count <= THROTTLE.wrongTokens; count += 1)
      expect((await http.ask({ path: "/sessions", headers, local: true })).status).toBe(401);
    expect((await http.ask({ path: "/sessions", local: true })).status).toBe(200);
  });
});

describe("content", () => {
  it.each<[string, readonly string[]]>([
    ["no type", []],
    ["text", ["Content-Type: text/plain"]],
    ["a form", ["Content-Type: application/x-www-form-urlencoded"]],
    ["a form with files", ["Content-Type: multipart/form-data; boundary=x"]],
    ["JSON dressed as text", ["Content-Type: text/plain; application/json"]],
    ["something like JSON", ["Content-Type: application/jsonp"]],
    ["JSON of another vendor", ["Content-Type: application/vnd.api+json"]],
    ["another alphabet", ["Content-Type: application/json; charset=utf-16"]],
    ["a list of types", ["Content-Type: application/json, text/plain"]],
    ["two types", [TYPE, "Content-Type: text/plain"]],
    ["two equal types", [TYPE, TYPE]],
    ["an empty type", ["Content-Type: "]],
    ["packed JSON", [TYPE, "Content-Encoding: gzip"]],
  ])("of a wrong type is refused: %s", async (_, lines) => {
    turnedAway(await http.say(written([HOST, TOKEN_LINE, ...lines, LENGTH])), 415);
  });

  it.each(["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])(
    "of type %s is taken",
    async (type) => {
      const answer = await http.say(written([HOST, TOKEN_LINE, `Content-Type: ${type}`, LENGTH]));
      expect(answer.status).toBe(200);
    },
  );

  const sent = (lines: readonly string[], body: string) =>
    http.say(written([HOST, TOKEN_LINE, TYPE, ...lines], undefined, body));
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  it("may come in pieces", async () => {
    expect((await sent(["Transfer-Encoding: chunked"], chunked(BODY))).status).toBe(200);
    expect((await sent(["Transfer-Encoding: Chunked"], chunked(BODY))).status).toBe(200);
  });

  it.each<[string, readonly string[], string]>([
    ["two lengths", [LENGTH, "Content-Length: 5"], BODY],
    ["a length and pieces", [LENGTH, "Transfer-Encoding: chunked"], chunked(BODY)],
    ["pieces and a length", ["Transfer-Encoding: chunked", LENGTH], chunked(BODY)],
    ["a negative length", ["Content-Length: -1"], BODY],
    ["a length with a sign", [`Content-Length: +${BODY.length}`], BODY],
    ["a length in hexadecimal", ["Content-Length: 0xc"], BODY],
    ["a length beyond all numbers", ["Content-Length: 99999999999999999999999"], BODY],
    ["an encoding that is none", ["Transfer-Encoding: cow"], BODY],
    ["chunked, and then something else", ["Transfer-Encoding: chunked, identity"], chunked(BODY)],
    ["a piece without a size", ["Transfer-Encoding: chunked"], "zz\r\n{}\r\n0\r\n\r\n"],
    ["a piece of negative size", ["Transfer-Encoding: chunked"], "-1\r\n{}\r\n0\r\n\r\n"],
    ["a blank before the colon", [`Content-Length : ${BODY.length}`], BODY],
    ["a folded header", ["X-A: a\r\n b: c", LENGTH], BODY],
    ["a header with a NUL", ["X-A: a\0b", LENGTH], BODY],
    ["pieces packed", ["Transfer-Encoding: gzip, chunked"], chunked("\x1f\x8b")],
  ])("whose end is in doubt is refused: %s", async (_, lines, body) => {
    const answer = await sent(lines, body);
    turnedAway(answer, 400);
    expect(http.log.entries.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("that is too long is refused by its length, before it comes", async () => {
    const socket = await http.dial();
    socket.write(
      `POST /hooks/Stop HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n${TOKEN_LINE}\r\n${TYPE}\r\nContent-Length: 2000000\r\n\r\n`,
    );
    const [chunk] = await new Promise<[Buffer]>((resolve) => socket.once("data", (data) => resolve([data])));
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("that is too long is refused when it comes in pieces", async () => {
    const piece = "x".repeat(64 * 1024);
    const pieces = `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(120);
    const answer = await sent(["Transfer-Encoding: chunked"], pieces);
    turnedAway(answer, 413);
  });

  it("of a caller who breaks off is no fault of ours", async () => {
    const socket = await http.dial();
    socket.end(http.here(written([HOST, TOKEN_LINE, TYPE, "Content-Length: 1000"])));
    turnedAway(await hear(socket), 400);
    const rude = await http.dial();
    rude.write(http.here(written([HOST, TOKEN_LINE, TYPE, "Content-Length: 1000"])), () =>
      rude.resetAndDestroy(),
    );
    await once(rude, "close");
    expect((await http.get("/sessions")).status).toBe(200);
    expect(http.log.entries).toEqual([]);
  });
});

describe("methods", () => {
  it.each<[string, string, string]>([
    ["GET", "/sessions/api/send", "POST"],
    ["HEAD", "/sessions/api/send", "POST"],
    ["PUT", "/sessions/api/send", "POST"],
    ["PATCH", "/sessions/api/send", "POST"],
    ["DELETE", "/sessions/api/send", "POST"],
    ["OPTIONS", "/sessions/api/send", "POST"],
    ["TRACE", "/sessions/api/send", "POST"],
    ["QUERY", "/sessions/api/send", "POST"],
    ["POST", "/status", "GET, HEAD"],
    ["DELETE", "/sessions", "GET, HEAD, POST"],
    ["POST", "/messages/x", "DELETE, GET, HEAD"],
    ["GET", "/scheduler/remind", "POST"],
    ["GET", "/scheduler/reminders/x", "DELETE"],
    ["GET", "/hooks/Stop", "POST"],
  ])("%s %s: 405, and which are taken", async (method, path, allow) => {
    const answer = await http.ask({ method, path, headers: AUTH });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    if (method !== "HEAD") expect(errorAnswer.parse(JSON.parse(answer.text)).error.next).toContain("openapi");
    expect(http.script.asked).toEqual([]);
  });

  it("HEAD is answered like GET, without a body", async () => {
    const answer = await http.ask({ method: "HEAD", path: "/sessions", headers: AUTH });
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(Number(answer.headers["content-length"])).toBeGreaterThan(10);
    expect((await http.ask({ method: "HEAD", path: "/sessions" })).status).toBe(401);
  });

  it.each(["PROPFIND", "MKCOL", "PURGE", "REPORT", "SEARCH"])("%s leads nowhere", async (method) => {
    turnedAway(await http.say(written([HOST, TOKEN_LINE], `${method} /sessions HTTP/1.1`, "")), 404);
  });

  it("CONNECT is refused: we are no proxy", async () => {
    turnedAway(
      await http.say(written(["Host: evil.example:443"], "CONNECT evil.example:443 HTTP/1.1", "")),
      405,
    );
  });

  it("one that is none is no HTTP", async () => {
    turnedAway(await http.say(written([HOST, TOKEN_LINE], "STEAL /sessions HTTP/1.1", "")), 400);
  });
});

describe("odd requests", () => {
  it("an expectation that nobody can meet is refused", async () => {
    const headers = [HOST, TOKEN_LINE, TYPE, LENGTH, "Expect: a-miracle"];
    turnedAway(await http.say(written(headers)), 417);
  });

  it("whoever asks before sending is let in by the same rules", async () => {
    const ask = (headers: Record<string, string>) =>
      new Promise<string[]>((resolve) => {
        const heard: string[] = [];
        const request = httpRequest({
          port: http.port,
          method: "POST",
          path: "/sessions/api/send",
          headers: { ...JSON_TYPE, ...headers, "content-length": BODY.length, expect: "100-continue" },
          agent: false,
        });
        request.on("continue", () => {
          heard.push("continue");
          request.end(BODY);
        });
        request.on("response", (response) => {
          heard.push(String(response.statusCode));
          response.resume().on("end", () => resolve(heard));
        });
        request.on("error", () => {});
        request.flushHeaders();
      });
    expect(await ask(AUTH)).toEqual(["continue", "200"]);
    expect((await ask({ authorization: "Bearer guess" })).at(-1)).toBe("401");
  });

  it("the old HTTP without a host is refused, with one it is served", async () => {
    turnedAway(await http.say(written([TOKEN_LINE], "GET /sessions HTTP/1.0", "")), 421);
    expect((await http.say(written([HOST, TOKEN_LINE], "GET /sessions HTTP/1.0", ""))).status).toBe(200);
  });

  it("a version that is none is no HTTP", async () => {
    turnedAway(await http.say(written([HOST, TOKEN_LINE], "GET /sessions HTTP/3.7", "")), 400);
  });

  it("a wish to change the protocol is not heard", async () => {
    const headers = [HOST, TOKEN_LINE, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"];
    expect((await http.say(written(headers, "GET /sessions HTTP/1.1", ""))).status).toBe(200);
  });

  it("the body of a refused request is never taken for a request", async () => {
    const inner = written([HOST, TOKEN_LINE, TYPE, LENGTH]);
    const outer = written([HOST, TYPE, `Content-Length: ${inner.length}`], undefined, "");
    const answer = await http.say(outer.replace("Connection: close\r\n", "") + inner);
    turnedAway(answer, 401);
    expect(answer.text.match(/HTTP\/1\.1/g)?.length).toBe(1);
  });
});
