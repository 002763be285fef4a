import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import {
  attended,
  DAY,
  fired,
  HOUR,
  MINUTE,
  quietDesk,
  remindReviewer as remind,
} from "../../../tests/desk/reminders.ts";
import { JUMP_MS } from "./timekeeper.ts";

const JUMPS = [-400 * DAY, -DAY, -HOUR, -5_000, 5_000, HOUR, DAY, 400 * DAY];
const NONE = 0;

async function busyAgent(): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent();
  await desk.use.agent_add({ name: "reviewer" });
  coder.program.becomes({ busy: true });
  return { desk, coder };
}

describe("a clock that is set while we run", () => {
  it.each([...JUMPS, NONE])("by %i ms makes no message expire early or late", async (jump) => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: 10 * MINUTE });
    await desk.advance(4 * MINUTE);
    desk.clock.setWallClock(jump);
    await desk.advance(6 * MINUTE - 1);
    expect(desk.state(sent)).toBe("queued");
    await desk.advance(1);
    expect(desk.history(sent)).toEqual(["queued", "expired"]);
  });

  it.each(JUMPS)(
    "by %i ms leaves a sender's wish as it was made, in the receipt and in the notice",
    async (jump) => {
      const desk = await quietDesk();
      const wish = { timeoutMs: 10 * MINUTE + 30_500, notifyOnDelivery: true };
      const sent = await desk.send("reviewer", "soon", wish);
      desk.clock.setWallClock(jump);
      await desk.advance(20 * MINUTE);
      expect(desk.lastNote(sent)).toBe("nobody took it within 10m 30s 500ms (held: offline)");
      const told = desk.store.read
        .deliveries({ mailboxes: ["person/dev"] })
        .map(({ message }) => message.body);
      expect(told).toEqual([expect.stringContaining("nobody took it within 10m 30s 500ms\n")]);
    },
  );

  it.each(JUMPS)("by %i ms lets a message go out in its time", async (jump) => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", { timeoutMs: 10 * MINUTE });
    await desk.advance(4 * MINUTE);
    coder.program.becomes({ busy: false });
    desk.clock.setWallClock(jump);
    await desk.advance(MINUTE);
    expect(desk.state(sent)).toBe("delivered");
  });

  it.each([...JUMPS, NONE])("by %i ms makes no reminder come early, late or twice", async (jump) => {
    const desk = await quietDesk();
    await remind(desk, { afterMs: 10 * MINUTE });
    await desk.advance(4 * MINUTE);
    desk.clock.setWallClock(jump);
    await desk.advance(6 * MINUTE - 1);
    expect(fired(desk)).toBe(0);
    await desk.advance(1);
    expect(fired(desk)).toBe(1);
    await desk.advance(20 * MINUTE);
    expect(fired(desk)).toBe(1);
  });

  it.each([...JUMPS, NONE])("by %i ms keeps the pace of a repeated reminder", async (jump) => {
    const desk = await quietDesk();
    await attended(desk);
    await remind(desk, { everyMs: 10 * MINUTE });
    await desk.advance(15 * MINUTE);
    expect(fired(desk)).toBe(1);
    desk.clock.setWallClock(jump);
    for (const times of [2, 3, 4]) {
      await desk.advance(5 * MINUTE - 1);
      expect(fired(desk)).toBe(times - 1);
      await desk.advance(1);
      expect(fired(desk)).toBe(times);
      await desk.advance(5 * MINUTE);
    }
  });

  it.each([...JUMPS, NONE])(
    "by %i ms moves no follow-up, also one that is planned after it",
    async (jump) => {
      const { desk, coder } = await busyAgent();
      const sent = await desk.send("coder", "do it", { notifyAfterMs: 10 * MINUTE });
      await desk.advance(MINUTE);
      desk.clock.setWallClock(jump);
      coder.program.becomes({ busy: false });
      await desk.advance(10_000);
      expect(desk.state(sent)).toBe("delivered");
      const followUps = () =>
        desk.store.read.deliveries({}).filter(({ message }) => message.command === "follow-up").length;
      await desk.advance(10 * MINUTE - 10_500);
      expect(followUps()).toBe(0);
      await desk.advance(11_000);
      expect(followUps()).toBe(1);
    },
  );

  it.each(JUMPS)("by %i ms does not put off what is asked for right after", async (jump) => {
    const desk = await quietDesk();
    await remind(desk, { afterMs: 20 * DAY });
    await desk.advance(MINUTE + 1);
    desk.clock.setWallClock(jump);
    await remind(desk, { afterMs: 3_000 });
    const sent = await desk.send("reviewer", "soon", { timeoutMs: 3_000 });
    await desk.advance(2_999);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    await desk.advance(1);
    expect([fired(desk), desk.state(sent)]).toEqual([1, "expired"]);
  });

  it.each(JUMPS)("by %i ms does not put off what is nearly due when something else happens", async (jump) => {
    const { desk, coder } = await busyAgent();
    await remind(desk, { afterMs: 5_000 });
    await desk.advance(1_000);
    desk.clock.setWallClock(jump);
    await desk.send("coder", "something else");
    coder.program.becomes({ busy: false });
    await desk.advance(3_999);
    expect(fired(desk)).toBe(0);
    await desk.advance(1);
    expect(fired(desk)).toBe(1);
  });

  it("again and again, there and back, adds up to nothing", async () => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: HOUR });
    await remind(desk, { afterMs: HOUR });
    for (const jump of [HOUR, -DAY, 3 * DAY, -HOUR, -2 * DAY, 10_000]) {
      desk.clock.setWallClock(jump);
      await desk.advance(7 * MINUTE);
    }
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    await desk.advance(18 * MINUTE - 1);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    await desk.advance(1);
    expect([fired(desk), desk.state(sent)]).toEqual([1, "expired"]);
  });

  it("while a message is being delivered moves its deadline too", async () => {
    const { desk, coder } = await busyAgent();
    const sent = await desk.send("coder", "soon", { timeoutMs: 10 * MINUTE });
    let typed = false;
    desk.onStep((step) => {
      if (step !== "deliver.marked" || typed) return;
      typed = true;
      desk.clock.setWallClock(DAY);
      coder.program.types("x");
      // The deadline of another message reveals the jump while this one is being delivered.
      void desk.use.send({ to: "coder", body: "other", timeoutMs: HOUR, claims: { user: "dev" } });
    });
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued"]);
    expect(desk.delivery(sent).timeoutAt).toBe(desk.delivery(sent).queuedAt + DAY + 10 * MINUTE);
  });

  it("is told to whoever reads the log, once a jump", async () => {
    const desk = await quietDesk();
    await remind(desk, { afterMs: HOUR });
    desk.clock.setWallClock(JUMP_MS - 1);
    await desk.advance(2 * MINUTE);
    expect(desk.warnings.filter((event) => event === "clock.jumped")).toHaveLength(0);
    desk.clock.setWallClock(-JUMP_MS);
    await desk.advance(10 * MINUTE);
    expect(desk.warnings.filter((event) => event === "clock.jumped")).toHaveLength(1);
  });

  it("is not lost when the disk is full: every deadline moves when it can", async () => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: 10 * MINUTE });
    await remind(desk, { afterMs: 10 * MINUTE });
    await desk.advance(MINUTE);
    desk.disk.state = "full";
    desk.clock.setWallClock(DAY);
    await desk.advance(2 * MINUTE);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    desk.expectFailures("timers.failed");
    desk.disk.state = "works";
    await desk.advance(7 * MINUTE - 1);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    await desk.advance(1);
    expect([fired(desk), desk.state(sent)]).toEqual([1, "expired"]);
  });
});

