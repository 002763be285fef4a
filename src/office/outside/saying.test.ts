/** What is said outside, when something comes in between. */
import { describe, expect, it } from "vitest";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { connectedPhone } from "../../../tests/desk/phone.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";

/** It is named in the config file. */
function configured(desk: Desk): void {
  desk.settings = {
    ...AS_SHIPPED,
    desk: { ...AS_SHIPPED.desk, bridges: ["telegram"], channels: ["telegram/42"] },
  };
}

describe("a bridge that is not open yet", () => {
  it("keeps waiting what is said there, and says it in order", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    const sent = await desk.sendAs(coder, "telegram/42", "first");
    await desk.sendAs(coder, "telegram/42", "second");
    expect(desk.state(sent)).toBe("queued");
    const phone = await connectedPhone(desk);
    await desk.advance(5_000);
    expect(phone.texts()).toEqual(["[coder] first", "[coder] second"]);
  });

  it("is waited for by a confirmation that a daemon owed when it died", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    const phone = await connectedPhone(desk);
    desk.crashAt("deliver.recorded");
    await phone.writes("How is the build?");
    await desk.advance(20_000);
    expect([desk.crashed, coder.program.submitted.length, phone.texts()]).toEqual([true, 1, []]);
    await desk.open();
    await desk.advance(5_000);
    await phone.connect();
    await desk.advance(5_000);
    expect(phone.texts()).toEqual([expect.stringMatching(/^✓ Delivered to \[/u)]);
  });

  it("says in the queue why it is not open, and what waits goes out once it is", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    const sent = await desk.sendAs(coder, "telegram/42", "first");
    await desk.advance(1_000);
    expect(desk.delivery(sent).hold).toMatchObject({ reason: "offline", release: "when telegram is open" });
    desk.settings = AS_SHIPPED;
    desk.office.reconsider();
    await desk.advance(0);
    expect(desk.delivery(sent).hold).toMatchObject({
      release: "when telegram is configured again (bellhop bridge add telegram)",
    });
    const phone = await connectedPhone(desk);
    await desk.advance(5_000);
    expect([phone.texts(), desk.state(sent)]).toEqual([["[coder] first"], "delivered"]);
  });

  it("is waited for without looking again and again; what comes next says why it waits, too", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    await desk.advance(60_000);
    const timers = desk.clock.waiting;
    const first = await desk.sendAs(coder, "telegram/42", "first");
    await desk.advance(1_000);
    expect(desk.clock.waiting).toBe(timers);
    const brief = await desk.sendAs(coder, "telegram/42", "brief", { timeoutMs: 30_000 });
    const last = await desk.sendAs(coder, "telegram/42", "last");
    const saysWhy = (sent: typeof last) => desk.delivery(sent).hold?.release === "when telegram is open";
    expect([first, brief, last].map(saysWhy)).toEqual([true, false, false]);
    await desk.use.queue_change({ id: first.shortId, change: "cancel" });
    await desk.advance(0);
    expect([brief, last].map(saysWhy)).toEqual([true, false]);
    await desk.advance(60_000);
    expect([desk.state(brief), saysWhy(last)]).toEqual(["expired", true]);
  });

  it("is not waited for by what it could never say", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    const sent = await desk.sendAs(coder, "telegram/abc", "hello");
    expect(sent).toMatchObject({
      unmatched: true,
      reason: "telegram has no such place: write a place such as telegram/42",
    });
  });

  it("is no place for what nobody has configured", async () => {
    const { desk, coder } = await oneAgent();
    configured(desk);
    await desk.sendAs(coder, "slack/team/@ada", "hello");
    expect(desk.store.read.unmatched({ limit: 5 })).toHaveLength(1);
  });
});

describe("the code by which a person was recognised", () => {
  it.each(["bellhop-123456", "/start bellhop-123456", "Bellhop-123456 "])(
    "is no message to anybody: %j",
    async (text) => {
      const { desk, coder } = await oneAgent();
      const phone = await connectedPhone(desk);
      expect(await phone.writes(text)).toBe("echo");
      await desk.advance(20_000);
      expect([phone.texts(), coder.program.submitted, phone.kept("offset")]).toEqual([[], [], "1"]);
    },
  );
});

describe("a platform", () => {
  it("that asks for a pause gets it, whatever else is to be said meanwhile", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = { kind: "outage", why: "too many requests", retryAfterMs: 30_000 };
    const sent = await desk.sendAs(coder, "telegram/42", "first");
    await desk.advance(1_000);
    phone.answer = { kind: "said" };
    await desk.sendAs(coder, "telegram/42", "second");
    await desk.advance(20_000);
    expect([desk.state(sent), phone.texts()]).toEqual(["queued", []]);
    await desk.advance(20_000);
    expect(phone.texts()).toEqual(["[coder] first", "[coder] second"]);
  });

  it("may have been told something when its bridge fails: it is marked then", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = "lost";
    await desk.sendAs(coder, "telegram/42", "hello");
    await desk.advance(1_000);
    phone.answer = { kind: "said" };
    await desk.advance(10_000);
    expect(phone.texts()).toEqual(["[coder] hello", "(perhaps a repeat) [coder] hello"]);
    desk.expectFailures("outlet.failed");
  });

  it("that brings back what was said brings nobody's words, also if a daemon died in between", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.echoes = true;
    desk.crashAt("outside.said");
    await desk.sendAs(coder, "telegram/42", "hello");
    await desk.advance(5_000);
    expect([desk.crashed, phone.texts()]).toEqual([true, ["[coder] hello"]]);
    await desk.open();
    await phone.connect();
    await desk.advance(5_000);
    expect(phone.texts()).toEqual(["[coder] hello", "(perhaps a repeat) [coder] hello"]);
    for (const text of phone.texts()) {
      expect(await phone.writes(text, { mayBeEcho: "sent" }), text).toBe("echo");
      expect(await phone.writes(text, { mayBeEcho: "received" }), text).toBe("echo");
    }
    expect(await phone.writes("[coder] hello", { mayBeEcho: "sent" })).toBe("accepted");
  });
});

it("goes past any number of messages that the person holds back", async () => {
  const { desk, coder } = await oneAgent();
  configured(desk);
  for (let count = 0; count < 30; count += 1) {
    const { shortId } = await desk.sendAs(coder, "telegram/42", `held ${count}`);
    await desk.use.queue_change({ id: shortId, change: "hold" });
  }
  await desk.sendAs(coder, "telegram/42", "free");
  const phone = await connectedPhone(desk);
  await desk.advance(5_000);
  expect(phone.texts()).toEqual(["[coder] free"]);
});
