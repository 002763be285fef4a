import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { death } from "../crash/crash-rig.ts";
import { NATIVE_STEPS } from "../crash/native-steps.ts";
import { PLACES } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { SCRIPTED_PROFILE, startScriptedAgent } from "../rig/scripted-agent.ts";
import { PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("SIGKILL at every step of a hand-over to Claude Code's own inbox, in %s", (where) => {
  let stage: Stage;
  let reviewerId: string;

  beforeAll(async () => {
    stage = await Stage.set({ config: `${SCRIPTED_PROFILE}delivery: { input_poll_interval: 0.5 }`, where });
    await startScriptedAgent({ tmux: stage.tmux, name: "reviewer" });
    await stage.enter("coder");
    reviewerId = (await stage.session("reviewer"))?.id ?? "";
    // Before its first turn Claude Code has no session file, and nobody can prove that something did not arrive.
    await stage.reaches(await stage.send("coder", "the first turn"), "delivered");
    await stage.untilIdle("coder");
  });
  afterAll(() => stage?.strike());

  for (const step of NATIVE_STEPS) {
    it(`${step}: the message arrives once`, async () => {
      const { bellhop, model } = stage;
      await bellhop.stop();
      const doomed = await bellhop.start({ BELLHOP_TEST_CRASH_AT: step });
      const client = await bellhop.client();
      const sent = await client.call("send", {
        to: "coder",
        body: `at ${step}`,
        claims: { user: PERSON, session: reviewerId },
      });
      await death(doomed, `the daemon never came by ${step}`);
      await bellhop.start();
      const again = await bellhop.client();
      await again.call(
        "wait",
        { id: sent.messageId, state: "delivered", timeoutMs: 180_000 },
        { timeoutMs: 190_000 },
      );
      await stage.arrives(sent);
      const copies = model.prompts().filter((prompt) => prompt.includes(`#${sent.shortId}]`));
      const { deliveries } = await again.call("show", { id: sent.messageId });
      expect(copies, JSON.stringify(deliveries)).toHaveLength(1);
      expect(deliveries[0]?.possibleDuplicate).toBeUndefined();
    });
  }
});
