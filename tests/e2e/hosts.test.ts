/** Three hosts on machines of their own, and a NATS of three nodes on three more. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterDay } from "../rig/cluster-day.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { ScriptedAgent } from "../rig/scripted-agent.ts";
import { until } from "../rig/scripted-agent.ts";

beforeAll(assertInNamespace);

describe("three hosts", () => {
  let day: ClusterDay;
  let coder: ScriptedAgent;
  let tester: ScriptedAgent;

  beforeAll(async () => {
    day = await ClusterDay.begin({
      hosts: ["laptop", "desk", "cloud"],
      nodes: 3,
      rights: ["send", "hear", "urgent"],
    });
    coder = await day.seat("desk", "coder");
    tester = await day.seat("cloud", "tester");
    await day.untilKnown("coder", "desk");
    await day.untilKnown("tester", "cloud");
  });
  afterAll(() => day?.end());

  const promptsOf = (agent: ScriptedAgent, words: string) =>
    agent.prompts().filter((prompt) => prompt.includes(words)).length;

  it("send to an agent elsewhere by its bare name: it reads it once, and both sides say so", async () => {
    const id = await day.send("laptop", "coder", "Hello from afar.");
    const here = await day.reaches("laptop", id, "delivered", "read", "replied");
    expect(here.message).toMatchObject({ to: "agent/coder@desk" });
    expect(here.deliveries).toMatchObject([{ to: "host/desk", transport: "host", evidence: "screen" }]);
    const there = await day.show("desk", id);
    expect(there.message).toMatchObject({
      id,
      to: "agent/coder",
      from: expect.stringMatching(/^person\/.+@laptop$/u),
    });
    expect(there.deliveries).toMatchObject([{ to: "agent/coder" }]);
    expect(promptsOf(coder, "Hello from afar.")).toBe(1);
  });

  it("answer each other: the answer finds its way back, and the question is replied on both sides", async () => {
    const { bellhop } = day.host("laptop");
    await bellhop.json(["agent", "add", "asker"]);
    const question = await day.send("laptop", "coder", "Which port?", ["--from", "asker"]);
    await day.reaches("desk", question, "delivered", "read");
    const answered = await day
      .host("desk")
      .bellhop.json<{ messageId: string }>([...["reply", question, "Port 80.", "--from", "coder"]]);
    const arrived = await day.reaches("laptop", answered.messageId, "queued", "delivered");
    expect(arrived.message).toMatchObject({ from: "agent/coder@desk", to: "agent/asker", replyTo: question });
    await day.reaches("laptop", question, "replied");
    await day.reaches("desk", question, "replied");
  });

  it("hear what they subscribe to, and a host without a taker gets nothing", async () => {
    await day.host("cloud").bellhop.json(["sub", "add", "tester", "news/builds"]);
    const heard = async () => {
      const { stdout } = await day.host("laptop").bellhop.run(["sub", "try", "news/builds", "--json"]);
      return stdout.includes("cloud");
    };
    await until(heard, "laptop to know who subscribes");
    const id = await day.send("laptop", "news/builds", "Build 7 is red.");
    const { deliveries } = await day.reaches("laptop", id, "delivered", "read");
    expect(deliveries.map(({ to }) => to)).toEqual(["host/cloud"]);
    expect(promptsOf(tester, "Build 7 is red.")).toBe(1);
    expect(promptsOf(coder, "Build 7 is red.")).toBe(0);
  });

  it("let a message interrupt where they have the right, and press no keys where they have none", async () => {
    const id = await day.send("laptop", "desk:coder", "Stop it.", ["--urgent"]);
    await day.reaches("laptop", id, "delivered", "read");
    expect(promptsOf(coder, "Stop it.")).toBe(1);
    const raw = await day.send("laptop", "agent/coder@desk", "x", ["--raw"]);
    const { deliveries } = await day.reaches("laptop", raw, "failed");
    expect(JSON.stringify(deliveries)).toContain("laptop may not press keys here");
  });

  it("tell the sender what was asked to be told", async () => {
    const { bellhop } = day.host("laptop");
    await day.send("laptop", "coder", "Tell me.", ["--from", "asker", "--notify-on-delivery"]);
    const isTold = async () => (await bellhop.run(["inbox", "asker"])).stdout.includes("delivered");
    await until(isTold, "the notice");
  });

  it("remind an agent on another host", async () => {
    await day.host("laptop").bellhop.json(["remind", "1s", "Water the plants.", "--to", "coder"]);
    const { bellhop } = day.host("desk");
    const isDelivered = async () =>
      (await bellhop.ask("history", { who: "coder", limit: 20 })).entries.some(
        ({ message, delivery }) =>
          message.body.includes("Water the plants.") &&
          message.from === "bellhop/notices@laptop" &&
          delivery?.state === "delivered",
      );
    await until(isDelivered, "the reminder");
  });
});
