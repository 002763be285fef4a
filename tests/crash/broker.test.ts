/** The broker under load, with SIGKILL at any moment: every accepted message is there, and second copies are marked. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Client } from "../../src/client/connect.ts";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { death } from "./crash-rig.ts";

const KILLS = 25;
const AGENTS = ["red", "green", "blue"] as const;
const PUBLISHERS = 4;
const IN_FLIGHT = 25;

/** Spread over accept, push and record; the same in every run. */
const lifetimeMs = (kill: number): number => 60 + ((kill * 7_919) % 900);

let bellhop: Bellhop;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-crash-"));
  // No tmux server is looked at.
  bellhop = new Bellhop({ env: { TMUX_TMPDIR: folder } });
});
afterEach(async () => {
  await bellhop.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** What clients know: what they were promised, and what they saw. */
class Ledger {
  readonly promised = new Map<string, { readonly command: string }>();
  /** Each sighting of a message by one mailbox, in order. */
  readonly seen = new Map<string, boolean[]>();
  readonly plain = new Map<string, number>();

  sees(mailbox: string, { id, redelivered }: BrokerMessage): void {
    const key = `${mailbox} ${id}`;
    const times = this.seen.get(key) ?? [];
    times.push(redelivered === true);
    this.seen.set(key, times);
  }
}

interface Frame {
  readonly type: string;
  readonly messageId?: string;
  readonly message?: BrokerMessage;
}

async function open(client: Client): Promise<WebSocket> {
  const { http, tokenFile } = await client.call("status", {});
  const authorization = `Bearer ${readFileSync(tokenFile, "utf8").trim()}`;
  const socket = new WebSocket(`ws://127.0.0.1:${http.port}/ws`, { headers: { authorization } });
  socket.on("error", () => {});
  await new Promise((resolve) => {
    socket.once("open", resolve);
    socket.once("close", resolve);
  });
  return socket;
}

async function consume(client: Client, ledger: Ledger, agentId: string): Promise<WebSocket> {
  const socket = await open(client);
  socket.on("message", (data) => {
    const { type, message } = JSON.parse(String(data)) as Frame;
    if (type === "msg.push" && message !== undefined) ledger.sees(agentId, message);
  });
  socket.send(JSON.stringify({ type: "msg.listen", agentId, consume: true }));
  return socket;
}

async function hearPlainly(client: Client, ledger: Ledger, life: number): Promise<void> {
  const socket = await open(client);
  socket.on("message", (data) => {
    const { type, message } = JSON.parse(String(data)) as Frame;
    const key = `${life} ${message?.id}`;
    if (type === "msg.push") ledger.plain.set(key, (ledger.plain.get(key) ?? 0) + 1);
  });
  socket.send(JSON.stringify({ type: "msg.listen", agentId: "red" }));
}

/** Sends the next message after each answer, until the other side is gone. */
async function publish(client: Client, ledger: Ledger, name: string): Promise<void> {
  const socket = await open(client);
  let said = 0;
  const more = () => {
    const agent = AGENTS[said % AGENTS.length];
    const [type, where] = said % 7 === 0 ? ["msg.route", { path: "news" }] : ["msg.send", { to: agent }];
    const command = `${name}-${said}`;
    said += 1;
    if (socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ type, from: "script", command, ...where, reqId: command }));
  };
  socket.on("message", (data) => {
    const { type, messageId, reqId } = JSON.parse(String(data)) as Frame & { reqId: string };
    if (!type.endsWith(".ok") || messageId === undefined) throw new Error(String(data));
    ledger.promised.set(messageId, { command: reqId });
    more();
  });
  for (let first = 0; first < IN_FLIGHT; first += 1) more();
}

describe("SIGKILL under load", () => {
  it(`${KILLS} times: what was answered is there, and no taker sees a message twice without being told`, async () => {
    const ledger = new Ledger();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const daemon = await bellhop.start();
      const client = await bellhop.client();
      if (kill === 0) {
        for (const name of AGENTS) await client.call("agent_add", { name });
        for (const agent of ["red", "green"])
          await client.call("sub_add", { agent, pattern: "news", claims: { user: "x" } });
      }
      // Two listeners share the first mailbox; the last has none for now, so it only fills.
      await Promise.all(["red", "red", "green"].map((agent) => consume(client, ledger, agent)));
      await hearPlainly(client, ledger, kill);
      await Promise.all(
        Array.from({ length: PUBLISHERS }, (_, number) => publish(client, ledger, `${kill}-${number}`)),
      );
      await sleep(lifetimeMs(kill));
      daemon.kill("SIGKILL");
      await death(daemon, "killed");
    }

    await bellhop.start();
    const client = await bellhop.client();
    for (const agent of AGENTS) await consume(client, ledger, agent);
    const ids = [...ledger.promised.keys()];
    expect(ids.length).toBeGreaterThan(KILLS * 10);
    let copies = 0;
    for (const id of ids) {
      await client.call("wait", { id, state: "delivered", timeoutMs: 180_000 }, { timeoutMs: 200_000 });
      const { message, deliveries } = await client.call("show", { id });
      expect(message.command).toBe(ledger.promised.get(id)?.command);
      for (const { to, state } of deliveries) {
        expect(state, `${id} ${to}`).toBe("delivered");
        const sightings = ledger.seen.get(`${to.replace("agent/", "")} ${id}`) ?? [];
        expect(sightings.length, `${id} was taken by ${to}`).toBeGreaterThan(0);
        copies += sightings.length - 1;
      }
    }
    // Including messages without an answer: a second copy is always marked.
    for (const [key, sightings] of ledger.seen)
      expect(sightings.slice(1).every(Boolean), `${key}: ${JSON.stringify(sightings)}`).toBe(true);
    // A listener that does not consume gets each message once.
    for (const [key, times] of ledger.plain) expect(times, key).toBe(1);
    console.log(`${ids.length} messages answered over ${KILLS} kills; ${copies} second copies, each told`);
  }, 600_000);

  it("with more on its way to takers than recovery looks at in one step: all of it comes again", async () => {
    const names = Array.from({ length: 15 }, (_, number) => `agent-${number}`);
    const daemon = await bellhop.start();
    const client = await bellhop.client();
    await Promise.all(names.map((name) => client.call("agent_add", { name })));
    const claims = { user: "x" };
    const sent = await Promise.all(
      Array.from({ length: 100 }, () => client.call("route", { path: "agent/**", command: "x", claims })),
    );
    expect(sent.every(({ deliveredTo }) => deliveredTo.length === names.length)).toBe(true);
    // It consumes everything and reads none of it.
    const mute = await open(client);
    mute.pause();
    for (const agentId of names) mute.send(JSON.stringify({ type: "msg.listen", agentId, consume: true }));
    while ((await client.call("status", {})).queued > 0) await sleep(20);
    daemon.kill("SIGKILL");
    await death(daemon, "killed");

    await bellhop.start();
    const after = await bellhop.client();
    const ledger = new Ledger();
    for (const name of names) await consume(after, ledger, name);
    while (ledger.seen.size < names.length * sent.length) await sleep(20);
    expect([...ledger.seen.values()].every((sightings) => sightings.join() === "true")).toBe(true);
  });
});
