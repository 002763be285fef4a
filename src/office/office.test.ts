import { describe, expect, it } from "vitest";
import { oneAgent } from "../../tests/desk/desk.ts";

describe("the office", () => {
  it("types a message into an idle program and proves it by its screen", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste", evidence: "screen" });
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered"]);
  });

  it("finishes the delivery in hand when it closes", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(desk.state(sent)).toBe("delivering");
    await desk.done(desk.office.close());
    expect(desk.state(sent)).toBe("unconfirmed");
    await desk.send("coder", "too late");
    await desk.advance(30_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("forgets what was finished long ago, with its file", async () => {
    const { desk } = await oneAgent();
    const old = await desk.send("coder", "old");
    await desk.advance(3_000);
    desk.clock.setWallClock(31 * 86_400_000);
    const fresh = await desk.send("coder", "fresh");
    await desk.advance(10_000);
    await desk.done(desk.office.forget());
    expect(desk.store.read.message(old.messageId)).toBeUndefined();
    expect(desk.store.read.message(fresh.messageId)).toBeDefined();
  });

  it("reconsiders what was held when the settings change", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("queued");
    desk.settings = { ...desk.settings, inputStaleMs: 1_000 };
    desk.office.reconsider();
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("half a thought");
  });

  it("is not confused by a wall clock that is set back or forth", async () => {
    for (const byMs of [-86_400_000, 86_400_000]) {
      const { desk, coder } = await oneAgent();
      coder.program.becomes({ busy: true });
      const sent = await desk.send("coder", "hello");
      await desk.advance(3_000);
      desk.clock.setWallClock(byMs);
      await desk.advance(20_000);
      expect(desk.state(sent)).toBe("queued");
      coder.program.becomes({ busy: false });
      await desk.advance(30_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.submitted).toHaveLength(1);
    }
  });
});
