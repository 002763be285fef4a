/** SIGKILL at every step between two hosts, on either, with and without the NATS between them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { CLUSTER_STEPS } from "./cluster-steps.ts";
import { HostsScene, type Point } from "./hosts-rig.ts";

const HOSTS = ["a", "b"] as const;
/** A question goes and an answer comes, so each host sends, takes, tells and is told. */
const FIRST: readonly Point[] = HOSTS.flatMap((host) => CLUSTER_STEPS.map((step): Point => [host, step, 1]));
/** Of a, what it is told of the answer to its question; of b, the answer itself. */
const SECOND: readonly Point[] = [
  ["a", "cluster.marked", 2],
  ["a", "cluster.stored", 2],
  ["a", "cluster.heeded", 2],
  ["b", "cluster.marked", 2],
  ["b", "cluster.stored", 2],
  ["b", "cluster.told", 2],
];
const WITH_NATS: readonly Point[] = [
  ["a", "cluster.marked", 1],
  ["a", "cluster.stored", 1],
  ["b", "cluster.taken", 1],
  ["b", "cluster.marked", 1],
];
/** A letter waits on b, and a asks for it back. */
const WITHDRAWN: readonly Point[] = [
  ["a", "cluster.marked", 1],
  ["a", "cluster.stored", 1],
  ["a", "cluster.heeded", 1],
  ["b", "cluster.heeded", 1],
  ["b", "cluster.marked", 1],
  ["b", "cluster.stored", 1],
  ["b", "cluster.told", 1],
];

let scene: HostsScene;
let said = 0;

beforeAll(async () => {
  scene = await HostsScene.open();
  await scene.bellhop("b").json(["agent", "add", "nobody"]);
});
afterAll(() => scene?.close());

/** Whoever is down meanwhile is waited for. */
async function talk(): Promise<void> {
  said += 1;
  const [question, answer] = [`question ${said}.`, `answer ${said}.`];
  const asked = await scene.sends("a", "alice", "b:bob", question);
  await scene.reaches("b", asked, "delivered", "read", "unconfirmed");
  await scene.reaches("a", asked, "delivered", "read", "unconfirmed");
  const answered = await scene.replies("b", "bob", asked, answer);
  await scene.cameOnce("a", answered, answer, "delivered", "read", "unconfirmed");
  await scene.cameOnce("b", asked, question, "replied");
}

describe("SIGKILL at every step between two hosts", () => {
  it.each([...FIRST, ...SECOND])("%s, at %s #%i: a question and its answer come once", async (...point) => {
    await scene.dying(point, talk);
  });

  it.each(WITH_NATS)("%s, at %s #%i, and NATS with it: nothing is lost", async (...point) => {
    await scene.dying(point, talk, {
      whileDown: () => scene.nats.stop(),
      afterwards: async () => {
        for (const host of HOSTS) await scene.seesNoNats(host);
        await scene.nats.restart();
      },
    });
  });

  it("both and NATS at once, with ten on their way: each comes once, in order", async () => {
    const bodies = Array.from({ length: 10 }, (_, at) => `of ten, number ${at}.`);
    const ids: string[] = [];
    const sending = async (): Promise<void> => {
      for (const body of bodies) ids.push(await scene.sends("a", "alice", "b:bob", body));
    };
    await scene.dying(["a", "cluster.stored", 3], sending, {
      whileDown: () => Promise.all([scene.nats.stop(), scene.bellhop("b").stop("SIGKILL")]),
      afterwards: () => Promise.all([scene.nats.restart(), scene.bellhop("b").start()]),
    });
    for (const id of ids) await scene.agree(id, "delivered", "read", "unconfirmed");
    const typed = scene
      .prompts("b")
      .join("\n")
      .match(/of ten, number \d/gu);
    expect(typed).toEqual(bodies.map((body) => body.slice(0, -1)));
  });
});

describe("SIGKILL around what is asked back", () => {
  it.each(WITHDRAWN)("%s, at %s #%i: both say that it is cancelled", async (...point) => {
    said += 1;
    const id = await scene.sends("a", "alice", "b:nobody", `for nobody ${said}`);
    await scene.reaches("b", id, "queued");
    const isThere = async (): Promise<boolean> =>
      (await scene.reaches("a", id, "delivering")).deliveries[0]?.hold?.release.startsWith("b has it") ??
      false;
    await until(isThere, "a to know where it waits");
    await scene.dying(point, async () => {
      await scene.cancels("a", id);
      await scene.agree(id, "cancelled");
    });
    await scene.agree(id, "cancelled");
  });

  it("while b is down and a dies too: it is either typed or cancelled, and both say which", async () => {
    await scene.bellhop("b").stop("SIGKILL");
    const body = "perhaps too late.";
    const id = await scene.sends("a", "alice", "b:bob", body);
    const inEngine = async (): Promise<boolean> =>
      (await scene.reaches("a", id, "delivering")).deliveries[0]?.hold?.release.includes("NATS has it") ??
      false;
    await until(inEngine, "NATS to have it");
    await scene.bellhop("a").ask("queue_change", { id, change: "cancel" });
    await scene.bellhop("a").stop("SIGKILL");
    await Promise.all(HOSTS.map((host) => scene.bellhop(host).start()));
    const shown = await scene.reaches("a", id, "cancelled", "delivered", "read", "unconfirmed");
    const isTyped = shown.deliveries[0]?.state !== "cancelled";
    expect(scene.prompts("b").filter((prompt) => prompt.includes(body))).toHaveLength(isTyped ? 1 : 0);
    await scene.agree(id, shown.deliveries[0]?.state ?? "");
  });
});
