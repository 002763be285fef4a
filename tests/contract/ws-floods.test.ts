/** Pings, pongs and pieces without end: counted and cut off like everything else, and nobody else feels it. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { BrokerStage, until } from "./broker-stage.ts";

const TEXT = 0x1;
const CONTINUED = 0x0;
const PING = 0x9;
const PONG = 0xa;
const LONGEST_CONTROL = Buffer.alloc(125, "x");

/** As a client writes it; a mask of zeros changes nothing. */
function frame(opcode: number, payload: Buffer | string = "", fin = true): Buffer {
  const data = Buffer.from(payload);
  return Buffer.concat([Buffer.of((fin ? 0x80 : 0) | opcode, 0x80 | data.length, 0, 0, 0, 0), data]);
}

/** A connection that was upgraded, and reads nothing from then on. */
async function deafPeer(port: number, token?: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const head = [
    "GET /ws HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /);
  socket.pause();
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Until everything was taken from it, or it was cut off. */
async function flood(socket: Socket, one: Buffer, bytes: number): Promise<void> {
  const block = Buffer.alloc(one.length * Math.ceil(64_000 / one.length), one);
  for (let written = 0; written < bytes && !socket.destroyed; written += block.length)
    await new Promise<void>((resolve) => void socket.write(block, () => resolve()));
}

describe("who has not shown a token", () => {
  it.each([
    ["a ping", PING],
    ["a pong", PONG],
  ])("is turned away at %s, and it is not answered", async (_, opcode) => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null);
    let pongs = 0;
    caller.socket.on("pong", () => {
      pongs += 1;
    });
    if (opcode === PING) caller.socket.ping("anybody");
    else caller.socket.pong("anybody");
    caller.say({ type: "auth", token: stage.token });
    expect(await caller.answers.next()).toMatchObject({ type: "error", code: "request.unauthorised" });
    expect(await caller.closed).toBe(4401);
    expect(pongs).toBe(0);
  });

  it("is read no further than a token is long", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null);
    for (let piece = 0; piece < 40; piece += 1) caller.socket.send(" ".repeat(1_000), { fin: false });
    expect(await caller.answers.next()).toMatchObject({ type: "error", code: "request.too_large" });
    expect(await caller.closed).toBe(1009);
  });

  it("may ping behind the token: it is answered when the token is found good", async () => {
    const stage = await BrokerStage.open();
    const socket = await deafPeer(stage.port);
    const read: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => read.push(chunk));
    const auth = JSON.stringify({ type: "auth", token: stage.token });
    expect(auth.length).toBeLessThan(126);
    socket.resume();
    socket.write(Buffer.concat([frame(TEXT, auth), frame(PING, "one"), frame(PING, "two")]));
    await until(() => Buffer.concat(read).includes("two"));
    const heard = Buffer.concat(read).toString("latin1");
    expect(heard).toContain("auth.ok");
    expect(heard.indexOf("auth.ok")).toBeLessThan(heard.indexOf("two"));
  });
});

describe("who has shown a token", () => {
  it("is answered each ping, with what it carried", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws();
    for (const text of ["", "hello", "x".repeat(125)]) {
      caller.socket.ping(text);
      const [data] = await once(caller.socket, "pong");
      expect(String(data)).toBe(text);
    }
  });

  it.each([
    ["pings", PING],
    ["pongs that nobody asked for", PONG],
  ])("may send so many %s between two heartbeats and no more", async (_, opcode) => {
    const stage = await BrokerStage.open({ ws: { controls: 5 } });
    const caller = await stage.ws();
    const say = () => (opcode === PING ? caller.socket.ping() : caller.socket.pong());
    for (let time = 0; time < 5; time += 1) say();
    await caller.settled();
    say();
    expect(await caller.answers.next()).toMatchObject({ type: "error", code: "request.throttled" });
    expect(await caller.closed).toBe(1008);
    await (await stage.ws()).settled();
  });

  it("may send them again after each heartbeat, and its answers to ours do not count", async () => {
    const stage = await BrokerStage.open({ ws: { controls: 2, heartbeatMs: 300 } });
    const caller = await stage.ws();
    for (let beat = 0; beat < 6; beat += 1) {
      await once(caller.socket, "ping");
      caller.socket.ping();
      await once(caller.socket, "pong");
    }
    await caller.settled();
  });
});

const MANY = 8;
/** Answered and kept, this alone would be many times the bound. */
const FLOOD_BYTES = 24 * 1024 * 1024;
const MOST_GROWTH_KB = 128 * 1024;

function memoryKb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
}

describe("the daemon under floods of peers that do not read", () => {
  let folder: string;
  let bellhop: Bellhop;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "bh-flood-"));
    bellhop = new Bellhop({ env: { TMUX_TMPDIR: folder } });
    await bellhop.start();
  });
  afterAll(async () => {
    await bellhop.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["pings without a token", PING, "stranger"],
    ["pings with a token", PING, "owner"],
    ["pongs with a token", PONG, "owner"],
    ["pieces of one message without a token", CONTINUED, "stranger"],
    ["pieces of one message with a token", CONTINUED, "owner"],
  ] as const)("stays small and serves everybody else: %s", async (_, opcode, who) => {
    const client = await bellhop.client();
    const { http, tokenFile, pid } = await client.call("status", {});
    const token = who === "owner" ? readFileSync(tokenFile, "utf8").trim() : undefined;
    const before = memoryKb(pid);
    const peers = await Promise.all(Array.from({ length: MANY }, () => deafPeer(http.port, token)));
    const one = opcode === CONTINUED ? frame(CONTINUED, "x", false) : frame(opcode, LONGEST_CONTROL);
    const floods = peers.map(async (peer) => {
      if (opcode === CONTINUED) peer.write(frame(TEXT, "", false));
      await flood(peer, one, FLOOD_BYTES);
    });
    let over = false;
    const all = Promise.all(floods).then(() => {
      over = true;
    });
    let most = before;
    do {
      expect((await client.call("status", {})).running).toBe(true);
      most = Math.max(most, memoryKb(pid));
    } while (!over);
    await all;
    expect(most - before).toBeLessThan(MOST_GROWTH_KB);
    // Every one of them was cut off.
    expect(peers.filter(({ destroyed }) => !destroyed).length).toBe(0);
  });
});
