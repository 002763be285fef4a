import { once } from "node:events";
import { chmodSync, lstatSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, connect } from "../../src/client/connect.ts";
import { BellhopError } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/message.ts";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix.ts";
import type { UnixLimits } from "../../src/doors/unix-connection.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { UseCases } from "../../src/wire/shapes.ts";
import {
  noStreams,
  type RememberedLog,
  rememberedLog,
  type ScriptedUseCases,
  scriptedUseCases,
} from "./scripted-use-cases.ts";

const SENT: SendResponse = {
  messageId: "m-1",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [{ id: "d-1", to: "agent/coder", state: "queued" }],
};
const STATUS: StatusResponse = {
  running: true,
  pid: 1,
  version: "1.2.3",
  home: "/h",
  socket: "/h/run/bellhop.sock",
  http: { host: "127.0.0.1", port: 2355 },
  tokenFile: "/h/token",
  sessions: 0,
  queued: 0,
  startedAt: 1,
  warnings: [],
};

let folder: string;
let path: string;
let door: UnixDoor;
let script: ScriptedUseCases;
let log: RememberedLog;
const open: { destroy(): void }[] = [];

async function start(answers: Partial<UseCases>, limits: Partial<UnixLimits> = {}): Promise<void> {
  script = scriptedUseCases(answers);
  log = rememberedLog();
  door = await startUnixDoor({
    path,
    streams: noStreams,
    useCases: script.useCases,
    log,
    version: "1.2.3",
    user: "dev",
    now: () => 1_000,
    limits,
  });
}

async function caller(): Promise<{
  readonly socket: Socket;
  next(): Promise<Record<string, unknown>>;
  all(): Promise<string>;
}> {
  const socket = dial({ path, allowHalfOpen: true });
  open.push(socket);
  await once(socket, "connect");
  let text = "";
  const wake = { call: () => {} };
  socket.on("data", (chunk) => {
    text += chunk.toString("utf8");
    wake.call();
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", () => resolve());
  });
  socket.on("error", () => {});
  return {
    socket,
    async next() {
      while (!text.includes("\n")) {
        await new Promise<void>((resolve, reject) => {
          wake.call = resolve;
          void ended.then(() =>
            text.includes("\n") ? resolve() : reject(new Error("ended without an answer")),
          );
        });
      }
      const at = text.indexOf("\n");
      const line = text.slice(0, at);
      text = text.slice(at + 1);
      return JSON.parse(line);
    },
    async all() {
      await ended;
      return text;
    },
  };
}

async function client(): Promise<Client> {
  const made = await connect(path);
  open.push({ destroy: () => made.close() });
  return made;
}

const errorOf = (answer: Record<string, unknown>) =>
  answer.error as { code: string; message: string; next: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-door-"));
  path = join(folder, "bellhop.sock");
});
afterEach(async () => {
  for (const thing of open.splice(0)) thing.destroy();
  await door?.close(100).catch(() => {});
  rmSync(folder, { recursive: true, force: true });
});

