import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { THROTTLE, type ThrottleState, type ThrottleVerdict, throttle } from "./throttle.ts";

function told(moments: readonly number[]): { verdicts: ThrottleVerdict[]; state: ThrottleState } {
  let state: ThrottleState = [];
  const verdicts = moments.map((now) => {
    const [next, verdict] = throttle(state, now);
    state = next;
    return verdict;
  });
  return { verdicts, state };
}

const { wrongTokens, windowMs } = THROTTLE;

describe("wrong tokens", () => {
  it("are told no, until there were too many within the window", () => {
    const { verdicts } = told(Array.from({ length: wrongTokens + 2 }, (_, index) => index));
    expect(verdicts.slice(0, wrongTokens).every(({ kind }) => kind === "told-no")).toBe(true);
    expect(verdicts.slice(wrongTokens)).toEqual([
      { kind: "throttled", retryAfterMs: windowMs - wrongTokens },
      { kind: "throttled", retryAfterMs: windowMs - wrongTokens - 1 },
    ]);
  });

  it("are told no again exactly when they were told to come back", () => {
    const full = Array<number>(wrongTokens).fill(5_000);
    expect(told([...full, 5_000 + windowMs - 1]).verdicts.at(-1)).toEqual({
      kind: "throttled",
      retryAfterMs: 1,
    });
    expect(told([...full, 5_000 + windowMs]).verdicts.at(-1)).toEqual({ kind: "told-no" });
  });

  it("do not keep anybody waiting after the clock was set back", () => {
    const full = Array<number>(wrongTokens).fill(9_000_000);
    expect(told([...full, 1_000]).verdicts.at(-1)).toEqual({ kind: "told-no" });
  });

  it("never take more memory than the limit, nor let more through in any window", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: windowMs }), { maxLength: 200 }), (gaps) => {
        let now = 0;
        const moments = gaps.map((gap) => {
          now += Math.floor(gap / 4);
          return now;
        });
        const { verdicts, state } = told(moments);
        expect(state.length).toBeLessThanOrEqual(wrongTokens);
        const through = moments.filter((_, index) => verdicts[index]?.kind === "told-no");
        for (const from of through) {
          const within = through.filter((at) => at >= from && at - from < windowMs);
          expect(within.length).toBeLessThanOrEqual(wrongTokens);
        }
        for (const verdict of verdicts) {
          if (verdict.kind !== "throttled") continue;
          expect(verdict.retryAfterMs).toBeGreaterThan(0);
          expect(verdict.retryAfterMs).toBeLessThanOrEqual(windowMs);
        }
      }),
    );
  });
});
