import { afterAll, describe, expect, it } from "vitest";
import { STEPS, type Step } from "../../src/office/steps.ts";
import { attachTypist } from "../rig/typist.ts";
import { CrashScene, death, type Sent } from "./crash-rig.ts";
import { NATIVE_STEPS } from "./native-steps.ts";

const DRAFT = "a thought that is not sent yet";

const visited = new Set<Step>(NATIVE_STEPS);

const oneMessage = (step: Step): Sent => ({
  key: `key-${step}`,
  body: `message for ${step}`,
  to: "agent/coder",
});

/** What makes a daemon come by this step. */
async function provoke(scene: CrashScene, step: Step): Promise<void> {
  if (step.startsWith("hook.")) {
    const client = await scene.bellhop.client();
    const pane = scene.agents[0]?.pane ?? "";
    await client
      .call("hook_event", {
        eventName: "Stop",
        program: "scripted",
        emittedAt: Date.now(),
        payload: { hook_event_name: "Stop", session_id: "s-1" },
        environment: { TMUX: `${scene.tmux.socket},1,0`, TMUX_PANE: pane },
      })
      .catch(() => undefined);
    return;
  }
  await scene.send(undefined, oneMessage(step));
}

describe("SIGKILL at every step of accept and delivery", () => {
  for (const step of STEPS.filter((one) => !NATIVE_STEPS.includes(one))) {
    it(`${step}: loses nothing`, async () => {
      const scene = await CrashScene.open({ agents: ["coder"] });
      try {
        const typist = step.startsWith("draft.")
          ? await attachTypist({ tmux: scene.tmux, pane: "coder", cols: 90, rows: 30 })
          : undefined;
        const doomed = await scene.startDoomed(step);
        await typist?.type(DRAFT);
        const provoked = provoke(scene, step);
        await death(doomed, `the daemon never came by ${step}`);
        visited.add(step);
        await provoked;
        await scene.bellhop.start();
        const { duplicates } = await scene.verify();
        expect(duplicates).toBeLessThanOrEqual(1);
        if (typist !== undefined) {
          await scene.tmux.waitForScreen(scene.agents[0]?.pane ?? "", (screen) =>
            screen.includes(`> ${DRAFT}`),
          );
          await typist.close();
        }
      } finally {
        await scene.close();
      }
    });
  }

  afterAll(() => {
    expect([...visited].toSorted()).toEqual([...STEPS].toSorted());
  });
});
