/** SIGKILL at every step between a platform outside and an agent, both ways, for each bridge. */
import { afterAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import type { Step } from "../../src/office/base/steps.ts";
import { SPEAKING_CHANNELS, type SpeakingChannel, telegram, webhook } from "../contract/bridges/channels.ts";
import { arrivals } from "../contract/bridges/outside-stage.ts";
import { until } from "../rig/scripted-agent.ts";
import { cameFor, claims } from "./crash-rig.ts";
import { allSaid, hears, OutsideScene, REPEAT } from "./outside-rig.ts";
import { OUTSIDE_STEPS } from "./outside-steps.ts";

type Point = readonly [step: Step, visit: number, told: readonly string[]];

const PLAIN = "";
/** What comes in, is relayed by the desk (the first visits of its outlet), and is confirmed (the second). */
const POINTS: readonly Point[] = [
  ["outside.received", 1, [PLAIN]],
  ["outside.stored", 1, [PLAIN]],
  ["outlet.marked", 1, [PLAIN]],
  ["outlet.taken", 1, [PLAIN]],
  ["outlet.recorded", 1, [PLAIN]],
  // The confirmation is owed when the next daemon starts, before its bridge is open.
  ["deliver.recorded", 1, [PLAIN]],
  ["outlet.marked", 2, [REPEAT]],
  ["outside.saying", 1, [REPEAT]],
  ["outside.said", 1, [PLAIN, REPEAT]],
  ["outlet.taken", 2, [PLAIN]],
  ["outlet.recorded", 2, [PLAIN]],
];
/** These do not hear themselves, and keep no ledger of what they said. */
const DEAF: readonly string[] = ["telegram", "email"];

/** Each dies a dozen times, beside all others. */
const PATIENCE_MS = 900_000;

const visited = new Set<Step>();

/** The agent got it once, or it is marked; there is one arrival, and one message for the agent. */
async function cameOnce(client: Client, scene: OutsideScene, words: string): Promise<void> {
  const came = await cameFor(client, "coder", words);
  expect(came, words).toHaveLength(1);
  const copies = scene.prompts(words).length;
  if (copies === 1) return;
  const { deliveries } = await client.call("show", { id: came[0]?.id ?? "" });
  expect(
    deliveries.some(({ possibleDuplicate }) => possibleDuplicate),
    `${words} came ${copies} times`,
  ).toBe(true);
}

async function diesAt(scene: OutsideScene<SpeakingChannel>, [step, visit, told]: Point): Promise<void> {
  const { channel } = scene;
  const name = `${step.replace(".", "-")}-${visit}`;
  const since = (await channel.heard()).length;
  const client = await scene.dieAt([step, visit], () => channel.says(`[coder] word for ${name}`));
  visited.add(step);
  await until(() => scene.prompts(`word for ${name}`).length > 0, `${name} at its agent`);
  await hears(channel, /✓ Delivered to \[/u, since);
  const confirmations = await allSaid(channel, name, since);
  const marks = confirmations.map((text) => /^(.*)✓ Delivered to \[/u.exec(text)?.[1] ?? text);
  expect(marks, name).toEqual(told);
  await cameOnce(client, scene, `word for ${name}`);
}

describe.concurrent("SIGKILL between a platform and an agent", () => {
  it.each(Object.entries(SPEAKING_CHANNELS))(
    "%s: each comes once and is confirmed, a second time only if it is marked",
    async (name, open) => {
      const scene = await OutsideScene.open<SpeakingChannel>(await open());
      try {
        const points = POINTS.filter(([step]) => !(step === "outside.saying" && DEAF.includes(name)));
        for (const point of points) await diesAt(scene, point);
        await scene.bellhop.stop();
        const expected = points.flatMap(([step, visit]) => {
          const at = `${step.replace(".", "-")}-${visit}`;
          return [`[coder] word for ${at}`, `[nobody-${at}] hello`];
        });
        expect(await arrivals(scene.bellhop)).toEqual(expected);
      } finally {
        await scene.close();
      }
    },
    PATIENCE_MS,
  );

  it("telegram: of a long message only the part in doubt comes again, marked", async () => {
    const scene = await OutsideScene.open(await telegram());
    try {
      const parts = ["a", "b", "c"].map((letter) => `${`${letter.repeat(9)} `.repeat(390)}`.trimEnd());
      const body = parts.join("\n\n");
      const send = (client: Client) => client.call("send", { to: scene.channel.path, body, claims });
      await scene.dieAt(["outside.said", 2], send);
      await allSaid(scene.channel, "long", 0);
      const heard = (await scene.channel.heard()).filter((text) => !text.startsWith("✗"));
      const [first, second, third] = parts;
      expect(heard.map((text) => text.trimEnd())).toEqual([first, second, `${REPEAT}${second}`, third]);
    } finally {
      await scene.close();
    }
  });

  it("webhook: what is posted until it is taken comes once", async () => {
    const scene = await OutsideScene.open(await webhook());
    try {
      const client = await scene.bellhop.client();
      await client.call("sub_add", { agent: "coder", pattern: "webhook/github/*", claims });
      for (const step of ["outside.received", "outside.stored"] as const) {
        const next = await scene.dieAt([step, 1], () => scene.channel.says(`broken at ${step}`));
        visited.add(step);
        await until(() => scene.prompts(`broken at ${step}`).length > 0, `${step} at its agent`);
        await cameOnce(next, scene, `broken at ${step}`);
      }
      await scene.bellhop.stop();
      expect(await arrivals(scene.bellhop)).toHaveLength(2);
    } finally {
      await scene.close();
    }
  });
});

afterAll(() => {
  expect(OUTSIDE_STEPS.filter((step) => !visited.has(step))).toEqual([]);
});
