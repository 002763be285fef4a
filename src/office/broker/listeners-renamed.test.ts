import { describe, expect, it } from "vitest";
import { deskWith, listen, OWNER, route, subscribe, taken } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { slowReader } from "../../../tests/desk/ears.ts";

function rename(desk: Desk, who: string, name: string) {
  return desk.done(desk.use.name({ who, name, claims: OWNER }));
}

const MANY_TURNS = 50;

/** In one commit, in this order: nothing is written before all have asked. */
async function sameMoment(desk: Desk, ...asking: readonly (() => Promise<unknown>)[]): Promise<void> {
  const asked: Promise<unknown>[] = [];
  for (const ask of asking) {
    asked.push(ask());
    for (let turn = 0; turn < MANY_TURNS; turn += 1) await Promise.resolve();
  }
  await desk.done(Promise.all(asked));
}

describe("a listener whose agent gets another name", () => {
  it("hears on under the new one, until it closes", async () => {
    const { desk } = await oneAgent();
    const ears = [await listen(desk, "coder"), await listen(desk, "coder")];
    await route(desk, "agent/coder", { body: "one" });
    await rename(desk, "coder", "web");
    await route(desk, "agent/web", { body: "two" });
    ears[0]?.close();
    await rename(desk, "web", "site");
    await route(desk, "agent/site", { body: "three" });
    ears[1]?.close();
    await route(desk, "agent/site", { body: "four" });
    expect(ears.map((ear) => ear.texts())).toEqual([
      ["one", "two"],
      ["one", "two", "three"],
    ]);
  });

  it("hears what is addressed to it in that very moment, once", async () => {
    const { desk } = await oneAgent();
    await subscribe(desk, "coder", "x/*");
    const ear = await listen(desk, "coder");
    await route(desk, "x/0", { body: "before" });
    await sameMoment(
      desk,
      () => desk.use.route({ path: "agent/coder", body: "one", claims: OWNER }),
      () => desk.use.name({ who: "coder", name: "web", claims: OWNER }),
      () => desk.use.route({ path: "agent/*", body: "two", claims: OWNER }),
      () => desk.use.route({ path: "x/1", body: "three", claims: OWNER }),
    );
    expect(ear.texts()).toEqual(["before", "one", "two", "three"]);
    expect((await desk.use.unmatched({})).messages).toEqual([]);
  });

  it("hears together with those who waited under that name", async () => {
    const { desk } = await oneAgent();
    await desk.use.agent_add({ name: "web" });
    const early = await listen(desk, "web");
    await desk.use.agent_remove({ name: "web" });
    const ear = await listen(desk, "coder");
    await rename(desk, "coder", "web");
    await route(desk, "agent/web", { body: "both" });
    expect([early.texts(), ear.texts()]).toEqual([["both"], ["both"]]);
  });

  it("stays where it is when the disk does not take the name", async () => {
    const { desk } = await oneAgent();
    const ear = await listen(desk, "coder");
    desk.disk.state = "full";
    await expect(rename(desk, "coder", "web")).rejects.toMatchObject({ code: "store.disk_full" });
    desk.disk.state = "works";
    await desk.use.agent_add({ name: "web" });
    await route(desk, "agent/web", { body: "not mine" });
    await route(desk, "agent/coder", { body: "mine" });
    expect(ear.texts()).toEqual(["mine"]);
  });

  it("stays with the agent when only its program goes over to another", async () => {
    const { desk } = await oneAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const ear = await listen(desk, "coder");
    await rename(desk, "coder", "reviewer");
    await route(desk, "agent/reviewer", { body: "not mine" });
    await route(desk, "agent/coder", { body: "mine" });
    expect(ear.texts()).toEqual(["mine"]);
  });
});

describe("one that consumes, whose agent gets another name", () => {
  it("takes on under the new one: nothing is typed while it is there, and all is once it left", async () => {
    const { desk, coder } = await oneAgent();
    const ear = await listen(desk, "coder", { consume: true });
    await rename(desk, "coder", "web");
    await route(desk, "agent/web", { body: "taken" });
    await desk.advance(10_000);
    expect([ear.texts(), coder.program.submitted]).toEqual([["taken"], []]);
    ear.close();
    await route(desk, "agent/web", { body: "typed" });
    await desk.advance(10_000);
    expect(coder.program.submitted).toMatchObject([expect.stringContaining("typed")]);
    expect(ear.texts()).toEqual(["taken"]);
  });

  it("keeps what it has in hand, and takes what waits behind it", async () => {
    const { desk, coder } = await oneAgent();
    const reader = slowReader();
    const ear = await listen(desk, "coder", { consume: true, answer: reader.answer });
    const first = await desk.use.route({ path: "agent/coder", body: "one", claims: OWNER });
    await desk.advance(0);
    expect(ear.texts()).toEqual(["one"]);
    await desk.use.route({ path: "agent/coder", body: "two", claims: OWNER });
    const renaming = desk.use.name({ who: "coder", name: "web", claims: OWNER });
    await desk.advance(0);
    await renaming;
    await desk.use.route({ path: "agent/web", body: "three", claims: OWNER });
    reader.read();
    await desk.advance(10_000);
    expect(ear.texts()).toEqual(["one", "two", "three"]);
    expect(desk.store.read.deliveriesOf(first.messageId)).toMatchObject([
      { to: "agent/web", state: "delivered" },
    ]);
    expect(coder.program.submitted).toEqual([]);
  });

  it("takes in that very moment what is neither lost nor given twice", async () => {
    const { desk } = await oneAgent();
    await subscribe(desk, "coder", "x/*");
    const ear = await listen(desk, "coder", { consume: true });
    await sameMoment(
      desk,
      () => desk.use.route({ path: "x/1", body: "one", claims: OWNER }),
      () => desk.use.name({ who: "coder", name: "web", claims: OWNER }),
      () => desk.use.route({ path: "x/2", body: "two", claims: OWNER }),
    );
    await desk.advance(10_000);
    expect(ear.texts()).toEqual(["one", "two"]);
    expect(await taken(desk, "web")).toEqual([]);
  });
});

it.each([false, true])(
  "comes back to the agent it listened to, and to no other (consume: %s)",
  async (consume) => {
    const { desk } = await oneAgent();
    const { agentSince } = await listen(desk, "coder", { consume });
    await rename(desk, "coder", "web");
    await desk.advance(1);
    await desk.use.agent_add({ name: "coder" });
    await desk.open();
    const again = { consume, agentSince };
    await expect(listen(desk, "coder", again)).rejects.toMatchObject({
      code: "agent.unknown",
      message: 'The agent that was listened to is no longer called "coder": another agent has this name now.',
    });
    await route(desk, "agent/coder", { body: "not mine" });
    const ear = await listen(desk, "web", again);
    await route(desk, "agent/web", { body: "mine" });
    await desk.advance(0);
    expect([ear.texts(), await taken(desk, "coder")]).toEqual([["mine"], ["not mine"]]);
  },
);

it("does not move a listener of somebody else", async () => {
  const desk = await deskWith("a", "b");
  const coder = desk.agent("coder");
  await desk.done(desk.use.ls({}));
  const ear = await listen(desk, "a");
  await rename(desk, "coder", "web");
  await route(desk, "agent/b");
  await route(desk, "agent/a", { body: "mine" });
  expect(ear.texts()).toEqual(["mine"]);
  expect(coder.program.submitted).toEqual([]);
});
