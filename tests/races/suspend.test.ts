import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import type { Recognise } from "../../src/ports/profile.ts";
import type { Terminal } from "../../src/ports/terminal.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { TmuxServer as TmuxAdapter } from "../../src/terminals/tmux/server.ts";
import { tmuxProgram } from "../../src/terminals/tmux/tmux-program.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { FRONTS, SHELLS, type Shell, SuspendDesk } from "./suspend-race.ts";

const TRIALS = 2;
/** After the call of `send`: about when its text goes in. */
const LATEST_MS = 160;
const claims = { user: userInfo().username };
const processes = processesOn(process.platform);

let tmux: TmuxServer;
let bellhop: Bellhop;
let client: Client;
let unchecked: TmuxAdapter;
let canaries: string;
const desks: SuspendDesk[] = [];

/** As the daemon's own, except that it believes every agent to stand in front: what an earlier release did. */
function adapterWithoutTheCheck(): TmuxAdapter {
  const scratchFolder = join(tmux.folder, "scratch");
  mkdirSync(scratchFolder, { recursive: true, mode: 0o700 });
  const recognise: Recognise = (tree) => {
    const process = tree.find(({ argv }) => argv[1]?.endsWith("scripted-agent.mjs") === true);
    return process === undefined ? [] : [{ program: "scripted", process }];
  };
  return new TmuxAdapter(tmux.socket, {
    clock: systemClock,
    processes: { ...processes, standing: async () => "in-front" },
    recognise,
    scratchFolder,
    nonce: () => randomBytes(8).toString("hex"),
    program: tmuxProgram(process.env),
  });
}

