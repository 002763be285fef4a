import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { attachTypist, type Typist } from "../rig/typist.ts";
import { histogram, median } from "./histogram.ts";
import { Turnstile } from "./turnstile.ts";

const SESSIONS = 40;
const TRIALS = 25;
const CONTROL_TRIALS = 3;
const EARLIEST_MS = -25;
const LATEST_MS = 25;
/** `session_activity` counts whole seconds, so two quiet seconds may take three. */
const QUIET_MS = 3_100;
const LARGEST_CORRECTION_MS = 30;
const BETWEEN_RACES_MS = 95;
const LEAST_CORRUPTED_BY_CONTROL = 0.3;

interface Desk {
  readonly agent: ScriptedAgent;
  readonly typist: Typist;
  readonly expected: string[];
}

interface Trial {
  readonly offsetMs: number;
  readonly outcome: "sent" | "deferred";
}

let tmux: TmuxServer;
let bellhop: Bellhop;
let client: Client;
let desks: Desk[];

const turnstile = new Turnstile(BETWEEN_RACES_MS);
const claims = { user: userInfo().username };
const offset = (index: number): number =>
  EARLIEST_MS + ((index * 7919) % 1000) * ((LATEST_MS - EARLIEST_MS) / 1000);
const at = (entry: { readonly at: number } | undefined): number => entry?.at ?? Number.NaN;

