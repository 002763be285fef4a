import { describe, expect, it } from "vitest";
import { AttachTurn } from "./attach-turn.ts";

/** Time that moves only when something waits for it. */
function waitingClock() {
  let at = 0;
  const onWait: (() => void)[] = [];
  return {
    onWait,
    now: () => at,
    monotonic: () => at,
    after(delayMs: number, call: () => void) {
      at += delayMs;
      onWait.shift()?.();
      queueMicrotask(call);
      return () => {};
    },
  };
}

const wait = { quietMs: 100, patienceMs: 1_000 };

describe("the turn to attach", () => {
  it("comes at once on a quiet server", async () => {
    const clock = waitingClock();
    expect(await new AttachTurn(clock).take(wait, async () => clock.now())).toBe(0);
  });

  it("comes to one after the other, also after a failure", async () => {
    const turn = new AttachTurn(waitingClock());
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(`${name} in`);
      await Promise.resolve();
      order.push(`${name} out`);
      if (name === "a") throw new Error("a failed");
    };
    const first = turn.take(wait, task("a"));
    const second = turn.take(wait, task("b"));
    await expect(first).rejects.toThrow("a failed");
    await second;
    expect(order).toEqual(["a in", "a out", "b in", "b out"]);
  });

  it("waits for a quiet moment after each notice", async () => {
    const clock = waitingClock();
    const turn = new AttachTurn(clock);
    turn.noticed();
    clock.onWait.push(() => turn.noticed());
    expect(await turn.take(wait, async () => clock.now())).toBe(200);
  });

  it("does not come while notices never end", async () => {
    const clock = waitingClock();
    const turn = new AttachTurn(clock);
    turn.noticed();
    clock.onWait.push(...Array.from({ length: 50 }, () => () => turn.noticed()));
    expect(await turn.take(wait, async () => "attached")).toBeUndefined();
  });

  it("is not held by one who still waits for quiet", async () => {
    const turn = new AttachTurn({ now: () => 0, monotonic: () => 0, after: () => () => {} });
    turn.noticed();
    void turn.take(wait, async () => "never");
    expect(await turn.take({ quietMs: 0, patienceMs: 0 }, async () => "attached")).toBe("attached");
  });

  it("is given up at once when it is stopped", async () => {
    const turn = new AttachTurn({ now: () => 0, monotonic: () => 0, after: () => () => {} });
    turn.noticed();
    const waiting = turn.take(wait, async () => "attached");
    turn.stop();
    expect(await waiting).toBeUndefined();
    expect(await turn.take(wait, async () => "attached")).toBeUndefined();
  });
});
