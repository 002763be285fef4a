import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { readScriptedLog, SCRIPTED_PROFILE, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { histogram, median } from "./histogram.ts";
import { Turnstile } from "./turnstile.ts";

const PANES = 25;
const TRIALS = 20;
const CONTROL_TRIALS = 8;
const WARM_UPS = 7;
/** An ending program reads no more for a moment before its shell is back: the bytes wait for the shell. */
const LINGER_MS = 25;
const EARLIEST_MS = -20;
const LATEST_MS = 60;
const TWO_CALLS = 'tmux -S "$1" send-keys -t "$2" -l "$3"; tmux -S "$1" send-keys -t "$2" Enter';
const LEAST_EXECUTED_BY_CONTROL = 0.2;

interface Desk {
  readonly name: string;
  readonly pane: string;
  readonly logFile: string;
}

let tmux: TmuxServer;
let bellhop: Bellhop;
let client: Client;
let canaries: string;
let desks: Desk[];

const turnstile = new Turnstile(60);
const claims = { user: userInfo().username };
const offset = (index: number): number =>
  EARLIEST_MS + ((index * 7919) % 1000) * ((LATEST_MS - EARLIEST_MS) / 1000);

beforeAll(async () => {
  tmux = startTmuxServer();
  canaries = join(tmux.folder, "canaries");
  mkdirSync(canaries);
  desks = [];
  for (let index = 0; index < PANES; index += 1) {
    const name = `shell-${index}`;
    mkdirSync(join(tmux.folder, name));
    const pane = await tmux.newSession({
      name,
      command: ["bash", "--norc", "-i"],
      cwd: join(tmux.folder, name),
      env: { PS1: "$ ", HISTFILE: "/dev/null" },
      cols: 100,
      rows: 20,
    });
    desks.push({ name, pane, logFile: join(tmux.folder, `${name}.jsonl`) });
  }
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n`,
  });
  await bellhop.start();
  client = await bellhop.client();
});

afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

/** From the interactive shell, as a person would start it; resolves with its process id. */
async function startAgent(desk: Desk): Promise<number> {
  const before = readScriptedLog(desk.logFile).length;
  await tmux.run(
    "send-keys",
    "-t",
    desk.pane,
    "-l",
    `clear; ${scriptedCommand(desk.name, desk.logFile).join(" ")} --linger ${LINGER_MS}`,
  );
  await tmux.run("send-keys", "-t", desk.pane, "Enter");
  await until(() => readScriptedLog(desk.logFile).length > before, `${desk.name} to start`);
  const started = readScriptedLog(desk.logFile).at(-1)?.started;
  if (started === undefined) throw new Error(`${desk.name} did not say its process id`);
  return started;
}

async function sessionIn(desk: Desk): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const { sessions } = await client.call("ls", {});
    const session = sessions.find(
      ({ terminal, readiness }) => terminal?.pane === desk.pane && readiness === "idle",
    );
    id = session?.id;
    return id !== undefined;
  }, `an idle session in ${desk.name}`);
  return id ?? "";
}

async function end(pid: number, atMs: number): Promise<void> {
  const wait = atMs - performance.now();
  if (wait > 0) await sleep(wait);
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}

/** Whatever stands on the shell's line: a person presses Enter, and looks whether something ran. */
async function pressEnterLater(desk: Desk): Promise<void> {
  await until(
    async () => (await tmux.ask(desk.pane, "#{pane_current_command}")) === "bash",
    `the shell of ${desk.name}`,
  );
  await sleep(120);
  await tmux.run("send-keys", "-t", desk.pane, "Enter");
  await sleep(120);
}

/** Deliveries without an exit, one after the other: from the call to the agent's read. */
async function measureLatencies(): Promise<number[]> {
  const latencies: number[] = [];
  for (const desk of desks.slice(0, WARM_UPS)) {
    const pid = await startAgent(desk);
    const id = await sessionIn(desk);
    const sentAt = Date.now();
    const { messageId, shortId } = await client.call("send", {
      to: `session/${id}`,
      body: "warm-up",
      claims,
    });
    await client.call("wait", { id: messageId, state: "delivered", timeoutMs: 20_000 });
    const read = readScriptedLog(desk.logFile).find(
      ({ prompt }) => prompt?.includes(`#${shortId}]`) === true,
    );
    latencies.push((read?.at ?? sentAt) - sentAt);
    process.kill(pid, "SIGTERM");
    await pressEnterLater(desk);
  }
  return latencies;
}

describe("an agent that exits around the moment of a delivery, with a shell under it", () => {
  it("never has a message executed by the shell", async () => {
    const latencies: number[] = await measureLatencies();
    const offsets: number[] = [];
    const outcomes = new Map<string, number>();
    let trials = 0;
    await Promise.all(
      desks.map(async (desk, deskIndex) => {
        await sleep(deskIndex * 100);
        for (let index = 0; index < TRIALS; index += 1) {
          const number = deskIndex * TRIALS + index;
          const pid = await startAgent(desk);
          const id = await sessionIn(desk);
          await turnstile.pass();
          const start = performance.now();
          const exitAt = start + median(latencies.slice(-50)) + offset(number);
          const exiting = end(pid, exitAt);
          const canary = join(canaries, `m${number}`);
          const { messageId } = await client.call("send", {
            to: `session/${id}`,
            body: `x; touch ${canary} ; touch ${canary}`,
            claims,
          });
          await exiting;
          await pressEnterLater(desk);
          const got = readScriptedLog(desk.logFile).findLast(({ prompt }) => prompt !== undefined);
          if (got?.prompt?.includes(`m${number} `) === true) {
            const submittedAt = got.at - Date.now() + performance.now();
            latencies.push(submittedAt - start);
            offsets.push(exitAt - submittedAt);
          }
          const { deliveries } = await client.call("show", { id: messageId });
          const state = deliveries[0]?.state ?? "none";
          outcomes.set(state, (outcomes.get(state) ?? 0) + 1);
          trials += 1;
        }
      }),
    );
    console.log(
      histogram(`${offsets.length} of ${trials} read by the agent: its end − submit`, offsets, 5, 80),
    );
    console.log("states:", Object.fromEntries(outcomes));
    expect(trials).toBe(PANES * TRIALS);
    expect(readdirSync(canaries)).toEqual([]);
  }, 900_000);

  it("would have been executed with plain send-keys, so the race is real", async () => {
    const run = promisify(execFile);
    let executed = 0;
    let trials = 0;
    await Promise.all(
      desks.map(async (desk, deskIndex) => {
        await sleep(deskIndex * 80);
        for (let index = 0; index < CONTROL_TRIALS; index += 1) {
          const number = deskIndex * CONTROL_TRIALS + index;
          const pid = await startAgent(desk);
          await sleep(100);
          const canary = join(canaries, `c${number}`);
          const exiting = end(pid, performance.now() + offset(number));
          // A shell script with two calls, as most tools do it.
          await run("sh", ["-c", TWO_CALLS, "sh", tmux.socket, desk.pane, `x; touch ${canary}`]);
          await exiting;
          await pressEnterLater(desk);
          if (existsSync(canary)) executed += 1;
          trials += 1;
        }
      }),
    );
    console.log(
      `control arm, plain send-keys: ${Math.round((executed / trials) * 100)} % of ${trials} executed by the shell`,
    );
    expect(executed / trials).toBeGreaterThanOrEqual(LEAST_EXECUTED_BY_CONTROL);
  }, 300_000);
});