beforeAll(async () => {
  tmux = startTmuxServer();
  desks = [];
  for (let index = 0; index < SESSIONS; index += 1) {
    const agent = await startScriptedAgent({ tmux, name: `desk-${index}`, cols: 100, rows: 12 });
    desks.push({
      agent,
      typist: await attachTypist({ tmux, pane: agent.name, cols: 100, rows: 12 }),
      expected: [],
    });
  }
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { input_poll_interval: 1 }\n`,
  });
  await bellhop.start();
  client = await bellhop.client();
});

afterAll(async () => {
  await Promise.all(desks.map(({ typist }) => typist.close()));
  await bellhop.dispose();
  await tmux.kill();
});

/** The typist's line, from its first key to its Enter; resolves with the moment of the first key. */
async function typeLine(desk: Desk, line: string, startMs: number, index: number): Promise<number> {
  const charactersPerSecond = index % 2 === 0 ? 12 : 50;
  const began = Date.now() + (startMs - performance.now());
  await desk.typist.typeAt(startMs, line, { charactersPerSecond });
  desk.typist.press("\r");
  return began;
}

/** From the call to the agent's read, with nobody typing. */
async function deliverAlone(desk: Desk, body: string): Promise<number> {
  await turnstile.pass();
  const sentAt = Date.now();
  const { messageId, shortId } = await client.call("send", { to: desk.agent.name, body, claims });
  desk.expected.push(`[message from: ${claims.user} #${shortId}] ${body}`);
  await client.call("wait", { id: messageId, state: "delivered", timeoutMs: 60_000 }, { timeoutMs: 70_000 });
  return at(desk.agent.log().find(({ prompt }) => prompt?.includes(`#${shortId}]`))) - sentAt;
}

async function race(desk: Desk, index: number, latency: () => number): Promise<Trial> {
  const line = `h${desk.agent.name}n${index} fix`;
  await turnstile.pass();
  const latencyMs = latency();
  const start = performance.now() + 40;
  const sendAt = Date.now() + 40;
  const typing = typeLine(desk, line, start + latencyMs + offset(index), index);
  await sleep(start - performance.now());
  const { messageId, shortId } = await client.call("send", {
    to: desk.agent.name,
    body: `message ${index} for you; look`,
    claims,
  });
  const prompt = `[message from: ${claims.user} #${shortId}] message ${index} for you; look`;
  desk.expected.push(line, prompt);
  const began = await typing;
  const { state } = await client.call(
    "wait",
    { id: messageId, state: "delivered", timeoutMs: 60_000 },
    { timeoutMs: 70_000 },
  );
  expect(state).toBe("delivered");
  await until(() => desk.agent.prompts().includes(line), `the typist's line in ${desk.agent.name}`);
  const submitted = at(desk.agent.log().find((entry) => entry.prompt === prompt));
  const typed = at(desk.agent.log().find((entry) => entry.prompt === line));
  return submitted < typed
    ? { outcome: "sent", offsetMs: began - submitted }
    : { outcome: "deferred", offsetMs: began - (sendAt + latencyMs) };
}

describe("a person who starts to type in the very moment of a delivery", () => {
  it("never finds a message in their line, nor their line in a message", async () => {
    const warmUps: number[] = [];
    for (const round of ["first", "second"]) {
      await sleep(QUIET_MS);
      await Promise.all(
        desks.map(async (desk) => warmUps.push(await deliverAlone(desk, `${round} warm-up`))),
      );
    }
    let latencyMs = median(warmUps.slice(SESSIONS));
    const trials: Trial[] = [];
    await Promise.all(
      desks.map(async (desk, deskIndex) => {
        // Apart from one another, so that forty deliveries do not queue for two cores in one moment.
        await sleep((deskIndex * QUIET_MS) / SESSIONS);
        for (let index = 0; index < TRIALS; index += 1) {
          await sleep(QUIET_MS);
          const trial = await race(desk, deskIndex * TRIALS + index, () => latencyMs);
          trials.push(trial);
          // Follow the machine's load: the aim is the moment of the keys, not of the call.
          const missedByMs = trial.offsetMs - offset(deskIndex * TRIALS + index);
          if (trial.outcome === "sent")
            latencyMs -= 0.2 * Math.max(-LARGEST_CORRECTION_MS, Math.min(LARGEST_CORRECTION_MS, missedByMs));
        }
      }),
    );
    const sent = trials.filter(({ outcome }) => outcome === "sent");
    console.log(
      histogram(
        `${sent.length} delivered before the line: first key − submit`,
        sent.map(({ offsetMs }) => offsetMs),
      ),
    );
    const deferred = trials.filter(({ outcome }) => outcome === "deferred");
    console.log(
      histogram(
        `${deferred.length} held until the line was sent: first key − predicted`,
        deferred.map(({ offsetMs }) => offsetMs),
      ),
    );
    expect(trials).toHaveLength(SESSIONS * TRIALS);
    for (const { agent, expected } of desks) expect(agent.prompts().toSorted()).toEqual(expected.toSorted());
  }, 900_000);

  it("would find them mixed with plain send-keys, so the race is real", async () => {
    const run = promisify(execFile);
    const corrupted: boolean[] = [];
    for (const { agent, expected } of desks) expected.splice(0, expected.length, ...agent.prompts());
    for (let round = 0; round < CONTROL_TRIALS; round += 1) {
      await Promise.all(
        desks.map(async (desk, deskIndex) => {
          const index = round * SESSIONS + deskIndex;
          await sleep(300 + (deskIndex * 1_500) / SESSIONS);
          const line = `c${desk.agent.name}n${index} fix`;
          const text = `[message from: control #${index}] look at the failing test`;
          const before = desk.agent.prompts().length;
          const start = performance.now() + 40;
          const typing = typeLine(desk, line, start + 5 + offset(index), index);
          await sleep(start - performance.now());
          await run("tmux", ["-S", tmux.socket, "send-keys", "-t", desk.agent.pane, "-l", text]);
          await run("tmux", ["-S", tmux.socket, "send-keys", "-t", desk.agent.pane, "Enter"]);
          await typing;
          await sleep(400);
          const got = desk.agent.prompts().slice(before);
          corrupted.push(!(got.length === 2 && got.includes(line) && got.includes(text)));
        }),
      );
    }
    const rate = corrupted.filter(Boolean).length / corrupted.length;
    console.log(`control arm, plain send-keys: ${Math.round(rate * 100)} % of ${corrupted.length} corrupted`);
    expect(rate).toBeGreaterThanOrEqual(LEAST_CORRUPTED_BY_CONTROL);
  }, 300_000);
});
