import { describe, expect, it } from "vitest";
import { deskWith, WORKS } from "../../../tests/desk/turn-takers.ts";

const AFTER_WINDOW_MS = 4_000;

describe("the budget", () => {
  it("holds what is too much, says until when, and lets it go then", async () => {
    const desk = await deskWith({ ...WORKS, turnsPerHour: 2 }, "coder");
    for (const body of ["one", "two", "three"]) {
      await desk.send("coder", body);
      await desk.advance(AFTER_WINDOW_MS);
    }
    expect(desk.runner.orders).toHaveLength(2);
    const listed = await desk.done(desk.use.turns({}));
    expect(listed.waiting).toMatchObject([
      { agent: "coder", messages: 1, release: expect.stringContaining("2 turns an hour is spent") },
    ]);
    expect(listed.budgets).toMatchObject([{ agent: "coder", turnsThisHour: 2, turnsPerHour: 2 }]);
    const { attention } = await desk.done(desk.use.attention({}));
    expect(attention).toMatchObject([
      {
        kind: "budget",
        agent: "coder",
        text: expect.stringContaining("a message waits: its budget of 2 turns"),
      },
    ]);
    await desk.advance(3_600_000);
    expect(desk.runner.orders).toHaveLength(3);
    expect((await desk.done(desk.use.attention({}))).attention).toEqual([]);
  });

  it("is kept by the sessions of one agent together, also if they begin at the same moment", async () => {
    const desk = await deskWith({ ...WORKS, turnsPerHour: 1 }, "coder");
    const ids = [];
    for (const name of ["one", "two", "three"])
      ids.push((await desk.done(desk.use.session_add({ agent: "coder", name }))).sessionId);
    const send = (id: string) => desk.use.send({ to: `session/${id}`, body: "go", claims: { user: "dev" } });
    const claims = { user: "dev" };
    await desk.done(desk.use.turns_switch({ on: false, claims }));
    await desk.done(Promise.all(ids.map(send)));
    await desk.advance(60_000);
    await desk.done(desk.use.turns_switch({ on: true, claims }));
    await desk.advance(60_000);
    expect(desk.runner.orders).toHaveLength(1);
  });

  it("is kept by fifty agents and a broadcast across restarts, with five turns at once", async () => {
    const names = Array.from({ length: 50 }, (_, number) => `agent-${number}`);
    const desk = await deskWith({ ...WORKS, turnsPerHour: 1 }, ...names);
    desk.runner.behaves = undefined;
    await desk.send("agent/**", "everybody!");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.running.size).toBe(5);
    desk.runner.behaves = () => ({ kind: "answered", answer: "" });
    await desk.open();
    await desk.advance(60_000);
    await desk.send("agent/**", "again!");
    await desk.advance(60_000);
    const perAgent = new Map<string, number>();
    for (const { agent } of desk.store.read.turns({})) perAgent.set(agent, (perAgent.get(agent) ?? 0) + 1);
    expect(perAgent.size).toBe(50);
    // Those that were interrupted have used up their only turn.
    expect([...perAgent.values()].every((count) => count === 1)).toBe(true);
  });
});

it("two agents that answer each other for ever are stopped and reported", async () => {
  const desk = await deskWith(
    { ...WORKS, debounceMs: 0, turnsPerHour: 1_000, turnsPerDay: 1_000 },
    "ping",
    "pong",
  );
  desk.runner.behaves = ({ agent, turnId }) => ({ kind: "answered", answer: `${agent} says ${turnId}` });
  await desk.send("ping", "talk to pong", { from: "pong" });
  await desk.advance(120_000);
  const unmatched = desk.store.read.unmatched({ limit: 10 });
  expect(unmatched.some(({ reason }) => reason.startsWith("a loop"))).toBe(true);
  expect(desk.runner.orders.length).toBeLessThan(40);
});