beforeAll(async () => {
  tmux = startTmuxServer();
  canaries = join(tmux.folder, "canaries");
  mkdirSync(canaries);
  for (const shell of Object.keys(SHELLS) as readonly Shell[])
    for (const front of FRONTS) desks.push(new SuspendDesk(tmux, shell, front));
  for (const desk of desks) await desk.open();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n`,
  });
  await bellhop.start();
  client = await bellhop.client();
  unchecked = adapterWithoutTheCheck();
}, 120_000);

afterAll(async () => {
  await unchecked.close();
  await bellhop.dispose();
  await tmux.kill();
});

/** The agent of this process, once it is idle. */
async function sessionOf(desk: SuspendDesk): Promise<string> {
  let id: string | undefined;
  await until(
    async () => {
      const { sessions } = await client.call("ls", {});
      id = sessions.find(
        ({ terminal, readiness }) => terminal?.pane === desk.pane && readiness === "idle",
      )?.id;
      return id !== undefined;
    },
    `an idle session in ${desk.name}`,
    60_000,
  );
  return id ?? "";
}

const deliveryOf = async (messageId: string) => (await client.call("show", { id: messageId })).deliveries[0];

/** One agent, one message, one suspension; resolves with what became of the message before it was back. */
async function trial(desk: SuspendDesk, number: number): Promise<string> {
  const pid = await desk.startAgent();
  const id = await sessionOf(desk);
  const by = number % 2 === 0 ? "key" : "signal";
  const stopping = desk.stop(pid, by, performance.now() + ((number * 7919) % LATEST_MS));
  const canary = join(canaries, `m${number}`);
  const body = `x; touch ${canary} ; touch ${canary}`;
  const { messageId, shortId } = await client.call("send", { to: `session/${id}`, body, claims });
  await stopping;
  const endFront = await desk.putInFront();
  // Until its courier has looked at it with the other one in front.
  await until(
    async () => {
      const delivery = await deliveryOf(messageId);
      return delivery?.state === "queued"
        ? delivery.hold?.reason === "suspended"
        : delivery?.state !== "delivering";
    },
    `${desk.name} to be held or settled`,
    30_000,
  );
  const meanwhile = (await deliveryOf(messageId))?.state ?? "none";
  expect(await desk.takenInFront(), `${desk.name}: what was in front`).not.toContain(shortId);
  await endFront();
  await desk.bringBack();
  if (meanwhile === "queued") {
    await until(
      async () => (await deliveryOf(messageId))?.state !== "queued",
      `${desk.name} to get it`,
      30_000,
    );
    await client.call(
      "wait",
      { id: messageId, state: "delivered", timeoutMs: 20_000 },
      { timeoutMs: 25_000 },
    );
  }
  const state = (await deliveryOf(messageId))?.state;
  const copies = desk.prompts().filter((prompt) => prompt.includes(`#${shortId}]`)).length;
  // What was typed as it was stopped may be nobody's; it is said so, and never typed twice.
  expect(copies, `${desk.name}: ${meanwhile}, then ${state}`).toBe(
    state === "unconfirmed" ? Math.min(copies, 1) : 1,
  );
  expect((await client.call("ls", {})).sessions.some((session) => session.id === id)).toBe(true);
  await desk.endAgent(pid);
  return meanwhile;
}

describe("an agent that is suspended around the moment of a delivery", () => {
  it("has nothing typed into what is in front of it, under any shell, and gets its message once", async () => {
    const outcomes = new Map<string, number>();
    for (let index = 0; index < TRIALS; index += 1) {
      await byShell(async (desk, deskIndex) => {
        const meanwhile = await trial(desk, deskIndex * TRIALS + index);
        outcomes.set(meanwhile, (outcomes.get(meanwhile) ?? 0) + 1);
      });
    }
    console.log("while it was suspended:", Object.fromEntries(outcomes));
    expect(outcomes.get("queued") ?? 0, "suspended in time, at least once").toBeGreaterThan(0);
    expect(readdirSync(canaries)).toEqual([]);
  }, 240_000);

  it("would have it typed there by the gate alone, so the check is what keeps it out", async () => {
    const fooled: string[] = [];
    await byShell(async (desk) => {
      if (await typedWithoutTheCheck(desk)) fooled.push(desk.name);
    });
    console.log(`control arm, without the check: typed in ${fooled.length} of ${desks.length}`);
    expect(fooled.toSorted()).toEqual(desks.map(({ name }) => name).toSorted());
  }, 240_000);
});

/** A few at a time: deliveries that compete for two cores could not be aimed at. */
async function byShell(work: (desk: SuspendDesk, deskIndex: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < desks.length; from += FRONTS.length)
    await Promise.all(desks.slice(from, from + FRONTS.length).map((desk, index) => work(desk, from + index)));
}

/** The look and the gate of this release, less where the agent stands. */
async function typedWithoutTheCheck(desk: SuspendDesk): Promise<boolean> {
  const pid = await desk.startAgent();
  const terminal = await terminalOf(desk);
  await desk.stop(pid, "key", 0);
  const endFront = await desk.putInFront();
  const outcome = await terminal.read();
  if (outcome.kind !== "screen") throw new Error(`${desk.name} cannot be read`);
  const { command, alternate, cursor } = outcome.screen;
  const { panePid } = terminal;
  const mark = `typed-${desk.name}`;
  const sent = await terminal.gate({ panePid, command, alternate, cursor }, [
    { kind: "paste", text: mark, bracketed: false },
  ]);
  const isThere = async () => (await desk.takenInFront()).includes(mark);
  if (sent.kind === "sent") await until(isThere, `the text in ${desk.name}`);
  await tmux.run("send-keys", "-t", desk.pane, "C-u");
  await endFront();
  await desk.bringBack();
  await desk.endAgent(pid);
  return sent.kind === "sent";
}

async function terminalOf(desk: SuspendDesk): Promise<Terminal & { readonly panePid: number }> {
  const scan = await unchecked.scan();
  const found = scan.kind === "scanned" ? scan.sightings : [];
  const identity = found.find((sighting) => sighting.identity.pane === desk.pane)?.identity;
  if (identity === undefined) throw new Error(`${desk.name} was not found: ${JSON.stringify(scan)}`);
  const terminal = unchecked.terminal(identity);
  return {
    ref: terminal.ref,
    panePid: identity.panePid,
    read: (above) => terminal.read(above),
    gate: (expectation, strokes) => terminal.gate(expectation, strokes),
    onChange: (listener) => terminal.onChange(listener),
    announce: (text) => terminal.announce(text),
  };
}
