/**
 * A taught program that asks something, and one that ends when it gets a prompt, in real tmux and hosted. They run at the
 * same time, because they mostly wait.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ShownDelivery, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const SIZE = { cols: 100, rows: 24 };
const PLACES = ["tmux", "hosted"] as const;
const PATIENCE_MS = 180_000;

let tmux: TmuxServer;
let bellhop: Bellhop;

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n${SCRIPTED_PROFILE}`,
    env: { HOME: join(tmux.folder, "home"), TMUX_TMPDIR: tmux.folder },
  });
  await bellhop.start();
  mkdirSync(join(tmux.folder, "home", ".claude"), { recursive: true });
  // For the hook script: a taught program runs the same one.
  const installed = await bellhop.run(["hooks", "install", "claude", "--yes"]);
  if (installed.code !== 0) throw new Error(installed.stderr);
});
afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

const waited = (question: () => Promise<boolean>, what: string) => until(question, what, PATIENCE_MS);

async function listed(name: string): Promise<ListedSession | undefined> {
  const sessions = await bellhop.json<readonly ListedSession[]>(["ls"]);
  return sessions.find(({ agent }) => agent === name);
}

/** An idle agent, and a person at its keyboard. */
async function seated(name: string, place: (typeof PLACES)[number], flags: readonly string[] = []) {
  const agent =
    place === "tmux"
      ? await startScriptedAgent({ tmux, name, flags, ...SIZE })
      : await startHostedAgent(bellhop, name, flags);
  await waited(async () => (await listed(name))?.readiness === "idle", `${name} to be idle`);
  const press = async (key: string): Promise<void> => {
    if ("pane" in agent) return void (await tmux.run("send-keys", "-t", agent.pane, key));
    const viewer = await agent.attach(SIZE);
    viewer.press(key);
    await waited(async () => agent.log().some(({ answered }) => answered === key), "the key to arrive");
    viewer.close();
  };
  /** How often each of these texts was submitted. */
  const copies = (...bodies: readonly string[]) =>
    bodies.map((body) => agent.prompts().join("\n").split(body).length - 1);
  const keys = () => agent.log().flatMap(({ answered, escaped }) => answered ?? escaped ?? []);
  return { name, press, copies, keys };
}

async function send(name: string, ...words: readonly string[]): Promise<() => Promise<ShownDelivery>> {
  const { messageId } = await bellhop.json<{ readonly messageId: string }>(["send", name, ...words]);
  return async () => {
    const [found] = (await bellhop.json<ShowResponse>(["show", messageId])).deliveries;
    if (found === undefined) throw new Error(`${messageId} has no delivery`);
    return found;
  };
}

describe.concurrent.each(PLACES)("in %s", (place) => {
  it("has nothing typed while its dialog shows, says blocked, and gets all of it once afterwards", async () => {
    const agent = await seated(`asks-${place}`, place);
    const asking = await send(agent.name, "may I [[ask 0.3]]");
    await waited(async () => (await asking()).state === "delivered", "its turn");
    await waited(async () => (await listed(agent.name))?.readiness === "blocked", "its dialog");
    const waiting = [
      await send(agent.name, "a normal one"),
      await send(agent.name, "an urgent one", "--urgent"),
    ];
    for (const delivery of waiting)
      await waited(async () => (await delivery()).hold?.reason === "blocked", "a hold");
    // Neither a key nor a text, because it would be the answer.
    expect(agent.keys()).toEqual([]);
    await agent.press("y");
    for (const delivery of waiting)
      await waited(async () => (await delivery()).state === "delivered", "its delivery");
    expect(agent.copies("may I", "a normal one", "an urgent one")).toEqual([1, 1, 1]);
    expect(agent.keys()).toEqual(["y"]);
    for (const delivery of waiting) expect(await delivery()).toMatchObject({ attempts: 1 });
  });

  // Silent, because a program that shows its prompt, even for a moment before it ends, may be seen doing so.
  it("has what it ended with once, and nobody claims that it was delivered", async () => {
    const agent = await seated(`ends-${place}`, place, ["--silent"]);
    const last = await send(agent.name, "the last one [[exit]]");
    await waited(async () => (await listed(agent.name)) === undefined, "the session to end");
    await waited(async () => (await last()).state !== "delivering", "its settlement");
    expect(await last()).toMatchObject({
      state: "queued",
      possibleDuplicate: true,
      hold: { reason: "offline" },
    });
    expect((await last()).receipts.at(-1)?.note).toContain("ended before anything proved that it arrived");
    expect(agent.copies("the last one")).toEqual([1]);
  });

  it("is unconfirmed of what it ended with, where that must not come twice", async () => {
    const agent = await seated(`ends-once-${place}`, place, ["--silent"]);
    const last = await send(agent.name, "the last one [[exit]]", "--at-most-once");
    const isSettled = async () => !["queued", "delivering"].includes((await last()).state);
    await waited(isSettled, "its settlement");
    expect(await last()).toMatchObject({ state: "unconfirmed", attempts: 1 });
    expect(agent.copies("the last one")).toEqual([1]);
  });

  it("has it delivered where its hook told so before it ended", async () => {
    const script = join(bellhop.home, "hooks", "bellhop-hook");
    const flags = ["--silent", "--hook", script, "--linger", "700"];
    const agent = await seated(`tells-${place}`, place, flags);
    const last = await send(agent.name, "the last one [[exit]]");
    await waited(async () => (await listed(agent.name)) === undefined, "the session to end");
    await waited(async () => (await last()).state !== "delivering", "its settlement");
    expect(await last()).toMatchObject({ state: "delivered", evidence: "submitted", attempts: 1 });
    expect(agent.copies("the last one")).toEqual([1]);
  });
});
