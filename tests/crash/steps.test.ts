import { afterAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { STEPS, type Step } from "../../src/office/base/steps.ts";
import { until } from "../rig/scripted-agent.ts";
import { CLUSTER_STEPS } from "./cluster-steps.ts";
import { CrashScene, cameFor, claims, death, everythingCame, person, type Sent } from "./crash-rig.ts";
import { HOOK_ANSWER_STEPS } from "./hook-answer-steps.ts";
import { NATIVE_STEPS } from "./native-steps.ts";
import { OUTSIDE_STEPS } from "./outside-steps.ts";
import { TURN_STEPS } from "./turn-steps.ts";

const DRAFT = "a thought that is not sent yet";

/** Timed events, and notices to a sender. */
const isLater = (step: Step): boolean => /^(?:expiry|timer|notice)\./u.test(step);

/** They are visited elsewhere. */
const ELSEWHERE: readonly Step[] = [
  ...[...NATIVE_STEPS, ...HOOK_ANSWER_STEPS, ...OUTSIDE_STEPS, ...TURN_STEPS],
  ...CLUSTER_STEPS,
];
const visited = new Set<Step>(ELSEWHERE);

const oneMessage = (step: Step): Sent => ({
  key: `key-${step}`,
  body: `message for ${step}`,
  to: "agent/coder",
});

/** What makes a daemon reach this step. */
async function provoke(scene: CrashScene, step: Step): Promise<void> {
  if (step.startsWith("hook.")) {
    const client = await scene.bellhop.client();
    await client
      .call("hook_event", {
        eventName: "Stop",
        program: "scripted",
        emittedAt: Date.now(),
        payload: { hook_event_name: "Stop", session_id: "s-1" },
        environment: scene.agents[0]?.environment ?? {},
      })
      .catch(() => undefined);
    return;
  }
  await scene.send(undefined, oneMessage(step));
}

describe.each(["tmux", "hosted"] as const)("SIGKILL at every step of accept and delivery (%s)", (place) => {
  for (const step of STEPS.filter((one) => !ELSEWHERE.includes(one) && !isLater(one))) {
    it(`${step}: loses nothing`, async () => {
      const scene = await CrashScene.open({ agents: ["coder"], place });
      try {
        const typist = step.startsWith("draft.") ? await scene.agents[0]?.sit() : undefined;
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
          const client = await scene.bellhop.client();
          const screen = async () => (await client.call("peek", { who: "coder" })).screen;
          await until(async () => (await screen()).includes(`> ${DRAFT}`), "the draft to stand there again");
          await typist.close();
        }
      } finally {
        await scene.close();
      }
    });
  }
});

type Later = "expiry" | "reminder" | "notices";

/** Where to kill, and at which visit: Bellhop's own messages go through accept too, after the one that causes them. */
const LATER: readonly (readonly [what: Later, step: Step, visit: number])[] = [
  ["expiry", "expiry.due", 1],
  ["expiry", "expiry.recorded", 1],
  ["expiry", "accept.committed", 2],
  ["reminder", "timer.due", 1],
  ["reminder", "accept.in-transaction", 1],
  ["reminder", "accept.committed", 1],
  ["reminder", "timer.fired", 1],
  ["notices", "notice.owed", 1],
  ["notices", "accept.committed", 2],
  ["notices", "notice.told", 1],
  ["notices", "accept.committed", 3],
];

/** A daemon that reached the step has the request, whether or not its answer still comes. */
async function provokeLater(client: Client, what: Later): Promise<void> {
  await client.call("agent_add", { name: "nobody" });
  const told = { notifyOnDelivery: true, claims };
  const asked = {
    expiry: () => client.call("send", { to: "nobody", body: "short-lived", timeoutMs: 1, ...told }),
    reminder: () => client.call("remind", { to: "coder", text: "look again", afterMs: 1, claims }),
    notices: () => client.call("send", { to: "coder", body: "tell me", notifyAfterMs: 1, ...told }),
  }[what]();
  await asked.catch(() => undefined);
}

const COMES_ONCE: Readonly<Record<Later, readonly (readonly [who: string, text: string])[]>> = {
  expiry: [[person, 'Original: "short-lived"']],
  reminder: [["coder", "[bellhop] Scheduled reminder:\nlook again"]],
  notices: [
    [person, "[bellhop] Message delivered to coder"],
    [person, "[bellhop] Reminder: 1ms since your message to coder was delivered"],
  ],
};

describe.concurrent("SIGKILL at every step of what comes at a time", () => {
  it.each(LATER)("%s, at %s #%i: comes once", async (what, step, visit) => {
    const scene = await CrashScene.open({ agents: ["coder"] });
    try {
      const doomed = await scene.startDoomed(step, visit);
      const provoked = provokeLater(await scene.bellhop.client(), what);
      await death(doomed, `the daemon never came by ${step}`);
      visited.add(step);
      await provoked;
      await scene.bellhop.start();
      const client = await scene.bellhop.client();
      for (const [who, text] of COMES_ONCE[what])
        await until(async () => (await cameFor(client, who, text)).length > 0, text);
      await everythingCame(client, "nobody");
      for (const [who, text] of COMES_ONCE[what]) {
        const came = await cameFor(client, who, text);
        expect(came).toHaveLength(1);
        if (who !== "coder") continue;
        await scene.reachesOnce(client, came[0]?.id ?? "");
      }
      for (const { message } of (await client.call("history", { who: "nobody" })).entries) {
        const { deliveries } = await client.call("show", { id: message.id });
        const states = deliveries.flatMap(({ receipts }) => receipts.map(({ state }) => state));
        expect(states.filter((state) => state === "expired").length).toBeLessThanOrEqual(1);
      }
    } finally {
      await scene.close();
    }
  });
});

afterAll(() => {
  expect([...visited].toSorted()).toEqual([...STEPS].toSorted());
});
