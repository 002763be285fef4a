import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WallClock } from "../rig/faketime.ts";
import { until } from "../rig/scripted-agent.ts";
import { MailboxScene, TAKER } from "./mailbox-rig.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The kernel counts time that passes in hundredths of a second, and a jump is measured by two of its counts. */
const COARSE_MS = 20;

async function inScene(body: (scene: MailboxScene, clock: WallClock) => Promise<void>): Promise<void> {
  const clock = new WallClock();
  const scene = await MailboxScene.open(clock.env);
  try {
    await body(scene, clock);
  } finally {
    await scene.close();
    clock.remove();
  }
}

describe.concurrent("a clock that is set while reminders and timeouts wait", () => {
  it.each([
    ["forward by an hour, none comes early", HOUR],
    ["back by an hour, none comes an hour late", -HOUR],
  ])("%s: a delay counts time that passes", (_, aheadMs) =>
    inScene(async (scene, clock) => {
      const later = await scene.send("for five minutes", { timeoutMs: 5 * MINUTE });
      await scene.remind("in five minutes", { afterMs: 5 * MINUTE });
      const reminder = await scene.remind("in three seconds", { afterMs: 3 * SECOND });
      const before = Date.now();
      const sent = await scene.send("for three seconds", { timeoutMs: 3 * SECOND });
      clock.set(aheadMs);
      const afterwards = await scene.remind("set afterwards", { afterMs: SECOND });
      const [first, second, expiredAt] = await Promise.all([
        scene.comes("set afterwards"),
        scene.comes("in three seconds"),
        scene.expires(sent),
      ]);
      expect(first.createdAt).toBeGreaterThanOrEqual(afterwards.dueAt);
      expect(clock.real(second.createdAt)).toBeGreaterThanOrEqual(reminder.dueAt - COARSE_MS);
      expect(clock.real(expiredAt)).toBeGreaterThanOrEqual(before + 3 * SECOND - COARSE_MS);
      await scene.swept();
      expect(await scene.came("in three seconds")).toHaveLength(1);
      expect(await scene.came("set afterwards")).toHaveLength(1);
      expect(await scene.expiries(sent)).toHaveLength(1);
      expect(await scene.expiries(later)).toEqual([]);
      expect(await scene.waiting()).toEqual(["in five minutes"]);
    }),
  );

  it("a time of day is what the wall clock says, and comes once", () =>
    inScene(async (scene, clock) => {
      const at = clock.now() + HOUR;
      await scene.remind("at this time", { at });
      const soon = clock.now() + SECOND;
      await scene.remind("put off", { at: soon });
      clock.set(-HOUR);
      await until(() => clock.now() + HOUR > soon + SECOND, "what would have been its time");
      await scene.swept();
      expect(await scene.waiting()).toEqual(["put off", "at this time"]);
      clock.set(HOUR);
      await scene.swept();
      const late = await scene.comes("put off");
      const due = await scene.comes("at this time");
      expect(late.createdAt).toBeGreaterThanOrEqual(soon);
      expect(due.createdAt).toBeGreaterThanOrEqual(at);
      for (const aheadMs of [0, HOUR, 2 * HOUR, -HOUR]) {
        clock.set(aheadMs);
        await scene.swept();
      }
      expect(await scene.came("put off")).toHaveLength(1);
      expect(await scene.came("at this time")).toHaveLength(1);
    }));

  it("a cron line comes once for all that the clock jumped over, and not again when it is set back", () =>
    inScene(async (scene, clock) => {
      // Half an hour from now, so that none fires by itself during the test.
      const minute = new Date(clock.now() + 30 * MINUTE).getMinutes();
      const first = await scene.remind("hourly", { cron: `${minute} * * * *`, to: await scene.taker() });
      expect(await scene.came("hourly", TAKER)).toEqual([]);
      clock.set(5 * HOUR);
      await scene.swept();
      const came = await scene.comes("hourly", TAKER);
      await scene.takeAll();
      expect(came.createdAt).toBeGreaterThanOrEqual(first.dueAt);
      const [second] = (await scene.client.call("reminders", {})).reminders;
      expect(second?.dueAt).toBeGreaterThan(came.createdAt);
      expect(second?.dueAt).toBeLessThanOrEqual(came.createdAt + HOUR);
      clock.set(4 * HOUR);
      await scene.swept();
      await scene.restart();
      await scene.swept();
      expect(await scene.came("hourly", TAKER)).toHaveLength(1);
      clock.set(6 * HOUR);
      await scene.restart();
      await scene.swept();
      await until(async () => (await scene.came("hourly", TAKER)).length === 2, "the next one");
    }));

  it("60 days ahead does not come now, nor keep the daemon busy; after 61 days it comes once", () =>
    inScene(async (scene, clock) => {
      const restartAt = async (aheadMs: number) => {
        await scene.stop();
        clock.set(aheadMs);
        await scene.start();
        await scene.swept();
      };
      const reminder = await scene.remind("in sixty days", { afterMs: 60 * DAY });
      await scene.remind("at that time", { at: clock.now() + 60 * DAY });
      const sent = await scene.send("for sixty days", { timeoutMs: 60 * DAY });
      const workedMs = scene.cpuMs();
      await sleep(SECOND);
      expect(scene.cpuMs() - workedMs).toBeLessThan(SECOND / 5);
      await scene.swept();
      expect(await scene.waiting()).toEqual(["in sixty days", "at that time"]);

      await restartAt(59 * DAY);
      expect(await scene.waiting()).toEqual(["in sixty days", "at that time"]);
      expect(await scene.expiries(sent)).toEqual([]);

      await restartAt(61 * DAY);
      const came = await scene.comes("in sixty days");
      expect(came.createdAt).toBeGreaterThanOrEqual(reminder.dueAt);
      await scene.comes("at that time");
      await scene.expires(sent);
      for (const aheadMs of [61 * DAY, 0, 130 * DAY]) await restartAt(aheadMs);
      expect(await scene.came("in sixty days")).toHaveLength(1);
      expect(await scene.came("at that time")).toHaveLength(1);
      expect(await scene.expiries(sent)).toHaveLength(1);
    }));
});
