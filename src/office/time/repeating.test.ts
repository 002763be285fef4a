import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  listen,
  OWNER,
  subscribe,
  taken,
  unsubscribe,
} from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { came, HOUR, pair, quietDesk, remind, remindAs } from "../../../tests/desk/reminders.ts";

async function only(desk: Desk) {
  const [reminder] = (await desk.use.reminders({})).reminders;
  if (reminder === undefined) throw new Error("there is none");
  return reminder;
}

/** Its deliveries that wait, as mailbox and text. */
function waiting(desk: Desk): readonly string[] {
  return desk.store.read.deliveries({ states: ["queued"] }).map(({ delivery }) => delivery.to);
}

describe("a repeated reminder to somebody who takes nothing", () => {
  it("lies there once, and says so; once it is taken the next comes in its time", async () => {
    const desk = await quietDesk();
    await remind(desk, { text: "look", everyMs: HOUR, to: "reviewer" });
    await desk.advance(HOUR);
    const [first] = desk.store.read.deliveries({});
    expect(await only(desk)).toMatchObject({ fired: 1, waiting: first?.message.shortId });
    await desk.advance(9.5 * HOUR);
    expect(came(desk)).toHaveLength(1);
    expect((await only(desk)).dueAt - desk.clock.now()).toBe(HOUR / 2);
    expect(await taken(desk, "reviewer")).toHaveLength(1);
    expect(await only(desk)).not.toHaveProperty("waiting");
    await desk.advance(HOUR / 2);
    expect(await only(desk)).toMatchObject({ fired: 2 });
    expect(waiting(desk)).toEqual(["agent/reviewer"]);
  });

  it.each([["cron", { cron: "* * * * *" }] as const, ["--every", { everyMs: 60_000 }] as const])(
    "lies there once by %s, across restarts",
    async (_, when) => {
      const desk = await quietDesk();
      await remind(desk, { text: "look", to: "reviewer", ...when });
      for (let start = 0; start < 3; start += 1) {
        await desk.advance(150_000);
        await desk.open();
      }
      expect(came(desk)).toHaveLength(1);
    },
  );

  it("comes in its time when the one that waited was cancelled", async () => {
    const desk = await quietDesk();
    await remind(desk, { text: "look", everyMs: HOUR, to: "reviewer" });
    await desk.advance(HOUR);
    await desk.use.queue_change({ id: (await only(desk)).waiting ?? "", change: "cancel" });
    await desk.advance(HOUR);
    expect(came(desk)).toHaveLength(2);
  });

  it("does not keep another reminder from coming", async () => {
    const desk = await quietDesk();
    for (const text of ["look", "look"]) await remind(desk, { text, everyMs: HOUR, to: "reviewer" });
    await desk.advance(5 * HOUR);
    expect(waiting(desk)).toHaveLength(2);
  });

  it("lies there once for an agent that stays busy, and is typed once", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await remind(desk, { text: "look", everyMs: 60_000, to: "coder" });
    await desk.advance(200_000);
    expect(waiting(desk)).toEqual(["agent/coder"]);
    coder.program.becomes({ busy: false });
    await desk.advance(30_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("knows its agent under another name", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await remind(desk, { text: "look", everyMs: 60_000, to: "tester" });
    await desk.advance(60_000);
    await desk.done(desk.use.name({ who: "tester", name: "web", claims: OWNER }));
    await desk.advance(120_000);
    expect(waiting(desk)).toEqual(["agent/web"]);
  });
});

describe("a repeated reminder that goes elsewhere", () => {
  it("follows to the agent when its session has ended, and leaves nothing behind", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await remindAs(desk, tester, { text: "look", everyMs: 60_000 });
    await desk.advance(60_000);
    expect(waiting(desk)).toEqual([expect.stringMatching(/^session\//u)]);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(180_000);
    expect(waiting(desk)).toEqual(["agent/tester"]);
    const [first, second] = desk.store.read.deliveries({});
    expect(first?.delivery.state).toBe("cancelled");
    const receipts = desk.store.read.receiptsOf(first?.delivery.id ?? "");
    expect(receipts.at(-1)?.note).toBe(`#${second?.message.shortId} came in its place`);
  });

  it("to a path comes to those who take it, and lies once with those who do not", async () => {
    const desk = await deskWith("here", "away");
    await subscribe(desk, "here", "x/*");
    await subscribe(desk, "away", "x/*");
    const ear = await listen(desk, "here", { consume: true });
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(3 * HOUR);
    expect(ear.heard).toHaveLength(3);
    expect(waiting(desk)).toEqual(["agent/away"]);
    const last = desk.store.read.deliveries({}).at(-1);
    expect(deliveries(desk, { messageId: last?.message.id ?? "" })).toContain("agent/away queued");
    ear.close();
    await desk.advance(5 * HOUR);
    expect(waiting(desk).toSorted()).toEqual(["agent/away", "agent/here"]);
  });

  it("to a path comes to a newcomer, also while it lies with all who heard it before", async () => {
    const desk = await deskWith("away", "new");
    await subscribe(desk, "away", "x/*");
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(3 * HOUR);
    await subscribe(desk, "new", "x/*");
    const ear = await listen(desk, "new", { consume: true });
    await desk.advance(2 * HOUR);
    expect(ear.heard).toHaveLength(2);
    expect(waiting(desk)).toEqual(["agent/away"]);
    ear.close();
  });

  it("to all agents comes to one that is new", async () => {
    const desk = await deskWith("away");
    await remind(desk, { text: "look", everyMs: HOUR, to: "agent/**" });
    await desk.advance(3 * HOUR);
    await desk.use.agent_add({ name: "new" });
    await desk.advance(3 * HOUR);
    expect(waiting(desk).toSorted()).toEqual(["agent/away", "agent/new"]);
  });

  it("to a path comes to whoever hears it now, and leaves what waits with one who does not", async () => {
    const desk = await deskWith("before", "now");
    await subscribe(desk, "before", "x/*");
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(2 * HOUR);
    await unsubscribe(desk, "before", "x/*");
    await subscribe(desk, "now", "x/*");
    await desk.advance(3 * HOUR);
    expect(waiting(desk).toSorted()).toEqual(["agent/before", "agent/now"]);
    expect(await taken(desk, "before")).toHaveLength(1);
  });

  it("to a path that nobody hears any more leaves what waits where it is", async () => {
    const desk = await deskWith("a");
    await subscribe(desk, "a", "x/*");
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(HOUR);
    await unsubscribe(desk, "a", "x/*");
    await desk.advance(3 * HOUR);
    expect(waiting(desk)).toEqual(["agent/a"]);
    expect((await desk.use.unmatched({})).messages).toHaveLength(1);
  });

  it("to a path that nobody hears is left out while the last is a dead letter", async () => {
    const desk = await deskWith("a");
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(HOUR);
    const [first] = (await desk.use.unmatched({})).messages;
    await desk.advance(4 * HOUR);
    expect(await only(desk)).toMatchObject({ fired: 1 });
    expect((await desk.use.unmatched({})).messages).toEqual([first]);
    await desk.use.unmatched_clear({});
    await desk.advance(HOUR);
    expect(await only(desk)).toMatchObject({ fired: 2 });
  });

  it("to a path that nobody hears is one dead letter, and none once somebody does", async () => {
    const desk = await deskWith("a");
    await remind(desk, { text: "look", everyMs: HOUR, to: "x/1" });
    await desk.advance(5 * HOUR);
    expect((await desk.use.unmatched({})).messages).toHaveLength(1);
    await subscribe(desk, "a", "x/*");
    await desk.advance(2 * HOUR);
    expect((await desk.use.unmatched({})).messages).toEqual([]);
    expect(waiting(desk)).toEqual(["agent/a"]);
  });
});
