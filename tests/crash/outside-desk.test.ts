/** SIGKILL while a person outside undoes something, is asked back, or answers a dialog. */
import { describe, expect, it } from "vitest";
import type { Step } from "../../src/office/base/steps.ts";
import { telegram } from "../contract/bridges/channels.ts";
import { until } from "../rig/scripted-agent.ts";
import { cameFor } from "./crash-rig.ts";
import { allSaid, hears, OutsideScene, REPEAT } from "./outside-rig.ts";

type Scene = OutsideScene<Awaited<ReturnType<typeof telegram>>>;
type Point = readonly [step: Step, visit: number];

/** Each dies several times, beside all others. */
const PATIENCE_MS = 900_000;

const nameOf = ([step, visit]: Point) => `${step.replace(".", "-")}-${visit}`;

async function inScene(names: readonly string[], body: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = await OutsideScene.open(await telegram(), names);
  try {
    await body(scene);
  } finally {
    await scene.close();
  }
}

/** Says it, and hears that it was delivered. */
async function delivers({ channel }: Scene, text: string): Promise<void> {
  const since = (await channel.heard()).length;
  await channel.says(text);
  await hears(channel, /^✓ Delivered/u, since);
}

/** The visits of accept: the arrival, what is said to the agent, what is said to the person. */
const FOLLOWED_UP: readonly Point[] = [
  ["outlet.marked", 1],
  ["accept.in-transaction", 2],
  ["accept.committed", 2],
  ["outlet.taken", 1],
  ["accept.in-transaction", 3],
];

const CANCELLED: readonly Point[] = [
  ["outlet.marked", 1],
  ["accept.in-transaction", 2],
  ["accept.committed", 2],
  ["outlet.taken", 1],
];

describe.concurrent("SIGKILL while something is undone", () => {
  it(
    "undoes the last one, and not the one before it as well",
    () =>
      inScene(["coder"], async (scene) => {
        const { channel } = scene;
        for (const point of FOLLOWED_UP) {
          const name = nameOf(point);
          await delivers(scene, `[coder] first for ${name}`);
          await delivers(scene, `[coder] second for ${name}`);
          const since = (await channel.heard()).length;
          const client = await scene.dieAt(point, () => channel.says("undo"));
          await hears(channel, /It was delivered to \[.+\] already\. I told it to disregard it\.$/u, since);
          expect(await allSaid(channel, name, since)).toHaveLength(1);
          const disregards = await cameFor(client, "coder", "Please disregard");
          const about = disregards.filter(({ body }) => body.includes(name));
          expect(about.map(({ body }) => body)).toEqual([expect.stringContaining(`second for ${name}`)]);
        }
      }),
    PATIENCE_MS,
  );

  it(
    "cancels what still waits, and says so once",
    () =>
      inScene(["coder"], async (scene) => {
        const { channel } = scene;
        const pause = async (paused: boolean) =>
          (await scene.bellhop.client()).call("pause", { who: "coder", paused });
        for (const point of CANCELLED) {
          const name = nameOf(point);
          await pause(true);
          await channel.says(`[coder] never mind ${name}`);
          const client = await scene.bellhop.client();
          await until(async () => (await cameFor(client, "coder", name)).length > 0, "it to wait");
          const since = (await channel.heard()).length;
          const next = await scene.dieAt(point, () => channel.says("undo"));
          await hears(channel, /✓ Undone: \[.+\] did not get it\.$/u, since);
          expect(await allSaid(channel, name, since)).toHaveLength(1);
          await pause(false);
          await delivers(scene, `[coder] after ${name}`);
          const [cancelled] = await cameFor(next, "coder", `never mind ${name}`);
          const { deliveries } = await next.call("show", { id: cancelled?.id ?? "" });
          expect(deliveries.map(({ state }) => state)).toEqual(["cancelled"]);
          expect(scene.prompts(`never mind ${name}`)).toEqual([]);
        }
      }),
    PATIENCE_MS,
  );
});

describe.concurrent("SIGKILL around a numbered question", () => {
  it(
    "asks once, or marked, and takes the number after another restart",
    () =>
      inScene(["api", "web"], async (scene) => {
        const { channel } = scene;
        for (const point of [
          ["outlet.marked", 1],
          ["accept.committed", 2],
          ["outside.said", 1],
        ] as const) {
          const name = nameOf(point);
          const since = (await channel.heard()).length;
          await scene.dieAt(point, () => channel.says(`for whom is ${name}?`));
          await hears(channel, /Who is this for\?/u, since);
          await scene.bellhop.stop("SIGKILL");
          await channel.says("2");
          await scene.start();
          const told = await hears(channel, /^✓ Delivered to \[/u, since);
          const questions = told.filter((text) => text.includes("Who is this for?"));
          expect(questions.filter((text) => !text.startsWith(REPEAT)).length, name).toBeLessThanOrEqual(1);
          const second = /^2\. (.+)$/mu.exec(questions[0] ?? "")?.[1] ?? "";
          const chosen = scene.agents.find((agent) => agent.name === second.split(" ")[0]);
          expect(scene.prompts(name), second).toHaveLength(1);
          expect(chosen?.prompts().filter((prompt) => prompt.includes(name))).toHaveLength(1);
        }
      }),
    PATIENCE_MS,
  );
});

const PRESSED: readonly Point[] = [
  ["outside.received", 1],
  ["outside.stored", 1],
  ["outlet.marked", 1],
  ["outlet.taken", 1],
  ["deliver.marked", 1],
  ["paste.before-keys", 1],
  ["paste.after-keys", 1],
  ["deliver.recorded", 1],
];

describe.concurrent("SIGKILL between a button and the dialog", () => {
  it(
    "answers it once, by the first button, and says truly what became of it",
    () =>
      inScene(["api"], async (scene) => {
        const [api] = scene.agents;
        const { telegram: platform } = scene.channel.stage;
        const person = Number(scene.channel.stage.person);
        const answers = () => api?.log().flatMap(({ answered }) => answered ?? []) ?? [];
        await (await scene.bellhop.client()).call("away", { mode: "on" });
        for (const point of PRESSED) {
          const name = nameOf(point);
          const [since, before] = [platform.heard(person).length, answers().length];
          await scene.bellhop.json(["send", "api", `[[menu touch ${name}]]`]);
          await hears(scene.channel, new RegExp(`asks for a permission:[^]*${name}`, "u"), since);
          const page = platform.heard(person).find(({ text }) => text?.includes(name));
          const presses = async (label: string) => {
            const button = page?.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label);
            platform.presses(person, page?.message_id ?? 0, button?.callback_data ?? "", person);
          };
          await scene.dieAt(
            point,
            () => presses("Approve"),
            () => presses("Deny"),
          );
          const isUnknown = point[0] === "paste.after-keys";
          await hears(
            scene.channel,
            isUnknown ? /interrupted while it pressed in \[/u : /✓ Approved/u,
            since,
          );
          const told = await allSaid(scene.channel, name, since);
          expect(
            told.filter((text) => text.includes("was answered already. Nothing was pressed.")),
          ).toHaveLength(1);
          expect(answers().slice(before), `${name} ${told}`).toEqual(["1"]);
        }
      }),
    PATIENCE_MS,
  );
});
