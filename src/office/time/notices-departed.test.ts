import { describe, expect, it } from "vitest";
import { after, notices, onDelivery, pair, said } from "../../../tests/desk/notified-pair.ts";

describe("a sender who is gone", () => {
  it("is not written to", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    coder.program.becomes({ busy: false });
    await desk.advance(600_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk)).toEqual([]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });

  it("is not written to when the while after the delivery has passed", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(60_000);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(300_000);
    expect(said(desk)).toEqual([]);
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });

  it("leaves no notice waiting: what was queued for its session is dropped", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    const session = desk.sessionOf(tester);
    const other = await desk.send(session, "from a person");
    await desk.advance(10_000);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(1_000);
    expect(said(desk)).toEqual([["delivery-notice", `session/${session}`, "cancelled"]]);
    const [notice] = notices(desk);
    expect(desk.store.read.receiptsOf(notice?.delivery.id ?? "").at(-1)?.note).toBe(
      "the session that was to be told has ended",
    );
    // What others wrote stays.
    expect(desk.state(other)).toBe("queued");
  });

  it("leaves none either when the disk was full just then", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    desk.disk.state = "full";
    desk.ends(tester);
    await desk.done(desk.use.ls({})).catch(() => {});
    await desk.advance(10_000);
    desk.expectFailures("notices.failed", "courier.round_failed");
    desk.disk.state = "works";
    await desk.advance(10_000);
    expect(said(desk).map(([, , state]) => state)).toEqual(["cancelled"]);
  });

  it("leaves none either when it ended while no daemon ran", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    const session = desk.sessionOf(tester);
    const other = await desk.send(session, "from a person");
    await desk.advance(10_000);
    desk.crash();
    desk.ends(tester);
    await desk.ready();
    expect(said(desk)).toEqual([["delivery-notice", `session/${session}`, "cancelled"]]);
    expect(desk.state(other)).toBe("queued");
  });

  it("leaves none when it ends in the very step in which the notice is written", async () => {
    const { desk, tester } = await pair();
    tester.program.becomes({ busy: true });
    desk.onStep((step) => {
      if (step !== "notice.owed") return;
      desk.ends(tester);
      void desk.office.scan();
    });
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(said(desk).filter(([, , state]) => state === "queued")).toEqual([]);
  });

  it("is told in the session that goes on with its conversation", async () => {
    const { desk, coder } = await pair();
    const first = desk.agent("writer", { registry: { programSessionId: "conversation" } as never });
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    coder.program.becomes({ busy: true });
    await desk.sendAs(first, "coder", "do task X", onDelivery);
    desk.ends(first);
    const second = desk.agent("writer", { registry: { programSessionId: "conversation" } as never });
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    coder.program.becomes({ busy: false });
    await desk.advance(30_000);
    expect(second.program.submitted).toHaveLength(1);
    expect(said(desk).map(([, , state]) => state)).toEqual(["delivered"]);
  });

  it("is not taken for gone by a daemon that could not look", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, timeoutMs: 30_000 });
    const session = desk.sessionOf(tester);
    desk.crash();
    await desk.advance(60_000);
    desk.scan = "unknown";
    await desk.open();
    await desk.advance(5_000);
    desk.scan = "scanned";
    await desk.done(desk.use.ls({}));
    await desk.advance(20_000);
    expect(said(desk)).toEqual([["expiry-notice", `session/${session}`, "delivered"]]);
  });
});
