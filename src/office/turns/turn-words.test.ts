/** What an agent says itself during a turn, beside the answer of the turn. */
import { expect, it } from "vitest";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";

const WORDS = {
  enabled: true,
  cwd: "/home/dev/repo",
  triageModel: "",
  debounceMs: 0,
  turnsPerHour: 1_000,
  turnsPerDay: 1_000,
} as const;
const HOPS = 6;

async function deskOf(...agents: readonly string[]): Promise<Desk> {
  const desk = await openDesk();
  const loops = { ...AS_SHIPPED.loops, hops: HOPS };
  desk.settings = { ...AS_SHIPPED, loops, turns: { ...AS_SHIPPED.turns, any: true, everyone: WORDS } };
  desk.runner.behaves = undefined;
  await desk.ready();
  for (const name of agents) await desk.done(desk.use.agent_add({ name }));
  return desk;
}

/** Each turn says these things in words of its own, and answers nothing. */
async function speaking(desk: Desk, says: (agent: string) => readonly string[]): Promise<void> {
  for (let round = 0; round < 10 * HOPS; round += 1) {
    await desk.advance(1_000);
    for (const turn of [...desk.runner.running]) {
      const { agent, sessionId: session, turnId } = turn.order;
      for (const to of says(agent))
        await desk.send(to, `${agent} says ${turnId}`, { claims: { user: "dev", session } });
      turn.end({ kind: "answered", answer: "" });
    }
  }
}

const stopped = (desk: Desk) =>
  desk.store.read.unmatched({ limit: 10 }).map(({ message, reason }) => [message.hops, reason]);

it("answers what started the turn: an agent gets that and no more, a person also how it ended", async () => {
  const desk = await deskOf("coder", "asking");
  const sent = await desk.send("coder", "a question");
  await desk.advance(1_000);
  const [turn] = desk.runner.running;
  const claims = { user: "dev", session: turn?.order.sessionId ?? "" };
  const said = await desk.send("person/dev", "in my own words", { claims });
  expect(desk.state(sent)).toBe("replied");
  turn?.end({ kind: "answered", answer: "I have told them." });
  await desk.advance(1_000);
  expect(desk.store.read.answerTo(sent.messageId)?.id).toBe(said.messageId);
  const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
  expect(told.map(({ message }) => message.body)).toEqual(["in my own words", "I have told them."]);

  const asked = await desk.send("coder", "a question", { from: "asking" });
  await desk.advance(1_000);
  const [next] = desk.runner.running;
  await desk.send("asking", "for you", { claims });
  next?.end({ kind: "answered", answer: "I have told it." });
  await desk.advance(1_000);
  expect(desk.state(asked)).toBe("replied");
  const heard = desk.store.read.deliveries({ mailboxes: ["agent/asking"] });
  expect(heard.map(({ message }) => message.body)).toEqual(["for you"]);
});

it.each<[string, Readonly<Record<string, readonly string[]>>]>([
  ["two that write to each other", { ping: ["pong"], pong: ["ping"] }],
  ["two that write twice each time", { ping: ["pong", "pong"], pong: ["ping", "ping"] }],
  ["three in a ring", { ping: ["pong"], pong: ["pang"], pang: ["ping"] }],
])("is counted as an answer: %s are stopped", async (_, says) => {
  const desk = await deskOf(...Object.keys(says));
  await desk.send("ping", "begin");
  await speaking(desk, (agent) => says[agent] ?? []);
  expect(stopped(desk)).toContainEqual([HOPS + 1, expect.stringMatching(/^a loop: /u)]);
  expect(desk.runner.orders.length).toBeLessThanOrEqual(1 + 2 * HOPS);
});

it("is counted also if it follows the news that a turn has failed", async () => {
  const desk = await deskOf("ping", "pong");
  await desk.send("pong", "ask ping");
  for (let round = 0; round < 10 * HOPS; round += 1) {
    await desk.advance(1_000);
    for (const turn of [...desk.runner.running]) {
      const { agent, sessionId: session, turnId } = turn.order;
      if (agent === "pong") await desk.send("ping", `try ${turnId}`, { claims: { user: "dev", session } });
      turn.end(agent === "ping" ? { kind: "failed", why: "no" } : { kind: "answered", answer: "" });
    }
  }
  expect(stopped(desk)).toContainEqual([HOPS + 1, expect.stringMatching(/^a loop: /u)]);
  expect(desk.runner.orders.length).toBeLessThanOrEqual(1 + HOPS);
});

it("may be addressed to many: a person's question goes on from agent to agent", async () => {
  const desk = await deskOf("ping", "pong", "pang");
  await desk.send("ping", "ask the others");
  await speaking(desk, (agent) => (agent === "ping" ? ["pong", "pang"] : []));
  expect(stopped(desk)).toEqual([]);
  expect(desk.runner.orders.map(({ agent }) => agent).toSorted()).toEqual(["pang", "ping", "pong"]);
});
