/** A program that shows no trace of what it was given, in tmux and hosted: nothing proves a message, and none is typed twice. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

/** Longer than it takes to notice that a program has left, which is when it would be typed again. */
const EVIDENCE_SECONDS = 3;

let tmux: TmuxServer;
let bellhop: Bellhop;

beforeEach(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }
delivery: { evidence_timeout: ${EVIDENCE_SECONDS} }
${SCRIPTED_PROFILE}`,
  });
  await bellhop.start();
});
afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

it.each(["tmux", "hosted"])("gets each message once, unconfirmed, and stays, in %s", async (place) => {
  const flags = ["--silent"];
  const agent =
    place === "tmux"
      ? await startScriptedAgent({ tmux, name: "coder", flags })
      : await startHostedAgent(bellhop, "coder", flags);
  const listed = async () => (await bellhop.ask("ls", {})).sessions;
  await until(async () => (await listed())[0]?.readiness === "idle", "the agent to be idle");
  const [before] = await listed();
  // A message that is typed again would come before later ones.
  for (const body of ["first", "second"]) {
    const { messageId } = await bellhop.json<{ readonly messageId: string }>(["send", "coder", body]);
    const state = async () => {
      const { deliveries } = await bellhop.ask("show", { id: messageId });
      return deliveries[0]?.state;
    };
    await until(
      async () => !["queued", "delivering"].includes((await state()) ?? ""),
      `${body} to be settled`,
    );
    expect(await state()).toBe("unconfirmed");
  }
  expect(agent.prompts().map((prompt) => /\] (\w+)/.exec(prompt)?.[1])).toEqual(["first", "second"]);
  expect((await listed()).map(({ id }) => id)).toEqual([before?.id]);
  expect(bellhop.log()).not.toContain("session.exited");
});
