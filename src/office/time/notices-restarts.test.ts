import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { after, notices, onDelivery, pair, said } from "../../../tests/desk/notified-pair.ts";

describe("a notice and the daemon's life", () => {
  const everyStep = [
    "notice.owed",
    "notice.told",
    "accept.validated",
    "accept.in-transaction",
    "accept.committed",
  ] as const;

  it.each(everyStep)("comes once, killed at %s", async (step) => {
    const { desk, tester } = await pair();
    desk.onStep((reached) => {
      if (reached === "deliver.proven") desk.crashAt(step);
    });
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(desk.crashed).toBe(true);
    expect(desk.state(sent)).toBe("delivered");
    desk.failures.splice(0);
    await desk.open();
    await desk.advance(20_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
    expect(tester.program.submitted).toHaveLength(2);
  });

  it.each(["timer.due", "timer.fired", "accept.in-transaction", "accept.committed"] as const)(
    "follows up once, killed at %s",
    async (step) => {
      const { desk, tester } = await pair();
      await desk.sendAs(tester, "coder", "do task X", after);
      await desk.advance(60_000);
      desk.crashAt(step);
      await desk.advance(300_000);
      expect(desk.crashed).toBe(true);
      desk.failures.splice(0);
      await desk.open();
      await desk.advance(20_000);
      expect(said(desk).map(([command, , state]) => [command, state])).toEqual([["follow-up", "delivered"]]);
      expect(desk.store.read.nextTimer()).toBeUndefined();
      await desk.advance(600_000);
      expect(tester.program.submitted).toHaveLength(1);
    },
  );

  it("follows up at once when the while passed and no daemon ran", async () => {
    const { desk } = await pair();
    await desk.sendAs(desk.agents[1] as DeskAgent, "coder", "do task X", after);
    await desk.advance(60_000);
    desk.crash();
    await desk.advance(3_600_000);
    await desk.open();
    await desk.advance(1_000);
    expect(said(desk).map(([command]) => command)).toEqual(["follow-up"]);
  });

  it("comes for a delivery that is found to have arrived after a restart", async () => {
    const { desk, coder, tester } = await pair();
    coder.beforeAnswer = async () => desk.crash();
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(3_000);
    expect(desk.state(sent)).toBe("delivering");
    coder.beforeAnswer = async () => {};
    await desk.open();
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
  });

  it("waits for a disk that is full, and comes then", async () => {
    const { desk, tester } = await pair();
    desk.onStep((step) => {
      if (step === "notice.owed") desk.disk.state = "full";
    });
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.delivery(sent).owes).toEqual({ onDelivery: true });
    expect(said(desk)).toEqual([]);
    desk.expectFailures("notices.failed", "courier.round_failed");
    desk.onStep(() => {});
    desk.disk.state = "works";
    await desk.advance(20_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "delivered"],
    ]);
  });

  it("comes for each of many at once", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    tester.program.becomes({ busy: true });
    const asked = { ...onDelivery, timeoutMs: 60_000 };
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => desk.sendAs(tester, "coder", `task ${at}`, asked)),
    );
    await desk.advance(61_000);
    const told = notices(desk).map(({ message }) => /task \d+/u.exec(message.body)?.[0]);
    expect(new Set(told).size).toBe(60);
    expect(told).toHaveLength(60);
  });
});