describe("the Unix door", () => {
  it("answers the plain request of a shell one-liner, newline or not", async () => {
    await start({ send: async () => SENT });
    const one = await caller();
    one.socket.end(
      '{"type":"send","to":"coder","body":"hi","from":"concierge","priority":"normal","raw":false}',
    );
    expect(await one.next()).toEqual({
      ok: true,
      version: "1.2.3",
      result: { message_id: "m-1", short_id: "m7k2q9", unmatched: false, deliveries: SENT.deliveries },
    });
    expect(script.asked).toEqual([
      {
        verb: "send",
        request: {
          to: "coder",
          body: "hi",
          from: "concierge",
          priority: "normal",
          raw: false,
          claims: { user: "dev" },
        },
      },
    ]);
    expect(await one.all()).toBe("");
  });

  it("takes show with a message_id", async () => {
    await start({ show: async () => ({ message: {}, deliveries: [] }) as never });
    const one = await caller();
    one.socket.write('{"type":"show","message_id":"m7k2q9"}\n');
    expect((await one.next()).ok).toBe(true);
    expect(script.asked[0]?.request).toEqual({ id: "m7k2q9" });
  });

  it("is a socket that only its owner can open", async () => {
    await start({});
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(path).isSocket()).toBe(true);
  });

  it("echoes req_id and lets a slow request not hold up a quick one", async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await start({
      wait: async () => {
        await slow;
        return { state: "delivered", reached: true };
      },
      status: async () => STATUS,
    });
    const one = await caller();
    one.socket.write(
      '{"type":"wait","id":"m","state":"delivered","req_id":"w"}\n{"type":"status","req_id":7}\n',
    );
    expect((await one.next()).req_id).toBe(7);
    release();
    expect(await one.next()).toMatchObject({ req_id: "w", ok: true });
  });

  it("answers requests without req_id in their order, bad ones too", async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await start({
      wait: async () => {
        await slow;
        return { state: "delivered", reached: true };
      },
      status: async () => STATUS,
    });
    const one = await caller();
    one.socket.write('{"type":"wait","id":"m","state":"delivered"}\n{"type":"status"}\n{garbage\n');
    one.socket.write('{"type":"status","req_id":"later"}\n');
    expect((await one.next()).req_id).toBe("later");
    release();
    expect((await one.next()).result).toEqual({ state: "delivered", reached: true });
    expect((await one.next()).result).toMatchObject({ pid: 1 });
    expect(errorOf(await one.next()).code).toBe("request.malformed");
  });

  it("puts a character together that arrives in pieces", async () => {
    await start({ send: async () => SENT });
    const one = await caller();
    const bytes = Buffer.from('{"type":"send","to":"coder","body":"grüße 👩‍👩‍👧 漢字"}\n');
    for (const byte of bytes) {
      one.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await one.next()).ok).toBe(true);
    expect(script.asked[0]?.request).toMatchObject({ body: "grüße 👩‍👩‍👧 漢字" });
  });

  it.each<[string, string | Buffer, string, RegExp]>([
    ["garbage", "hello there\n", "request.malformed", /not valid JSON/],
    ["an array", "[1]\n", "request.malformed", /one JSON object/],
    ["no type", "{}\n", "request.malformed", /no "type"/],
    ["an unknown verb", '{"type":"sned"}\n', "request.malformed", /sned/],
    ["a verb of the prototype", '{"type":"constructor"}\n', "request.malformed", /constructor/],
    ["attach", '{"type":"attach","cols":80}\n', "request.malformed", /hosts itself/],
    [
      "an unknown field",
      '{"type":"send","to":"a","body":"b","prority":"idle"}\n',
      "request.malformed",
      /prority/,
    ],
    [
      "camelCase",
      '{"type":"send","to":"a","body":"b","idempotencyKey":"k"}\n',
      "request.malformed",
      /snake_case/,
    ],
    ["a missing field", '{"type":"send","body":"b"}\n', "request.malformed", /"to"/],
    ["a wrong type", '{"type":"send","to":1,"body":"b"}\n', "request.malformed", /"to"/],
    ["an empty body", '{"type":"send","to":"a","body":" \\n"}\n', "message.empty", /"body"/],
    ["half a character", '{"type":"send","to":"a","body":"x\\ud800"}\n', "message.invalid_utf8", /"body"/],
    [
      "keys without raw",
      '{"type":"send","to":"a","body":"b","keys":["Enter"]}\n',
      "request.malformed",
      /"keys"/,
    ],
    ["a bad req_id", '{"type":"status","req_id":{}}\n', "request.malformed", /req_id/],
    ["status of a session", '{"type":"status","to":"coder"}\n', "request.malformed", /one session/],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), "message.invalid_utf8", /UTF-8/],
    [
      "deep JSON",
      `{"type":"send","to":"a","body":"b","payload":${"[".repeat(80)}${"]".repeat(80)}}\n`,
      "request.malformed",
      /deeper/,
    ],
    ["very deep JSON", `${"[".repeat(300_000)}\n`, "request.malformed", /deeper/],
    [
      "a prototype",
      '{"type":"send","to":"a","body":"b","__proto__":{"x":1}}\n',
      "request.malformed",
      /_proto/,
    ],
  ])("answers %s with a typed error and stays", async (_, sent, code, message) => {
    await start({ status: async () => STATUS });
    const one = await caller();
    one.socket.write(sent);
    const error = errorOf(await one.next());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.next).not.toBe("");
    one.socket.write('{"type":"status"}\n');
    expect((await one.next()).ok).toBe(true);
  });

  it("takes a body at its limit and refuses one byte more", async () => {
    await start({ send: async () => SENT });
    const one = await caller();
    const send = (bytes: number) =>
      one.socket.write(`${JSON.stringify({ type: "send", to: "a", body: "x".repeat(bytes) })}\n`);
    send(LIMITS.bodyBytes);
    expect((await one.next()).ok).toBe(true);
    send(LIMITS.bodyBytes + 1);
    expect(errorOf(await one.next()).code).toBe("message.too_large");
  });

  it("refuses a line over the limit before it ends, and closes", async () => {
    await start({});
    const one = await caller();
    one.socket.write(Buffer.alloc(LIMITS.requestBytes + 1, 0x61));
    expect(errorOf(await one.next()).code).toBe("request.too_large");
    expect(await one.all()).toBe("");
  });

  it("gives up on a line that never ends", async () => {
    await start({}, { lineMs: 20 });
    const one = await caller();
    one.socket.write('{"type":');
    expect(errorOf(await one.next()).message).toMatch(/not ended/);
    await one.all();
  });

  it("lets an idle caller go, and not one who waits for an answer", async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await start(
      {
        wait: async () => {
          await slow;
          return { state: "read", reached: true };
        },
      },
      { idleMs: 40 },
    );
    const waiting = await caller();
    waiting.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    const idle = await caller();
    await idle.all();
    release();
    expect((await waiting.next()).ok).toBe(true);
  });

  it("turns away one caller too many with a reason", async () => {
    await start({ status: async () => STATUS }, { connections: 2 });
    const callers = [await caller(), await caller()];
    for (const one of callers) {
      one.socket.write('{"type":"status"}\n');
      await one.next();
    }
    const third = await caller();
    expect(errorOf(await third.next()).code).toBe("daemon.unreachable");
    await expect((await connect(path)).call("status", {})).rejects.toMatchObject({
      code: "daemon.unreachable",
    });
  });

  it("carries out two hundred calls on one connection and two hundred connections", async () => {
    await start({
      send: async ({ body }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { ...SENT, messageId: body };
      },
    });
    const claims = { user: "dev" };
    const shared = await client();
    const bodies = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      bodies.map((body) => shared.call("send", { to: "coder", body, claims })),
    );
    expect(answers.map((answer) => answer.messageId)).toEqual(bodies);
    expect(script.asked.map(({ request }) => (request as { body: string }).body)).toEqual(bodies);
    const alone = await Promise.all(
      bodies.map(async (body) => (await client()).call("send", { to: "coder", body, claims })),
    );
    expect(alone.map((answer) => answer.messageId)).toEqual(bodies);
  });

  it("parks what is over the limit of requests under way, and answers it all", async () => {
    let most = 0;
    let now = 0;
    await start(
      {
        status: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return STATUS;
        },
      },
      { inFlight: 4 },
    );
    const one = await caller();
    one.socket.end('{"type":"status"}\n'.repeat(500));
    const text = await one.all();
    expect(text.split("\n").filter(Boolean)).toHaveLength(500);
    expect(most).toBeLessThanOrEqual(4);
  });

  it("lets go a reader who never reads", async () => {
    const screen = "x".repeat(512 * 1024);
    await start({ peek: async () => ({ sessionId: "s", screen }) }, { backlogBytes: 1024 * 1024 });
    const one = await caller();
    one.socket.pause();
    one.socket.write('{"type":"peek","who":"a"}\n'.repeat(40));
    one.socket.removeAllListeners("data");
    const closed = once(one.socket, "close");
    while (!log.entries.some(({ event }) => event === "unix.backlog")) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    one.socket.resume();
    one.socket.end();
    await closed;
  });

  it("survives a caller who vanishes in the middle of an answer", async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await start({
      wait: async () => {
        await slow;
        return { state: "read", reached: true };
      },
      status: async () => STATUS,
    });
    const gone = await caller();
    gone.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    while (script.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.socket.destroy();
    release();
    const other = await client();
    expect((await other.call("status", {})).pid).toBe(1);
  });

  it("notices that a caller with an open request has gone, and frees his place", async () => {
    await start(
      { wait: () => new Promise(() => {}), status: async () => STATUS },
      { connections: 1, probeMs: 5 },
    );
    const gone = await caller();
    gone.socket.write('{"type":"wait","id":"m","state":"read"}\n');
    while (script.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.socket.destroy();
    for (;;) {
      const next = await client();
      const answer = await next.call("status", {}).catch((error: BellhopError) => error.code);
      if (answer !== "daemon.unreachable") {
        expect(answer).toMatchObject({ pid: 1 });
        break;
      }
    }
  });

  it("tells nothing of a bug but that it is one, and logs the rest", async () => {
    await start({
      ls: async () => {
        throw new TypeError("secret detail");
      },
      queue: async () => ({ deliveries: [1n], drafts: [] }) as never,
    });
    const one = await client();
    const error: BellhopError = await one.call("ls", {}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BellhopError);
    expect(error.code).toBe("internal.bug");
    expect(error.message).not.toContain("secret");
    expect(JSON.stringify(log.entries)).toContain("secret detail");
    await expect(one.call("queue", {})).rejects.toMatchObject({ code: "internal.bug" });
  });

  it("carries typed errors with their candidates to the client", async () => {
    await start({
      send: async () => {
        throw new BellhopError("recipient.ambiguous", {
          message: "Two.",
          next: "Say which.",
          candidates: ["a", "b"],
        });
      },
    });
    const one = await client();
    await expect(one.call("send", { to: "x", body: "y", claims: { user: "dev" } })).rejects.toMatchObject({
      code: "recipient.ambiguous",
      message: "Two.",
      next: "Say which.",
      candidates: ["a", "b"],
    });
  });

  it("keeps what is opaque as it was, both ways", async () => {
    const inside = { hook_event_name: "Stop", camelCase: { deep_key: [1, { a_b: null }] } };
    await start({ hook_event: async (request) => ({ output: request.payload }) });
    const one = await client();
    const answer = await one.call("hook_event", {
      eventName: "Stop",
      program: "claude",
      emittedAt: 5,
      payload: inside,
      environment: { CLAUDE_CODE_SESSION_ID: "x" },
    });
    expect(answer.output).toEqual(inside);
    expect(script.asked[0]?.request).toMatchObject({
      environment: { CLAUDE_CODE_SESSION_ID: "x" },
      emittedAt: 5,
    });
  });

  it("says so when a daemon of another version does not understand", async () => {
    await start({});
    const one = await client();
    const error: BellhopError = await one
      .call("show", { id: "x", unknown: 1 } as never)
      .catch((thrown) => thrown);
    expect(error.code).toBe("daemon.version_mismatch");
    expect(error.next).toContain("bellhop down && bellhop up");
    expect(one.daemonVersion).toBe("1.2.3");
  });

  it("answers what is under way before it closes, and tells the rest that it stops", async () => {
    let release = () => {};
    const soon = new Promise<void>((resolve) => {
      release = resolve;
    });
    await start({
      status: async () => {
        await soon;
        return STATUS;
      },
      wait: () => new Promise(() => {}),
    });
    const one = await client();
    const quick = one.call("status", {});
    const never = one.call("wait", { id: "m", state: "read" }).catch((error: BellhopError) => error.code);
    while (script.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const closing = door.close(50);
    release();
    expect((await quick).pid).toBe(1);
    expect(await never).toBe("daemon.stopping");
    await closing;
    await expect(connect(path)).rejects.toMatchObject({ code: "daemon.not_running" });
  });

  it("takes the place of a socket that nobody listens on", async () => {
    await start({});
    await door.close();
    const dead = createServer().listen(path);
    await once(dead, "listening");
    const { renameSync } = await import("node:fs");
    renameSync(path, `${path}.kept`);
    dead.close();
    await once(dead, "close");
    renameSync(`${path}.kept`, path);
    await start({ status: async () => STATUS });
    expect((await (await client()).call("status", {})).pid).toBe(1);
  });

  it("refuses a path where someone listens, a file or a link stands, or that is too long", async () => {
    const other = createServer().listen(path);
    await once(other, "listening");
    await expect(start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    other.close();
    await once(other, "close");
    writeFileSync(path, "");
    await expect(start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    rmSync(path);
    symlinkSync("/nowhere", path);
    await expect(start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    path = join(folder, "x".repeat(100));
    await expect(start({})).rejects.toMatchObject({ code: "home.path_too_long" });
  });

  it("tells a daemon that does not run from one that cannot be reached", async () => {
    await expect(connect(path)).rejects.toMatchObject({ code: "daemon.not_running" });
    if (process.getuid?.() !== 0) {
      await start({});
      chmodSync(path, 0);
      await expect(connect(path)).rejects.toMatchObject({ code: "daemon.unreachable" });
    }
  });
});
