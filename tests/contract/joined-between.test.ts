/** A message is typed and submitted in two steps, and something happens at its terminal in between. */
import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SendResponse, ShownDelivery, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

/** Long enough that what a test does falls between text and Enter, also on a busy machine. */
const IN_TWO_STEPS = SCRIPTED_PROFILE.replace(
  "  - name: scripted\n",
  "  - name: scripted\n    submit_delay_ms: 2000\n",
).replace("enter-csi-u", "Enter");
const BODY = "look at the door";

let tmux: TmuxServer;
let bellhop: Bellhop;

beforeAll(async () => {
  tmux = startTmuxServer();
  const config = `tmux: { servers: ["${tmux.socket}"] }\ndelivery: { evidence_timeout: 3 }\n${IN_TWO_STEPS}`;
  bellhop = new Bellhop({ config, env: { TMUX_TMPDIR: tmux.folder } });
  await bellhop.start();
});
afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

async function seated(name: string): Promise<ScriptedAgent> {
  const agent = await startScriptedAgent({ tmux, name, cols: 100, rows: 24 });
  const isIdle = async () =>
    (await bellhop.json<readonly ListedSession[]>(["ls"])).some(
      (session) => session.agent === name && session.readiness === "idle",
    );
  await until(isIdle, `${name} to be idle`);
  return agent;
}

/** What became of a message to it, after `act` was done as soon as its composer showed the text. */
async function deliveryDuring(agent: ScriptedAgent, act: () => Promise<unknown>): Promise<ShownDelivery> {
  const { messageId, shortId } = await bellhop.json<SendResponse>(["send", agent.name, BODY]);
  await tmux.waitForScreen(agent.pane, (screen) => screen.includes(`#${shortId}]`));
  expect(agent.prompts()).toEqual([]);
  await act();
  let found: ShownDelivery | undefined;
  const isOver = async () => {
    [found] = (await bellhop.json<ShowResponse>(["show", messageId])).deliveries;
    return found !== undefined && !["queued", "delivering"].includes(found.state);
  };
  await until(isOver, () => `the message to be settled: ${JSON.stringify(found)}`);
  if (found === undefined) throw new Error("it has no delivery");
  return found;
}

/** As a person's window or a connection of Bellhop's: tmux calls this an activity of the session, as it does a key. */
async function join(agent: ScriptedAgent): Promise<void> {
  const client = execFile("tmux", ["-S", tmux.socket, "-C", "attach-session", "-r", "-t", agent.name]);
  const isThere = async () => (await tmux.run("list-clients", "-t", agent.name)).includes(agent.name);
  await until(isThere, "the client to be attached");
  client.kill();
}

describe("a message in two steps", () => {
  it("is submitted after a silence when a client joins its terminal in between", async () => {
    const agent = await seated("joined");
    const delivery = await deliveryDuring(agent, () => join(agent));
    expect(delivery, JSON.stringify(delivery)).toMatchObject({ state: "delivered", attempts: 1 });
    expect(agent.prompts().join("\n").split(BODY)).toHaveLength(2);
  });

  it("stays in the composer, and is said to, when somebody types behind it", async () => {
    const agent = await seated("typed-behind");
    const delivery = await deliveryDuring(agent, () =>
      tmux.run("send-keys", "-t", agent.pane, "-l", "and I"),
    );
    expect(delivery.state).toBe("unconfirmed");
    expect(JSON.stringify(delivery.receipts)).toContain("left in the composer");
    expect(agent.prompts()).toEqual([]);
  });
});
