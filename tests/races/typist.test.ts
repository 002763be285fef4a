import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { attachTypist, type Typist } from "../rig/typist.ts";
import { pace, type RaceDesk, TypingRaces, told } from "./typing-race.ts";

const SESSIONS = 40;
const TRIALS = 25;
const CONTROL_TRIALS = 3;
/** `session_activity` counts whole seconds, so two quiet seconds may take three. */
const QUIET_MS = 3_100;
const LEAST_CORRUPTED_BY_CONTROL = 0.3;

interface Desk extends RaceDesk {
  readonly agent: ScriptedAgent;
  readonly typist: Typist;
}

let tmux: TmuxServer;
let bellhop: Bellhop;
let desks: Desk[];
let races: TypingRaces;

beforeAll(async () => {
  tmux = startTmuxServer();
  desks = [];
  for (let index = 0; index < SESSIONS; index += 1) {
    const agent = await startScriptedAgent({ tmux, name: `desk-${index}`, cols: 100, rows: 12 });
    const typist = await attachTypist({ tmux, pane: agent.name, cols: 100, rows: 12 });
    desks.push({
      agent,
      typist,
      expected: [],
      async typeLine(line, startMs, trial) {
        await typist.typeAt(startMs, line, pace(trial));
        typist.press("\r");
      },
    });
  }
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { input_poll_interval: 1 }\n`,
  });
  await bellhop.start();
  races = new TypingRaces(desks, await bellhop.client(), { quietMs: QUIET_MS });
});

afterAll(async () => {
  await Promise.all(desks.map(({ typist }) => typist.close()));
  await bellhop.dispose();
  await tmux.kill();
});

describe("a person who starts to type in the very moment of a delivery", () => {
  it("never finds a message in their line, nor their line in a message", async () => {
    const trials = await races.run(TRIALS);
    console.log(told(trials));
    expect(trials).toHaveLength(SESSIONS * TRIALS);
    for (const { agent, expected } of desks) expect(agent.prompts().toSorted()).toEqual(expected.toSorted());
  }, 900_000);

  it("would find them mixed with plain send-keys, so the race is real", async () => {
    const run = promisify(execFile);
    const rate = await races.runBlind(CONTROL_TRIALS, async (deskIndex, text) => {
      const pane = desks[deskIndex]?.agent.pane ?? "";
      await run("tmux", ["-S", tmux.socket, "send-keys", "-t", pane, "-l", text]);
      await run("tmux", ["-S", tmux.socket, "send-keys", "-t", pane, "Enter"]);
    });
    console.log(
      `control arm, plain send-keys: ${Math.round(rate * 100)} % of ${CONTROL_TRIALS * SESSIONS} corrupted`,
    );
    expect(rate).toBeGreaterThanOrEqual(LEAST_CORRUPTED_BY_CONTROL);
  }, 300_000);
});