describe("a clock that is set back", () => {
  it("does not make a quiet program look busy until the clock has caught up", async () => {
    const { desk, coder } = await busyAgent();
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    desk.clock.setWallClock(-2 * DAY);
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("while no daemon ran does not keep what was in flight waiting until it has caught up", async () => {
    const { desk, coder } = await busyAgent();
    coder.program.becomes({ busy: false });
    coder.program.echoes = "otherwise";
    await desk.advance(10_000);
    coder.beforeAnswer = async () => desk.crash();
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect([desk.crashed, desk.state(sent)]).toEqual([true, "delivering"]);
    coder.beforeAnswer = async () => {};
    desk.clock.setWallClock(-2 * DAY);
    await desk.open();
    await desk.advance(MINUTE);
    expect(["delivered", "unconfirmed"]).toContain(desk.state(sent));
  });
});

describe("what goes by the wall clock", () => {
  it("comes when the clock is set past it, soon, and only once", async () => {
    const desk = await quietDesk();
    await remind(desk, { at: desk.clock.now() + 5 * HOUR });
    await desk.advance(HOUR);
    desk.clock.setWallClock(4 * HOUR);
    await desk.advance(MINUTE);
    expect(fired(desk)).toBe(1);
    desk.clock.setWallClock(-4 * HOUR);
    await desk.advance(5 * HOUR);
    expect(fired(desk)).toBe(1);
  });

  it("waits longer when the clock is set back, and comes at its time", async () => {
    const desk = await quietDesk();
    const at = desk.clock.now() + HOUR;
    await remind(desk, { at });
    await desk.advance(30 * MINUTE);
    desk.clock.setWallClock(-3 * HOUR);
    await desk.advance(3 * HOUR + 30 * MINUTE - 1);
    expect(fired(desk)).toBe(0);
    await desk.advance(1);
    expect(desk.clock.now()).toBe(at);
    expect(fired(desk)).toBe(1);
  });

  it("comes by a cron line once for each of its times, however the clock goes back and forth", async () => {
    const desk = await quietDesk();
    await attended(desk);
    // 09:00 here; every minute, so that this machine's time zone does not matter.
    await remind(desk, { cron: "* * * * *" });
    await desk.advance(1.5 * MINUTE);
    expect(fired(desk)).toBe(1);
    desk.clock.setWallClock(-2 * MINUTE);
    // 08:59:30: the wall clock shows the next minutes a second time, but 09:01 has already fired.
    await desk.advance(2 * MINUTE);
    expect(fired(desk)).toBe(1);
    await desk.advance(MINUTE);
    expect(fired(desk)).toBe(2);
    desk.clock.setWallClock(5 * MINUTE);
    // Five times were skipped: they come once.
    await desk.advance(MINUTE / 2 + 1_000);
    expect(fired(desk)).toBe(3);
    await desk.advance(MINUTE);
    expect(fired(desk)).toBe(4);
  });
});
