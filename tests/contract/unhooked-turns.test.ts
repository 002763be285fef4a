/** Programs without hooks, in tmux and hosted: a message is read when Bellhop has seen its turn begin and end. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;

beforeEach(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}` });
  await bellhop.start();
});
afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

it.each(["tmux", "hosted"])("says so of a turn that it saw, in %s", async (place) => {
  if (place === "tmux") await startScriptedAgent({ tmux, name: "coder" });
  else await startHostedAgent(bellhop, "coder");
  await until(async () => (await bellhop.ask("ls", {})).sessions.length === 1, "the agent to be found");
  const words = ["send", "coder", "think [[busy 3]]", "--wait", "read", "--wait-timeout", "60s"];
  const { messageId } = await bellhop.json<{ readonly messageId: string }>(words);
  const shown = await bellhop.json<ShowResponse>(["show", messageId]);
  expect(shown.deliveries[0]).toMatchObject({ state: "read", evidence: "screen" });
  expect(shown.deliveries[0]?.receipts.at(-1)).toMatchObject({
    state: "read",
    evidence: "screen",
    note: "the agent has ended its turn, as its screen shows",
  });
});
