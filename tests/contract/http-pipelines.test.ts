/** Callers that send many requests at once, and what that may cost others. Nothing here is timed; it is counted. */
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpHarness, TOKEN } from "./http-harness.ts";
import { sampleAnswers } from "./scripted-use-cases.ts";

let http: HttpHarness;
let reads: number;

beforeEach(() => {
  http = new HttpHarness();
  reads = 0;
});
afterEach(() => http.close());

const asked = (path: string, more = "") =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n${more}\r\n`;
const withToken = (path: string, more = "") => asked(path, `Authorization: Bearer ${TOKEN}\r\n${more}`);
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

/** What the server has read from each connection, in the order of the connections. */
async function start(): Promise<readonly Socket[]> {
  const door = await http.start({
    ...sampleAnswers(),
    ls: async () => {
      reads += 1;
      return { sessions: [] };
    },
  });
  const seen: Socket[] = [];
  door.loopback.server.on("connection", (socket: Socket) => seen.push(socket));
  return seen;
}

/** Writes as long as the other side reads; settles when it no longer does, or has hung up. */
function flood(socket: Socket, request: string): { readonly over: Promise<unknown> } {
  const block = request.repeat(1_000);
  const pump = () => {
    while (!socket.destroyed && socket.write(block));
    if (!socket.destroyed) socket.once("drain", pump);
  };
  pump();
  return { over: new Promise((resolve) => socket.once("close", resolve)) };
}

describe("requests in one breath", () => {
  it("of somebody without a token are answered once, and nothing more of them is looked at", async () => {
    await start();
    let looks = 0;
    Object.defineProperty(http, "token", {
      get: () => {
        looks += 1;
        return TOKEN;
      },
    });
    const wrong = asked("/sessions", "Authorization: Bearer wrong\r\n");
    const { text } = await http.say(wrong.repeat(500));
    expect(statuses(text)).toEqual([401]);
    expect(looks).toBe(1);
  });

  it("of somebody without a token end the connection; no more is read than what was on its way", async () => {
    const seen = await start();
    const socket = await http.dial();
    socket.pause();
    await flood(socket, asked("/sessions")).over;
    expect(seen[0]?.bytesRead).toBeLessThanOrEqual(2 * 64 * 1024);
  });

  it("are carried out one after the other, with the token too", async () => {
    await http.start({
      ...sampleAnswers(),
      ls: async () => {
        reads += 1;
        const mine = reads;
        await new Promise(setImmediate);
        expect(reads).toBe(mine);
        return { sessions: [] };
      },
    });
    const { text } = await http.say(
      withToken("/sessions").repeat(50) + withToken("/sessions", "Connection: close\r\n"),
    );
    expect(statuses(text)).toEqual(Array(51).fill(200));
    expect(reads).toBe(51);
  });

  it("are all answered in their order, whoever may hear what", async () => {
    await start();
    const { text } = await http.say(
      asked("/healthz") +
        withToken("/sessions") +
        withToken("/nowhere") +
        asked("/healthz") +
        asked("/sessions"),
    );
    expect(statuses(text)).toEqual([200, 200, 404, 200, 401]);
    expect(reads).toBe(1);
  });

  it("with bodies among them lose nothing", async () => {
    await start();
    const body = JSON.stringify({ text: "x".repeat(100_000) });
    const post = `POST /sessions/api/send HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { text } = await http.say(
      (withToken("/sessions") + post).repeat(5) + withToken("/sessions", "Connection: close\r\n"),
    );
    expect(statuses(text)).toEqual(Array(11).fill(200));
    expect(http.asked("send")).toHaveLength(5);
  });

  it("of one who takes no answers are not read faster than others are heard", async () => {
    const seen = await start();
    const socket = await http.dial();
    socket.pause();
    flood(socket, asked("/healthz"));
    // A well-behaved caller is answered all the time.
    for (let round = 0; round < 50; round += 1) expect((await http.get("/sessions")).status).toBe(200);
    expect(seen[0]?.bytesRead).toBeLessThanOrEqual(4 * 64 * 1024);
    socket.destroy();
  });
});
