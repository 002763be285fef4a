/** What every test needs that gives Claude Code its messages by paste only. */
import { expect } from "vitest";
import type { RunningAgent } from "../rig/running-agent.ts";
import { PATIENCE_MS, type Stage } from "./claude-stage.ts";

export const PASTE_CONFIG = `
transports: [paste]
delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }
`;

/** Its screen has just become still: the hook for the end may still be in flight, and nothing is left to stop. */
export async function urgentBehindTurns(stage: Stage, coder: RunningAgent): Promise<void> {
  const before = stage.bellhop.log().length;
  for (const round of [1, 2, 3]) {
    const turn = await stage.send("coder", `a short one [[say answer number ${round}]]`);
    await stage.arrives(turn);
    await coder.terminal.waitForScreen((seen) => isAtRest(seen, `answer number ${round}`), {
      timeoutMs: PATIENCE_MS,
    });
    const urgent = await stage.send("coder", `urgent behind ${round}`, { priority: "interrupt" });
    await stage.arrives(urgent);
    await stage.reaches(urgent, "delivered");
    expect((await stage.delivery(urgent)).interrupted).toBeUndefined();
    expect(await coder.terminal.screen()).not.toMatch(/Rewind|esc again/iu);
    await stage.untilIdle("coder");
  }
  expect(stage.bellhop.log().slice(before)).not.toContain("interrupt.pressed");
}

function isAtRest(screen: string, answer: string): boolean {
  return screen.includes(`● ${answer}`) && !/esc to interrupt|^[·✢✳✶✻✽] \S+…/mu.test(screen);
}
