import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { type ExitDesk, ExitRaces } from "./exit-race.ts";

/** Every kind of shell that people start agents from, without their settings. */
const SHELLS = [
  { name: "bash", command: ["bash", "--norc", "-i"] },
  { name: "zsh", command: ["zsh", "-f", "-i"] },
  { name: "fish", command: ["fish", "--no-config", "-i"] },
  { name: "dash", command: ["dash", "-i"] },
] as const;
const PANES = 24;
const TRIALS = 20;
const CONTROL_TRIALS = 8;
const TWO_CALLS = 'tmux -S "$1" send-keys -t "$2" -l "$3"; tmux -S "$1" send-keys -t "$2" Enter';
const LEAST_EXECUTED_BY_CONTROL = 0.2;

let tmux: TmuxServer;
let bellhop: Bellhop;
let panes: string[];
let races: ExitRaces;

async function openDesk(index: number): Promise<ExitDesk> {
  const shell = SHELLS[index % SHELLS.length] ?? SHELLS[0];
  const name = `${shell.name}-${index}`;
  mkdirSync(join(tmux.folder, name));
  const pane = await tmux.newSession({
    name,
    command: shell.command,
    cwd: join(tmux.folder, name),
    env: { PS1: "$ ", HISTFILE: "/dev/null", HOME: tmux.folder },
    cols: 100,
    rows: 20,
  });
  panes.push(pane);
  return {
    name,
    logFile: join(tmux.folder, `${name}.jsonl`),
    async enter(line) {
      if (line !== "") await tmux.run("send-keys", "-t", pane, "-l", line);
      await tmux.run("send-keys", "-t", pane, "Enter");
    },
    isAtShell: async () => (await tmux.ask(pane, "#{pane_current_command}")) === shell.name,
    has: ({ terminal }) => terminal?.pane === pane,
  };
}

beforeAll(async () => {
  tmux = startTmuxServer();
  panes = [];
  const desks: ExitDesk[] = [];
  for (let index = 0; index < PANES; index += 1) desks.push(await openDesk(index));
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n`,
  });
  await bellhop.start();
  // Keys that tmux is told to type do not count as a person's.
  races = new ExitRaces(desks, await bellhop.client(), { folder: tmux.folder, quietMs: 0 });
});

afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

describe("an agent that exits around the moment of a delivery, with a shell under it", () => {
  it("never has a message executed by the shell", async () => {
    const outcomes = await races.run(TRIALS);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(PANES * TRIALS);
    expect(races.executed).toEqual([]);
  }, 900_000);

  it("would have been executed with plain send-keys, so the race is real", async () => {
    const run = promisify(execFile);
    // A shell script with two calls, as most tools do it.
    const rate = await races.runBlind(CONTROL_TRIALS, (deskIndex, text) =>
      run("sh", ["-c", TWO_CALLS, "sh", tmux.socket, panes[deskIndex] ?? "", text]),
    );
    console.log(
      `control arm, plain send-keys: ${Math.round(rate * 100)} % of ${CONTROL_TRIALS * PANES} executed by the shell`,
    );
    expect(rate).toBeGreaterThanOrEqual(LEAST_EXECUTED_BY_CONTROL);
    const shells = races.executed.map((canary) => {
      const desk = Math.floor(Number(canary.slice(1)) / CONTROL_TRIALS);
      return SHELLS[desk % SHELLS.length]?.name;
    });
    // Not required of zsh: in 18 trials it executed none, so for zsh this arm does not show that the race is real.
    expect(shells).toEqual(expect.arrayContaining(["bash", "fish", "dash"]));
  }, 300_000);
});
