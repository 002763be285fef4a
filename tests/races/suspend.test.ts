import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Recognise } from "../../src/ports/profile.ts";
import type { Terminal } from "../../src/ports/terminal.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { tmuxProgram } from "../../src/terminals/tmux/control/tmux-program.ts";
import { TmuxServer as TmuxAdapter } from "../../src/terminals/tmux/server.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { SCENES, type Scene, SHELLS, type ShellTerminal, SuspendDesk } from "./suspend-desk.ts";
import { SuspendRaces } from "./suspend-race.ts";

const TRIALS = 2;
const TOGETHER = 8;

let tmux: TmuxServer;
let bellhop: Bellhop;
let unchecked: TmuxAdapter;
let races: SuspendRaces;

/** Like the daemon's own, except that it takes every agent to be in front, as an earlier release did. */
function adapterWithoutTheCheck(): TmuxAdapter {
  const scratchFolder = join(tmux.folder, "scratch");
  mkdirSync(scratchFolder, { recursive: true, mode: 0o700 });
  const recognise: Recognise = (tree) => {
    const process = tree.find(({ argv }) => argv[1]?.endsWith("scripted-agent.mjs") === true);
    return process === undefined ? [] : [{ program: "scripted", process }];
  };
  return new TmuxAdapter(tmux.socket, {
    clock: systemClock,
    processes: { ...processesOn(process.platform), standing: async () => "in-front" },
    recognise,
    scratchFolder,
    nonce: () => randomBytes(8).toString("hex"),
    program: tmuxProgram(process.env),
  });
}

async function openPane({ name, shell }: Scene): Promise<ShellTerminal> {
  const pane = await tmux.newSession({
    name,
    command: SHELLS[shell].command,
    cwd: tmux.folder,
    env: { HISTFILE: "/dev/null", HOME: tmux.folder },
    cols: 100,
    rows: 24,
  });
  return {
    pane,
    async press(keys) {
      const bytes = [...Buffer.from(keys, "utf8")].map((byte) => byte.toString(16).padStart(2, "0"));
      await tmux.run("send-keys", "-t", pane, "-H", ...bytes);
    },
    screen: () => tmux.capture(pane),
    inFront: () => tmux.ask(pane, "#{pane_current_command}"),
    async uncheckedGate() {
      const scan = await unchecked.scan();
      const found = scan.kind === "scanned" ? scan.sightings : [];
      const identity = found.find((sighting) => sighting.identity.pane === pane)?.identity;
      if (identity === undefined) throw new Error(`${name} was not found: ${JSON.stringify(scan)}`);
      const { panePid } = identity;
      const terminal: Terminal = unchecked.terminal(identity);
      return async (text) => {
        const outcome = await terminal.read();
        if (outcome.kind !== "screen") throw new Error(`${name} cannot be read`);
        const { command, alternate, cursor } = outcome.screen;
        const stroke = { kind: "paste", text, bracketed: false } as const;
        return (await terminal.gate({ panePid, command, alternate, cursor }, [stroke])).kind === "sent";
      };
    },
  };
}

beforeAll(async () => {
  tmux = startTmuxServer();
  const desks: SuspendDesk[] = [];
  for (const scene of SCENES) desks.push(new SuspendDesk(scene, await openPane(scene), tmux.folder));
  for (const desk of desks) await desk.open();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n`,
  });
  await bellhop.start();
  unchecked = adapterWithoutTheCheck();
  // Keys that tmux is told to send do not count as a person's.
  const options = { folder: tmux.folder, quietMs: 0, together: TOGETHER };
  races = new SuspendRaces(desks, await bellhop.client(), options);
});

afterAll(async () => {
  await unchecked.close();
  await bellhop.dispose();
  await tmux.kill();
});

describe("an agent that is suspended around the moment of a delivery", () => {
  it("has nothing typed into what is in front of it, under any shell, and gets its message once", async () => {
    const outcomes = await races.run(TRIALS);
    expect(outcomes.get("queued") ?? 0, "suspended in time, at least once").toBeGreaterThan(0);
    expect(races.executed).toEqual([]);
  }, 240_000);

  it("would have it typed there by the gate alone, so the check is what keeps it out", async () => {
    expect(await races.runUnchecked()).toEqual(SCENES.map(({ name }) => name).toSorted());
  }, 240_000);
});
