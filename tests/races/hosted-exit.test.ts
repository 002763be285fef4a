/**
 * A hosted program has no shell under it: when it ends, its terminal ends with it, and nothing is left that could take a
 * key. Only if a person runs a shell in a hosted terminal, and starts the agent from it, is there a shell under the
 * agent; these races are about that case.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../rig/bellhop.ts";
import type { HostViewer } from "../rig/host-viewer.ts";
import { hostOf, runDetached, startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { type ExitDesk, ExitRaces } from "./exit-race.ts";

const SHELLS = 20;
const TRIALS = 10;
const CONTROL_TRIALS = 5;
const LONE_AGENTS = 12;
/** What a person types at the shell holds messages for two seconds. */
const QUIET_MS = 2_050;
const LEAST_EXECUTED_BY_CONTROL = 0.2;
const SIZE = { cols: 100, rows: 20 };

let bellhop: Bellhop;
let client: Client;
let viewers: HostViewer[];
let races: ExitRaces;

async function openDesk(name: string): Promise<ExitDesk> {
  const sessionId = await runDetached(bellhop, name, ["bash", "--norc", "-i"]);
  const host = hostOf(bellhop, sessionId);
  const viewer = await host.attach(SIZE);
  viewers.push(viewer);
  const { programPid } = host.record();
  return {
    name,
    logFile: join(bellhop.home, `${name}.jsonl`),
    enter: async (line) => viewer.press(`${line}\r`),
    isAtShell: async () => foregroundOf(programPid) === programPid,
    has: ({ id, agent, program }) => id === sessionId && agent === name && program === "scripted",
  };
}

/** The process group that has a process's terminal. */
function foregroundOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /su, "")
    .split(" ");
  return Number(fields[5]);
}

beforeAll(async () => {
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ndelivery: { evidence_timeout: 3 }\n`,
    env: { PS1: "$ ", HISTFILE: "/dev/null" },
  });
  await bellhop.start();
  client = await bellhop.client();
  viewers = [];
  const desks: ExitDesk[] = [];
  for (let index = 0; index < SHELLS; index += 1) desks.push(await openDesk(`shell-${index}`));
  races = new ExitRaces(desks, client, { folder: bellhop.home, quietMs: QUIET_MS });
});

afterAll(async () => {
  for (const viewer of viewers) viewer.close();
  await bellhop.dispose();
});

describe("a hosted agent that exits around the moment of a delivery", () => {
  it("never has a message executed by a shell that it was started from", async () => {
    const outcomes = await races.run(TRIALS);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(SHELLS * TRIALS);
    expect(races.executed).toEqual([]);
  }, 900_000);

  it("would have it executed if the text came as keys, so the race is real", async () => {
    const rate = await races.runBlind(CONTROL_TRIALS, async (deskIndex, text) => {
      // As long as it takes to start two processes.
      await sleep(25);
      viewers[deskIndex]?.press(text);
      await sleep(5);
      viewers[deskIndex]?.press("\r");
    });
    console.log(
      `control arm, blind keys: ${Math.round(rate * 100)} % of ${CONTROL_TRIALS * SHELLS} executed by the shell`,
    );
    expect(rate).toBeGreaterThanOrEqual(LEAST_EXECUTED_BY_CONTROL);
  }, 300_000);

  it("takes its terminal along when it is the terminal's own program: the message waits, or was read", async () => {
    for (let index = 0; index < LONE_AGENTS; index += 1) {
      const agent = await startHostedAgent(bellhop, `alone-${index}`);
      await until(async () => {
        const { sessions } = await client.call("ls", {});
        return sessions.some(({ id, readiness }) => id === agent.sessionId && readiness === "idle");
      }, `${agent.name} to be idle`);
      const sending = client.call("send", { to: agent.name, body: "are you there", claims: { user: "dev" } });
      await sleep(index * 4);
      process.kill(agent.record().programPid, "SIGTERM");
      const { messageId } = await sending;
      await until(() => agent.record().exit !== undefined, `${agent.name} to end`);
      const settled = async () => (await client.call("show", { id: messageId })).deliveries[0]?.state;
      await until(async () => (await settled()) !== "delivering", "the attempt to be over");
      const read = agent.prompts().some((prompt) => prompt.includes("are you there"));
      const state = await settled();
      // Read but not proven is reported as such; not read is never reported as delivered.
      if (read) expect(state).toMatch(/^(?:delivered|unconfirmed|queued)$/u);
      else expect(state).toMatch(/^(?:queued|unconfirmed)$/u);
    }
  }, 300_000);
});
