import { describe, expect, it } from "vitest";
import {
  attended,
  fired,
  HOUR,
  MINUTE,
  quietDesk,
  remindReviewer as remind,
} from "../../../tests/desk/reminders.ts";
import type { OfficeContext } from "../base/context.ts";
import { Timekeeper } from "./timekeeper.ts";

describe("a machine that sleeps", () => {
  it("wakes to what came due meanwhile: each once, within a look", async () => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: HOUR });
    await remind(desk, { afterMs: HOUR });
    await desk.use.agent_add({ name: "taker" });
    await attended(desk, "taker");
    await remind(desk, { everyMs: HOUR, to: "taker" });
    await remind(desk, { at: desk.clock.now() + HOUR });
    await desk.advance(MINUTE);
    desk.clock.sleeps(10 * HOUR);
    await desk.advance(30_000);
    expect([fired(desk), desk.state(sent)]).toEqual([3, "expired"]);
    await desk.advance(28 * MINUTE);
    expect(fired(desk)).toBe(3);
    // The repeating one keeps its phase.
    await desk.advance(31 * MINUTE);
    expect(fired(desk)).toBe(4);
  });

  it("has slept part of a delay away, and no more", async () => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: HOUR });
    await remind(desk, { afterMs: HOUR });
    desk.clock.sleeps(50 * MINUTE);
    await desk.advance(10 * MINUTE - 1);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    await desk.advance(1);
    expect([fired(desk), desk.state(sent)]).toEqual([1, "expired"]);
  });

  it("may have its clock set as it wakes", async () => {
    const desk = await quietDesk();
    await remind(desk, { afterMs: HOUR });
    desk.clock.sleeps(50 * MINUTE);
    desk.clock.setWallClock(-7 * HOUR);
    await desk.advance(10 * MINUTE - 1);
    expect(fired(desk)).toBe(0);
    await desk.advance(1);
    expect(fired(desk)).toBe(1);
  });
});

describe("a process that waits for a processor", () => {
  it("between its looks at two clocks measures a jump as far as it was", async () => {
    let elapsed = 0;
    let aheadMs = 0;
    let waitsMs = 0;
    const now = () => {
      const wall = HOUR + elapsed + aheadMs;
      elapsed += waitsMs;
      waitsMs = 0;
      return wall;
    };
    const shifted: number[] = [];
    const tx = { shiftDeadlines: (byMs: number) => shifted.push(byMs) };
    const store = {
      read: { deadlineMark: () => 0 },
      write: async (work: (to: typeof tx) => unknown) => work(tx),
    };
    const clock = { now, elapsed: () => elapsed };
    const context = { clock, store, log: { warn: () => {} } } as unknown as OfficeContext;
    const timekeeper = new Timekeeper(context);
    aheadMs = HOUR;
    waitsMs = 100;
    await timekeeper.now();
    expect(shifted).toEqual([HOUR]);
  });
});

describe("what an earlier run of the daemon left", () => {
  it("is known by the wall clock alone: set right after a wrong start, nothing is early and nothing lost", async () => {
    const desk = await quietDesk();
    const sent = await desk.send("reviewer", "soon", { timeoutMs: HOUR });
    await remind(desk, { afterMs: HOUR });
    await remind(desk, { afterMs: 3 * HOUR });
    desk.crash();
    await desk.advance(2 * HOUR);
    const right = desk.clock.now();
    desk.clock.setWallClock(-right);
    await desk.open();
    await desk.advance(5 * MINUTE);
    expect([fired(desk), desk.state(sent)]).toEqual([0, "queued"]);
    const own = await desk.send("reviewer", "in 1970", { timeoutMs: HOUR });
    await remind(desk, { afterMs: HOUR });
    desk.clock.setWallClock(right);
    await desk.advance(MINUTE);
    expect([fired(desk), desk.state(sent), desk.state(own)]).toEqual([1, "expired", "queued"]);
    await desk.advance(54 * MINUTE);
    expect([fired(desk), desk.state(own)]).toEqual([2, "queued"]);
    await desk.advance(5 * MINUTE - 1);
    expect([fired(desk), desk.state(own)]).toEqual([2, "queued"]);
    await desk.advance(1);
    expect([fired(desk), desk.state(own)]).toEqual([3, "expired"]);
  });

  it("keeps the pace of this run once it has come again", async () => {
    const desk = await quietDesk();
    await remind(desk, { everyMs: 10 * MINUTE });
    await desk.advance(MINUTE);
    await desk.open();
    await attended(desk);
    await desk.advance(10 * MINUTE);
    expect(fired(desk)).toBe(1);
    desk.clock.setWallClock(-6 * HOUR);
    await desk.advance(10 * MINUTE);
    expect(fired(desk)).toBe(2);
  });
});
