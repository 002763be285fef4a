/** Slow callers, and others that must not suffer from them. Nothing here is timed: it completes, or it hangs. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HTTP_LIMITS } from "../../src/doors/http/limits.ts";
import { AUTH, HttpHarness, hear, JSON_TYPE, TOKEN } from "./http-harness.ts";
import { sampleAnswers, sampleShow } from "./scripted-use-cases.ts";

let http: HttpHarness;
let sockets: Socket[];

beforeEach(() => {
  http = new HttpHarness();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await http.close();
});

const QUICK = { requestMs: 600, headersMs: 500, sweepMs: 10 };
const head = (more = "") => `POST /sessions/api/send HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n${more}`;
const BODY_FOLLOWS = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
const AUTHORISED = `Authorization: Bearer ${TOKEN}\r\n`;

describe("a slow caller", () => {
  it.each<[string, () => string, number]>([
    ["who says nothing", () => "", 408],
    ["who stops in the first line", () => "POST /ses", 408],
    ["who stops in the headers", () => head("X-Slow: "), 408],
    ["who stops in the body", () => head(AUTHORISED + BODY_FOLLOWS), 408],
    [
      "who stops between two pieces",
      () =>
        head(`${AUTHORISED}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
      408,
    ],
    ["who stops in the body and has no token", () => head(BODY_FOLLOWS), 401],
    [
      "who stops in a body of the wrong type",
      () => head(`${AUTHORISED}Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n`),
      415,
    ],
  ])("%s is let go", async (_, said, status) => {
    await http.start(sampleAnswers(), QUICK);
    const answer = await http.say(said());
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text.slice(answer.text.indexOf("\r\n\r\n"))).error.next).not.toBe("");
    expect(http.script.asked).toEqual([]);
    expect(http.log.entries).toEqual([]);
  });

  it("who stays silent after the first request is let go", async () => {
    await http.start(sampleAnswers(), { ...QUICK, keepAliveMs: 20 });
    const answer = await http.say(
      `GET /sessions HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n${AUTHORISED}\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});

async function stand(count: number, said = ""): Promise<readonly Socket[]> {
  const standing: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = await http.dial();
    if (said !== "") socket.write(said);
    standing.push(socket);
  }
  sockets.push(...standing);
  return standing;
}

describe("strangers", () => {
  it("are as many as the limit; one more, and the oldest goes", async () => {
    await http.start(sampleAnswers(), { strangers: 3 });
    const [first, second, third] = await stand(3);
    const firstGone = once(first as Socket, "close");
    await stand(1);
    await firstGone;
    expect([second?.closed, third?.closed]).toEqual([false, false]);
    const secondGone = once(second as Socket, "close");
    await stand(1, "GET ");
    await secondGone;
    expect(third?.closed).toBe(false);
  });

  it("remain strangers by asking whether we are well", async () => {
    await http.start(sampleAnswers(), { strangers: 1 });
    const socket = await http.dial();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n\r\n`);
    await once(socket, "data");
    const gone = once(socket, "close");
    await stand(1);
    await gone;
  });

  it("are none once they have shown the token", async () => {
    await http.start(sampleAnswers(), { strangers: 1 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const request = httpRequest({ port: http.port, path: "/sessions", headers: AUTH, agent });
        request.on("response", (response) => response.resume().on("end", () => resolve(response)));
        request.on("error", reject).end();
      });
    const { socket } = await ask();
    for (let round = 0; round < 5; round += 1) {
      const [oldest] = await stand(1);
      await stand(1);
      if (!oldest?.closed) await once(oldest as Socket, "close");
    }
    expect((await ask()).socket).toBe(socket);
    agent.destroy();
  });

  it("who come in the same moment as a good caller do not push it out before it was heard", async () => {
    await http.start(sampleAnswers(), { strangers: 8 });
    for (let round = 0; round < 20; round += 1) {
      const answer = http.get("/sessions");
      for (let index = 0; index < 40; index += 1) {
        const socket = connect(http.port, "127.0.0.1");
        socket.on("error", () => {});
        sockets.push(socket);
      }
      expect((await answer).status).toBe(200);
    }
  });

  it("do not keep the owner's long text from coming in", async () => {
    await http.start(sampleAnswers(), { strangers: 1 });
    const body = JSON.stringify({ text: "x".repeat(1_000) });
    const socket = await http.dial();
    sockets.push(socket);
    socket.write(
      head(
        `${AUTHORISED}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
      ),
    );
    await once(socket, "data");
    socket.write(body.slice(0, 10));
    const [oldest] = await stand(1);
    await stand(1);
    if (!oldest?.closed) await once(oldest as Socket, "close");
    const answer = hear(socket);
    socket.write(body.slice(10));
    expect((await answer).status).toBe(200);
  });

  /** `again`: callers that are dropped reconnect at once. */
  function besiege(count: number, again: "once" | "again"): { dropped: number; end(): void } {
    const siege = { dropped: 0, end: () => {} };
    const said = ["", "GET /sess", head("X-Slow: x"), head(BODY_FOLLOWS)];
    let over = false;
    siege.end = () => {
      over = true;
    };
    const attack = (index: number): void => {
      if (over) return;
      const socket = connect(http.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {});
      socket.on("data", () => {});
      socket.write(said[index % said.length] ?? "");
      socket.on("close", () => {
        siege.dropped += 1;
        if (again === "again") setImmediate(attack, index);
      });
    };
    for (let index = 0; index < count; index += 1) attack(index);
    return siege;
  }

  async function goodCallers(rounds: number): Promise<void> {
    const headers = { ...AUTH, ...JSON_TYPE };
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all([
        http.get("/sessions"),
        http.ask({ method: "POST", path: "/sessions/api/send", headers, body: '{"text":"x"}' }),
        http.ask({ path: "/healthz" }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  }

  it("five hundred of them, all slow, keep no good caller out", async () => {
    await http.start(sampleAnswers());
    expect(HTTP_LIMITS.strangers).toBeLessThan(500);
    const siege = besiege(500, "once");
    await goodCallers(100);
    expect(siege.dropped).toBeGreaterThanOrEqual(500 - HTTP_LIMITS.strangers);
  });

  it("five hundred of them who come back whenever they are dropped keep no good caller out", async () => {
    await http.start(sampleAnswers());
    const siege = besiege(500, "again");
    await goodCallers(10);
    siege.end();
    expect(siege.dropped).toBeGreaterThan(500);
  });
});

describe("a door that closes", () => {
  const stuck = () => new Promise<never>(() => {});

  it("does not wait for strangers", async () => {
    const door = await http.start(sampleAnswers());
    const standing = await stand(3, "GET /sess");
    await door.close(60_000);
    for (const socket of standing) if (!socket.closed) await once(socket, "close");
  });

  it("answers an urgent message that still waits with what is known", async () => {
    const door = await http.start({ ...sampleAnswers(), verdict: stuck, show: async () => sampleShow() });
    const answer = http.post("/sessions/api/send", { text: "x", delivery_mode: "urgent" });
    while (!http.script.asked.some(({ verb }) => verb === "verdict")) await new Promise(setImmediate);
    await door.close(60_000);
    expect(JSON.parse((await answer).text)).toMatchObject({ status: "queued", interrupted: false });
  });

  it("tells those whom it cannot answer in time", async () => {
    const door = await http.start({ ...sampleAnswers(), ls: stuck });
    const answer = http.get("/sessions");
    while (http.script.asked.length === 0) await new Promise(setImmediate);
    await door.close(0);
    expect((await answer).status).toBe(503);
    expect(JSON.parse((await answer).text).error.code).toBe("daemon.stopping");
  });

  it("takes nothing new on connections that are still open", async () => {
    let go = () => {};
    const door = await http.start({
      ...sampleAnswers(),
      ls: () =>
        new Promise((resolve) => {
          go = () => resolve({ sessions: [] });
        }),
    });
    const socket = await http.dial();
    const request = `GET /sessions HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n${AUTHORISED}\r\n`;
    socket.write(request);
    while (http.script.asked.length === 0) await new Promise(setImmediate);
    const closed = door.close(60_000);
    socket.write(request);
    const answer = hear(socket);
    go();
    const { text } = await answer;
    await closed;
    expect(http.script.asked.length).toBe(1);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)[0]).toBe("200");
  });
});
