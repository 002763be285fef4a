import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CrashScene, death } from "./crash-rig.ts";

const LANES = 5;
const KILLS_PER_LANE = 40;
const AGENTS = ["red", "green", "blue"];

/** Spread over accept, delivery and the wait for evidence; the same in every run. */
const lifetimeMs = (kill: number): number => 100 + ((kill * 7919) % 2900);

async function lane(number: number): Promise<{ readonly sent: number; readonly duplicates: number }> {
  const scene = await CrashScene.open({ agents: AGENTS });
  try {
    for (let kill = 0; kill < KILLS_PER_LANE; kill += 1) {
      const daemon = await scene.bellhop.start();
      const until = performance.now() + lifetimeMs(number * KILLS_PER_LANE + kill);
      let count = 0;
      while (performance.now() < until) {
        const key = `${number}-${kill}-${count}`;
        await scene.send(undefined, {
          key,
          body: `load ${key}`,
          to: `agent/${AGENTS[count % AGENTS.length]}`,
        });
        count += 1;
        await sleep(Math.min(150, Math.max(0, until - performance.now())));
      }
      daemon.kill("SIGKILL");
      await death(daemon, "killed");
    }
    await scene.bellhop.start();
    const { duplicates } = await scene.verify();
    return { sent: scene.sent.length, duplicates };
  } finally {
    await scene.close();
  }
}

describe("SIGKILL at any moment under load", () => {
  it(`loses nothing in ${LANES * KILLS_PER_LANE} kills, and marks every second copy`, async () => {
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    const sent = lanes.reduce((sum, { sent }) => sum + sent, 0);
    const duplicates = lanes.reduce((sum, { duplicates }) => sum + duplicates, 0);
    console.log(
      `${sent} messages over ${LANES * KILLS_PER_LANE} kills; ${duplicates} second copies, each marked`,
    );
    expect(sent).toBeGreaterThan(LANES * KILLS_PER_LANE);
  }, 900_000);
});
