/** Where nothing can get in, the person is told: with the built daemon, real tmux and a real hosted terminal. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AttachedPerson, sitDown } from "../rig/attached-person.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const SIZE = { cols: 120, rows: 24 };

let tmux: TmuxServer;
let bellhop: Bellhop;
const people: AttachedPerson[] = [];

beforeEach(async () => {
  tmux = startTmuxServer();
  const config = `tmux: { servers: ["${tmux.socket}"] }\ntransports: { scripted: [doorbell] }\n${SCRIPTED_PROFILE}`;
  bellhop = new Bellhop({ config, env: { TMUX_TMPDIR: tmux.folder } });
  await bellhop.start();
});

afterEach(async () => {
  for (const person of people.splice(0)) person.close();
  await tmux.kill();
  await bellhop.dispose();
});

async function send(to: string): Promise<string> {
  const { stdout, stderr } = await bellhop.run(["send", to, "hello", "--json"]);
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as { messageId: string }).messageId;
}

async function deliveryOf(id: string) {
  const [delivery] = (await bellhop.ask("show", { id })).deliveries;
  return delivery;
}

async function isThere(agent: string): Promise<void> {
  const listed = async () => (await bellhop.ask("ls", {})).sessions.some((one) => one.agent === agent);
  await until(listed, () => `${agent} to be there`);
}

it("shows it to the person at the agent's tmux window; taking it delivers it, and the agent gets no key", async () => {
  const agent = await startScriptedAgent({ tmux, name: "coder" });
  const attach = ["tmux", "-S", tmux.socket, "attach", "-t", agent.pane];
  const person = new AttachedPerson(attach, SIZE, bellhop.env, join(bellhop.home, "settings"));
  people.push(person);
  await isThere("coder");
  await person.sees("coder is ready.");
  const id = await send("coder");
  await person.sees("[bellhop] A message waits and no way in is open. Take it: bellhop inbox coder --take");
  expect(await deliveryOf(id)).toMatchObject({
    state: "queued",
    hold: { reason: "unknown" },
    receipts: [{ state: "queued" }, { state: "queued", transport: "doorbell" }],
  });
  const explained = await bellhop.run(["explain", id]);
  expect(explained.stdout).toContain("To take it: bellhop inbox coder --take");
  const taken = await bellhop.run(["inbox", "coder", "--take"]);
  expect(taken.stdout).toContain("hello");
  expect(await deliveryOf(id)).toMatchObject({ state: "delivered", transport: "receive" });
  expect(agent.prompts()).toEqual([]);
});

it("shows it to the person attached to a hosted program that nobody has taught Bellhop", async () => {
  const started = await bellhop.run([
    "run",
    "--name",
    "strange",
    "--detach",
    "--",
    "sh",
    "-c",
    "echo ready; exec cat",
  ]);
  expect(started.stderr).not.toContain("error");
  const person = sitDown(bellhop, "strange", SIZE);
  people.push(person);
  await person.sees("ready");
  const id = await send("strange");
  await person.sees("A message waits and no way in is open. Take it: bellhop inbox strange --take");
  expect(await deliveryOf(id)).toMatchObject({ state: "queued", hold: { reason: "unknown" } });
  expect(person.text()).not.toContain("hello");
});
