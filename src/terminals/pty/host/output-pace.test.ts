import { describe, expect, it } from "vitest";
import { OutputPace } from "./output-pace.ts";

/** A model that draws when it is told to, and a program that can be kept waiting. */
function staged() {
  let written = "";
  let undrawn = 0;
  let wakers: (() => void)[] = [];
  const calls: string[] = [];
  const model = {
    get undrawnBytes() {
      return undrawn;
    },
    write(bytes: Uint8Array) {
      written += Buffer.from(bytes).toString();
      undrawn += bytes.length;
    },
    drawn: () =>
      undrawn === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            wakers.push(resolve);
          }),
  };
  const pace = new OutputPace(model, {
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
  });
  return {
    pace,
    calls,
    written: () => written,
    async draw() {
      undrawn = 0;
      const now = wakers;
      wakers = [];
      for (const wake of now) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const MUCH = Buffer.alloc(20_000, "x");

describe("a program that writes faster than its screen is drawn", () => {
  it("waits until it is drawn, and goes on", async () => {
    const { pace, calls, draw } = staged();
    pace.take(Buffer.from("a little"));
    expect(calls).toEqual([]);
    pace.take(MUCH);
    pace.take(MUCH);
    expect(calls).toEqual(["pause"]);
    await draw();
    expect(calls).toEqual(["pause", "resume"]);
  });

  it("does not wait any more once it is to end; what is left out is never its last words", async () => {
    const { pace, calls, draw, written } = staged();
    pace.take(MUCH);
    pace.hurry();
    expect(calls).toEqual(["pause", "resume"]);
    for (let more = 0; more < 50; more += 1) pace.take(MUCH);
    pace.take(Buffer.from("put away"));
    expect(calls).toEqual(["pause", "resume"]);
    expect(pace.hasLeftOut).toBe(true);
    let drawn = false;
    void pace.drawn().then(() => {
      drawn = true;
    });
    await draw();
    expect(pace.hasLeftOut).toBe(false);
    expect(written().endsWith("xput away")).toBe(true);
    expect(written().length).toBeLessThan(100_000);
    expect(drawn).toBe(false);
    await draw();
    expect(drawn).toBe(true);
    expect(calls).toEqual(["pause", "resume"]);
  });
});
