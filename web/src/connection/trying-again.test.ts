import { describe, expect, it } from "vitest";
import type { Answer } from "./requests.ts";
import { TryingAgain } from "./trying-again.ts";

const refused = (status: number): Answer<never> => ({
  kind: "refused",
  status,
  error: { code: "daemon.unreachable", message: "", next: "" },
});
const LOST = refused(0);
const DONE: Answer<object> = { kind: "done", body: {} };

function scene() {
  let asked = 0;
  const timers = new Set<{ ms: number; act: () => void }>();
  const waiting = new Set<() => void>();
  let isReady = true;
  const trying = new TryingAgain({
    ask: () => {
      asked += 1;
    },
    after: (ms, act) => {
      const timer = { ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 1,
    whenReady: (act) => {
      if (isReady) act();
      else waiting.add(act);
      return () => void waiting.delete(act);
    },
  });
  return {
    trying,
    count: () => asked,
    pauses: () => [...timers].map(({ ms }) => ms),
    passes: () => {
      const [timer] = timers;
      if (timer === undefined) throw new Error("nothing waits");
      timers.delete(timer);
      timer.act();
    },
    ready: (is: boolean) => {
      isReady = is;
      if (is) for (const act of waiting) act();
    },
    waits: () => waiting.size,
  };
}

describe("what got no answer", () => {
  it("is asked again after longer and longer pauses, and after a short one once it was answered", () => {
    const { trying, count, pauses, passes } = scene();
    for (const pause of [500, 1_000, 2_000]) {
      trying.told(DONE, LOST);
      expect(pauses()).toEqual([pause]);
      passes();
    }
    expect(count()).toBe(3);
    trying.told(DONE);
    expect(pauses()).toEqual([]);
    trying.told(refused(503));
    expect(pauses()).toEqual([500]);
  });

  it("is not asked again if it was answered meanwhile, or refused", () => {
    const { trying, pauses } = scene();
    trying.told(LOST);
    trying.told(DONE, undefined);
    expect(pauses()).toEqual([]);
    trying.told(refused(404), refused(401));
    expect(pauses()).toEqual([]);
  });

  it("waits until the page is live and seen", () => {
    const { trying, count, passes, ready, waits } = scene();
    ready(false);
    trying.told(LOST);
    passes();
    expect(count()).toBe(0);
    ready(true);
    expect(count()).toBe(1);
    ready(false);
    trying.told(LOST);
    passes();
    trying.told(DONE);
    expect(waits()).toBe(0);
  });

  it("is not asked any more once nobody wants to know", () => {
    const { trying, pauses } = scene();
    trying.told(LOST);
    trying.end();
    expect(pauses()).toEqual([]);
    trying.told(LOST);
    expect(pauses()).toEqual([]);
  });
});
