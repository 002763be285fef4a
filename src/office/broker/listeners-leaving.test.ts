import { describe, expect, it } from "vitest";
import { deskWith, listen, OWNER, receive, route, stateIn } from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { afterEachCommit, slowReader } from "../../../tests/desk/ears.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";

describe("a listener that leaves with a message in hand", () => {
  it("may have seen it: it waits again, marked, for whoever comes next", async () => {
    const desk = await deskWith("researcher");
    await listen(desk, "researcher", { consume: true, answer: () => "gone" });
    const sent = await route(desk, "agent/researcher");
    await desk.advance(0);
    expect(desk.store.read.deliveriesOf(sent.messageId)).toMatchObject([
      { state: "queued", possibleDuplicate: true, hold: { reason: "offline" } },
    ]);
    expect(await receive(desk, "researcher")).toMatchObject([{ redelivered: true }]);
  });

  it("leaves it to the terminal, which types it at once", async () => {
    const { desk, coder } = await oneAgent();
    await listen(desk, "coder", { consume: true, answer: () => "gone" });
    await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("cannot have seen what was not pushed yet: it waits unmarked, and the terminal gets it at once", async () => {
    const { desk, coder } = await oneAgent();
    const ear = await listen(desk, "coder", { consume: true });
    afterEachCommit(desk, () => {
      if (desk.store.read.deliveries({ states: ["delivering"] }).length > 0) ear.close();
    });
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(ear.heard).toEqual([]);
    expect(coder.program.submitted).toHaveLength(1);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: false });
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued", "delivering", "delivered"]);
  });

  it("leaves it to the terminal also when its agent has another name by now", async () => {
    const { desk, coder } = await oneAgent();
    const reader = slowReader();
    const ear = await listen(desk, "coder", { consume: true, answer: () => reader.answer() });
    await desk.send("coder", "hello");
    await desk.advance(0);
    await desk.done(desk.use.name({ who: "coder", name: "builder", claims: OWNER }));
    await desk.advance(10_000);
    ear.close();
    reader.leave();
    await desk.advance(5_000);
    expect([ear.heard.length, coder.program.submitted.length]).toEqual([1, 1]);
  });

  it("leaves what wants no second copy unconfirmed", async () => {
    const desk = await deskWith("researcher");
    await listen(desk, "researcher", { consume: true, answer: () => "gone" });
    const sent = await route(desk, "agent/researcher", { atMostOnce: true });
    await desk.advance(0);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("unconfirmed");
    expect(await receive(desk, "researcher")).toEqual([]);
  });

  it.each([
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
  ])("is one that fails", async (answer) => {
    const desk = await deskWith("researcher");
    await listen(desk, "researcher", { consume: true, answer });
    await route(desk, "agent/researcher");
    await desk.advance(0);
    expect(await receive(desk, "researcher")).toMatchObject([{ redelivered: true }]);
  });

  it("by a crash of ours gets it again, marked; and what it was answered for, not again", async () => {
    const desk = await deskWith("researcher");
    const reader = slowReader();
    await listen(desk, "researcher", { consume: true });
    await route(desk, "agent/researcher", { body: "recorded" });
    await desk.advance(0);
    await desk.open();
    await listen(desk, "researcher", { consume: true, answer: () => reader.answer() });
    await route(desk, "agent/researcher", { body: "in hand" });
    const once = await route(desk, "agent/researcher", { body: "once", atMostOnce: true });
    await desk.advance(0);
    await desk.open();
    const ear = await listen(desk, "researcher", { consume: true });
    await desk.advance(0);
    const seen = (message: BrokerMessage) => [message.body, message.redelivered];
    expect(ear.heard.map(seen)).toEqual([
      ["in hand", true],
      ["once", undefined],
    ]);
    // It had not been pushed: only one is pushed at a time.
    expect(stateIn(desk, once, "agent/researcher")).toBe("delivered");
  });
});

describe("a full disk", () => {
  it("before the push costs a moment", async () => {
    const desk = await deskWith("researcher");
    desk.disk.refuses = "delivering";
    const ear = await listen(desk, "researcher", { consume: true });
    await route(desk, "agent/researcher");
    await desk.advance(1_000);
    expect(ear.heard).toEqual([]);
    desk.disk.refuses = undefined;
    await desk.advance(2_000);
    expect(ear.heard).toHaveLength(1);
    expect(ear.heard[0]).not.toHaveProperty("redelivered");
    desk.expectFailures("listener.failed");
  });

  it("after the push does not push again, and the record follows", async () => {
    const desk = await deskWith("researcher");
    desk.disk.refuses = "delivered";
    const ear = await listen(desk, "researcher", { consume: true });
    const sent = await route(desk, "agent/researcher");
    await desk.advance(10_000);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("delivering");
    desk.disk.refuses = undefined;
    await desk.advance(2_000);
    expect(stateIn(desk, sent, "agent/researcher")).toBe("delivered");
    expect(ear.heard).toHaveLength(1);
    await route(desk, "agent/researcher");
    await desk.advance(0);
    expect(ear.heard).toHaveLength(2);
    desk.expectFailures("listener.record_failed");
  });

  it("does not keep what its listener left behind", async () => {
    const { desk, coder } = await oneAgent();
    desk.disk.refuses = "queued";
    await listen(desk, "coder", { consume: true, answer: () => "gone" });
    await desk.send("coder", "hello");
    await desk.advance(5_000);
    desk.disk.refuses = undefined;
    await desk.advance(5_000);
    expect(coder.program.submitted).toHaveLength(1);
    desk.expectFailures("listener.record_failed");
  });
});

describe("closing the office", () => {
  it("waits for the push in hand and begins no other", async () => {
    const desk = await deskWith("researcher");
    const reader = slowReader();
    const ear = await listen(desk, "researcher", { consume: true, answer: () => reader.answer() });
    const first = await route(desk, "agent/researcher");
    const second = await route(desk, "agent/researcher");
    await desk.advance(0);
    const closing = desk.office.close();
    reader.read();
    await desk.done(closing);
    expect(ear.heard).toHaveLength(1);
    expect(stateIn(desk, first, "agent/researcher")).toBe("delivered");
    expect(stateIn(desk, second, "agent/researcher")).toBe("queued");
  });
});
