import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { CrashScene, claims, person } from "./crash-rig.ts";
import { MailboxScene, TAKER } from "./mailbox-rig.ts";

const KILLS = 20;
const LANES = ["even", "odd"];
const DELAY_MS = 300;
const EARLIEST_MS = -20;
const LATEST_MS = 60;

const passes = (instant: number) => sleep(Math.max(0, instant - Date.now()));

/** Before the due time, in it, while it is written down and after; the same in every run. */
const offsetMs = (kill: number): number =>
  EARLIEST_MS + ((kill * 7) % KILLS) * ((LATEST_MS - EARLIEST_MS) / KILLS);

describe.concurrent("a daemon that cannot act when something is due", () => {
  it.each(LANES)("SIGKILL around the due time, again and again (%s): each comes once", async (lane) => {
    const scene = await MailboxScene.open();
    try {
      const repeating = await scene.remind("again and again", { everyMs: 1_000, to: await scene.taker() });
      const rounds = [];
      for (let kill = LANES.indexOf(lane); kill < KILLS; kill += LANES.length) {
        const name = `round ${kill}.`;
        const [reminder, sent] = await Promise.all([
          scene.remind(`remember ${name}`, { afterMs: DELAY_MS }),
          scene.send(`short-lived ${name}`, { timeoutMs: DELAY_MS, notifyOnDelivery: true }),
        ]);
        rounds.push({ name, reminder, sent });
        await passes(reminder.dueAt + offsetMs(kill));
        await scene.stop("SIGKILL");
        await scene.start();
        await scene.takeAll();
      }
      await scene.swept();
      for (const { name, reminder, sent } of rounds) {
        const { createdAt } = await scene.comes(`remember ${name}`);
        expect(createdAt).toBeGreaterThanOrEqual(reminder.dueAt);
        expect(await scene.came(`remember ${name}`)).toHaveLength(1);
        const { deliveries } = await scene.client.call("show", { id: sent.messageId });
        const timeoutAt = deliveries[0]?.timeoutAt ?? Number.NaN;
        expect(await scene.expires(sent)).toBeGreaterThanOrEqual(timeoutAt);
        expect(await scene.expiries(sent)).toHaveLength(1);
        await scene.comes(`Original: "short-lived ${name}"`, person);
        expect(await scene.came(`Original: "short-lived ${name}"`, person)).toHaveLength(1);
      }
      const { fired } = await scene.client.call("reminder_cancel", { id: repeating.id });
      expect(fired).toBeGreaterThan(1);
      expect(await scene.came("again and again", TAKER)).toHaveLength(fired);
    } finally {
      await scene.close();
    }
  });

  it("SIGSTOP past the due time: each comes once, late, and what repeats does not make up for it", async () => {
    const scene = await MailboxScene.open();
    try {
      await scene.remind("every second", { everyMs: 1_000, to: await scene.taker() });
      const reminder = await scene.remind("while nobody looked", { afterMs: 1_000 });
      const sent = await scene.send("short-lived", { timeoutMs: 1_000, notifyOnDelivery: true });
      scene.daemon?.kill("SIGSTOP");
      await passes(reminder.dueAt + 4_000);
      const woken = Date.now();
      scene.daemon?.kill("SIGCONT");
      expect((await scene.comes("while nobody looked")).createdAt).toBeGreaterThanOrEqual(woken);
      expect(await scene.expires(sent)).toBeGreaterThanOrEqual(woken);
      await scene.comes('Original: "short-lived"', person);
      await until(async () => {
        await scene.takeAll();
        return (await scene.came("every second", TAKER)).length >= 3;
      }, "three more seconds");
      const soonAfter = (await scene.came("every second", TAKER)).filter(
        ({ createdAt }) => createdAt < woken + 1_000,
      );
      expect(soonAfter.length).toBeLessThanOrEqual(2);
      expect(await scene.came("while nobody looked")).toHaveLength(1);
      expect(await scene.expiries(sent)).toHaveLength(1);
      expect(await scene.came('Original: "short-lived"', person)).toHaveLength(1);
    } finally {
      await scene.close();
    }
  });

  it("SIGSTOP past a timeout, and the agent is free again: the message is dropped, never typed", async () => {
    const scene = await CrashScene.open({ agents: ["coder"] });
    try {
      const daemon = await scene.bellhop.start();
      const client = await scene.bellhop.client();
      const prompts = () => scene.agents.flatMap((agent) => agent.prompts());
      const work = await client.call("send", { to: "coder", body: "work [[busy 2]]", claims });
      await until(
        () => prompts().some((prompt) => prompt.includes(`#${work.shortId}]`)),
        "the work to begin",
      );
      const sent = await client.call("send", { to: "coder", body: "now or never", timeoutMs: 1_000, claims });
      await client.call("verdict", { id: sent.messageId, timeoutMs: 10_000 });
      daemon.kill("SIGSTOP");
      await passes(Date.now() + 2_500);
      daemon.kill("SIGCONT");
      const { state } = await client.call("wait", {
        id: sent.messageId,
        state: "delivered",
        timeoutMs: 20_000,
      });
      expect(state).toBe("expired");
      const next = await client.call("send", { to: "coder", body: "and go on", claims });
      await client.call("wait", { id: next.messageId, state: "delivered", timeoutMs: 20_000 });
      expect(prompts().join("\n")).not.toContain("now or never");
    } finally {
      await scene.close();
    }
  });
});
