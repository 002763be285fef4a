import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import {
  LOOP_LIMITS as FIXED,
  type LoopMessage,
  type LoopState,
  loopStep,
  NO_LOOPS,
  STANDARD_LOOP_LIMITS,
} from "./loop-breaker.ts";

const LOOP_LIMITS = { ...FIXED, ...STANDARD_LOOP_LIMITS };

import type { Source } from "../message.ts";

const START = 1_700_000_000_000;

let bodies = 0;

function answer(more: Partial<LoopMessage> = {}): LoopMessage {
  bodies += 1;
  const usual = { from: "agent/a", to: "agent/b", hops: 2, source: "agent", now: START } as const;
  return { ...usual, bodyDigest: `body-${bodies}`, ...more };
}

/** The verdict on each, `pass` or the reason. */
function verdicts(
  messages: readonly LoopMessage[],
  start = NO_LOOPS,
): readonly [LoopState, readonly string[]] {
  let state = start;
  const said = messages.map((message) => {
    const [next, verdict] = loopStep(state, message, STANDARD_LOOP_LIMITS);
    state = next;
    return verdict.kind === "pass" ? "pass" : verdict.reason;
  });
  return [state, said];
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const passes = (count: number): readonly string[] => times(count, () => "pass");

describe("loopStep", () => {
  it("lets answers pass up to the last hop, and none beyond", () => {
    const hops = times(LOOP_LIMITS.hops + 3, (index) => index);
    const [, said] = verdicts(hops.map((hop) => answer({ hops: hop, to: `agent/to-${hop}` })));
    expect(said).toEqual([...passes(LOOP_LIMITS.hops + 1), "hops", "hops"]);
  });

  it("stops a pair at its limit within a minute, one way only", () => {
    const [state, said] = verdicts(times(LOOP_LIMITS.perMinute + 2, () => answer()));
    expect(said).toEqual([...passes(LOOP_LIMITS.perMinute), "pair", "pair"]);
    const [, back] = verdicts([answer({ from: "agent/b", to: "agent/a" }), answer({ to: "agent/c" })], state);
    expect(back).toEqual(passes(2));
  });

  it("counts by when they were written: what had to wait for hours may come at once", () => {
    const [, said] = verdicts(
      times(100, (index) => answer({ bodyDigest: "done", agoMs: (100 - index) * 60_000 })),
    );
    expect(said).toEqual(passes(100));
  });

  it("stops what was written within a minute, however late it comes", () => {
    const agoMs = (index: number) => 3_600_000 - index * 1_000;
    const [, said] = verdicts(times(LOOP_LIMITS.perMinute + 2, (index) => answer({ agoMs: agoMs(index) })));
    expect(said).toEqual([...passes(LOOP_LIMITS.perMinute), "pair", "pair"]);
  });

  it("stops a host that says whatever it likes of when its letters were written, if many more come", () => {
    const most = LOOP_LIMITS.perMinute * LOOP_LIMITS.backlog;
    const [state, said] = verdicts(times(most + 2, (index) => answer({ agoMs: index * 60_000 })));
    expect(said).toEqual([...passes(most), "pair", "pair"]);
    const [, hops] = verdicts(
      [answer({ hops: LOOP_LIMITS.hops + 1, agoMs: 86_400_000, to: "agent/c" })],
      state,
    );
    expect(hops).toEqual(["hops"]);
  });

  it("forgets no other pair for what is said to be old", () => {
    const [state] = verdicts(times(LOOP_LIMITS.perMinute, () => answer()));
    const [after] = verdicts([answer({ from: "agent/c@b", agoMs: 86_400_000 })], state);
    expect(verdicts([answer()], after)[1]).toEqual(["pair"]);
  });

  it("stops an agent that answers itself sooner", () => {
    const [, said] = verdicts(times(LOOP_LIMITS.perSelf + 1, () => answer({ to: "agent/a" })));
    expect(said).toEqual([...passes(LOOP_LIMITS.perSelf), "self"]);
  });

  it("stops the same words again and again, but not other words between them", () => {
    const same = () => answer({ bodyDigest: "thanks" });
    const [state, said] = verdicts([same(), answer(), same(), answer(), same(), same(), answer()]);
    expect(said).toEqual([...passes(5), "body", "pass"]);
    const [, elsewhere] = verdicts([{ ...same(), to: "agent/c" }], state);
    expect(elsewhere).toEqual(["pass"]);
  });

  it("lets a pair go on as the minute passes", () => {
    const { perMinute, windowMs } = LOOP_LIMITS;
    const [full] = verdicts(times(perMinute, (index) => answer({ now: START + index })));
    const [, said] = verdicts(
      [
        answer({ now: START + windowMs - 1 }),
        answer({ now: START + windowMs }),
        answer({ now: START + windowMs }),
        answer({ now: START + windowMs + 1 }),
      ],
      full,
    );
    expect(said).toEqual(["pair", "pass", "pair", "pass"]);
  });

  it("does not count what it stopped", () => {
    const [full] = verdicts(times(LOOP_LIMITS.perMinute, () => answer()));
    const [after] = verdicts(
      times(50, () => answer({ now: START + 30_000 })),
      full,
    );
    expect(after).toBe(full);
  });

  it("forgets what a clock that was set back had put into the future", () => {
    const [full] = verdicts(times(LOOP_LIMITS.perMinute, () => answer()));
    const [, said] = verdicts([answer({ now: START - 3_600_000 })], full);
    expect(said).toEqual(["pass"]);
  });

  it.each<Source>(["person", "script", "bridge", "webhook", "bellhop"])(
    "never counts or stops a %s",
    (source) => {
      const [state, said] = verdicts(
        times(50, () => answer({ source, hops: LOOP_LIMITS.hops + 5, bodyDigest: "same", to: "agent/a" })),
      );
      expect(said).toEqual(passes(50));
      expect(state).toBe(NO_LOOPS);
    },
  );

  it("counts what another host's Bellhop says like an agent's words", () => {
    const from = "bellhop/notices@laptop";
    const [, said] = verdicts(times(LOOP_LIMITS.perMinute + 1, () => answer({ from, source: "bellhop" })));
    expect(said.filter((verdict) => verdict !== "pass")).toEqual(["pair"]);
  });

  it("never counts what an agent says first, nor the answers to that", () => {
    const [state, said] = verdicts(times(100, (index) => answer({ hops: index % 2, bodyDigest: "same" })));
    expect(said).toEqual(passes(100));
    expect(state).toBe(NO_LOOPS);
  });

  it("remembers only so many pairs, and forgets who was silent longest", () => {
    const to = (index: number) => answer({ to: `agent/x-${index}`, bodyDigest: "same" });
    const [full] = verdicts([...times(LOOP_LIMITS.pairs, to), to(0), to(0), to(1)]);
    expect(full.size).toBe(LOOP_LIMITS.pairs);
    const [after, said] = verdicts([to(LOOP_LIMITS.pairs), to(0), to(2), to(2)], full);
    expect(said).toEqual(["pass", "body", "pass", "pass"]);
    expect(after.size).toBe(LOOP_LIMITS.pairs);
  });

  it("remembers nobody who has been silent for a minute", () => {
    const [full] = verdicts(times(100, (index) => answer({ to: `agent/x-${index}` })));
    const [after] = verdicts([answer({ now: START + LOOP_LIMITS.windowMs })], full);
    expect([...after.keys()]).toEqual(["agent/a\nagent/b"]);
  });

  it("never lets more than the limit pass in any minute, whatever comes", () => {
    const message = fc.record({
      to: fc.constantFrom("agent/a", "agent/b"),
      after: fc.integer({ min: 0, max: 9_000 }),
      body: fc.constantFrom("x", "y", "z", "u", "v", "w", "1", "2", "3"),
      hops: fc.integer({ min: 2, max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 80, size: "max" }), (steps) => {
        let state = NO_LOOPS;
        let now = START;
        const passed: { readonly to: string; readonly body: string; readonly at: number }[] = [];
        for (const { to, after, body, hops } of steps) {
          now += after;
          const [next, verdict] = loopStep(
            state,
            answer({ to, hops, bodyDigest: body, now }),
            STANDARD_LOOP_LIMITS,
          );
          state = next;
          if (verdict.kind === "pass") passed.push({ to, body, at: now });
          const minute = passed.filter((one) => one.to === to && now - one.at < LOOP_LIMITS.windowMs);
          const most = to === "agent/a" ? LOOP_LIMITS.perSelf : LOOP_LIMITS.perMinute;
          assert.isAtMost(minute.length, most);
          const same = minute.filter((one) => one.body === body).length;
          assert.isAtMost(same, LOOP_LIMITS.sameBody);
          if (verdict.kind === "stop") {
            assert(hops > LOOP_LIMITS.hops || minute.length === most || same === LOOP_LIMITS.sameBody);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
