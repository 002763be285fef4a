import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialog, draft, empty, unreadable, working } from "../../../tests/readiness-signals.ts";
import type { Reading } from "./reading.ts";
import {
  awaitedTurn,
  type SeenTurn,
  shownBy,
  stepTurn,
  type TurnLimits,
  type TurnLook,
} from "./seen-turn.ts";
import type { ReadinessKind } from "./state.ts";

const SINCE = 1_000;
const LIMITS: TurnLimits = { beginsWithinMs: 5_000, signWithinMs: 60_000, longestMs: 100_000 };

function seen(looks: readonly TurnLook[], limits: TurnLimits = LIMITS): SeenTurn {
  return looks.reduce((turn, look) => stepTurn(turn, look, limits), awaitedTurn(SINCE));
}

const look = (ms: number, shows: TurnLook["shows"], inComposer?: TurnLook["draft"]): TurnLook => ({
  now: SINCE + ms,
  shows,
  draft: inComposer,
});

describe("a screen", () => {
  const shown = (reading: Reading, kind: ReadinessKind) => shownBy(reading, { kind, because: "" });

  it("shows work by its sign, whatever readiness makes of it, and also where the composer is hidden", () => {
    expect(shown(working, "idle")).toBe("work");
    expect(shown({ kind: "unknown", why: "no composer", busy: "busy" }, "busy")).toBe("work");
    expect(shown({ ...empty, busy: "background" } as Reading, "busy")).toBe("work");
  });

  it("shows idle only once readiness says so", () => {
    expect([shown(empty, "idle"), shown(draft, "idle")]).toEqual(["idle", "idle"]);
    expect([shown(empty, "busy"), shown(dialog, "blocked"), shown(unreadable, "unknown")]).toEqual([
      "neither",
      "neither",
      "neither",
    ]);
    // Idle according to the program's own record or a hook, while its screen has shown nothing.
    expect([shown(unreadable, "idle"), shown(dialog, "idle")]).toEqual(["neither", "neither"]);
  });
});

describe("a turn", () => {
  it("has ended when it was seen at work, and then idle", () => {
    expect(seen([look(100, "idle"), look(4_000, "work")]).at).toBe("at-work");
    expect(seen([look(4_000, "work"), look(5_000, "neither"), look(90_000, "idle")]).at).toBe("ended");
  });

  it("is awaited until the program is idle and it is late", () => {
    expect(seen([look(4_999, "idle"), look(59_000, "neither")]).at).toBe("awaited");
    expect(seen([look(5_000, "idle"), look(6_000, "work")]).at).toBe("lost");
    expect(seen([look(60_001, "work")]).at).toBe("lost");
  });

  it("is lost when a person's text that stood there is gone", () => {
    expect(seen([look(100, "idle", "persons"), look(200, "work", "empty")]).at).toBe("lost");
    expect(seen([look(100, "idle", "persons"), look(200, "work", "persons")]).at).toBe("at-work");
    expect(seen([look(100, "work", "persons"), look(200, "idle", "empty")]).at).toBe("ended");
  });

  it("is lost when it goes on too long, and is waited for where there is no limit", () => {
    const looks = [look(100, "work"), look(100_001, "work"), look(100_002, "idle")];
    expect(seen(looks).at).toBe("lost");
    expect(seen([look(1e12, "idle"), ...looks], {}).at).toBe("ended");
  });
});

describe("of any looks", () => {
  const looks = fc
    .array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 40_000 }),
        shows: fc.constantFrom("work", "idle", "neither"),
        draft: fc.constantFrom("empty", "persons", undefined),
      }),
      { maxLength: 12 },
    )
    .map((steps) => {
      let ms = 0;
      return steps.map(({ waitMs, shows, draft: inComposer }) => {
        ms += waitMs;
        return look(ms, shows, inComposer);
      });
    });
  const limits = fc.constantFrom<TurnLimits>(LIMITS, { beginsWithinMs: 60_000 }, {});

  /** The same, computed from all looks at once. */
  function naive(all: readonly TurnLook[], limit: TurnLimits): SeenTurn["at"] {
    const never = all.length;
    const first = (from: number, is: (look: TurnLook, passedMs: number, at: number) => boolean): number => {
      const found = all.findIndex((look, at) => at >= from && is(look, look.now - SINCE, at));
      return found === -1 ? never : found;
    };
    const text = first(0, (look) => look.draft === "persons");
    const lost = first(
      0,
      (look, passedMs, at) =>
        passedMs > (limit.signWithinMs ?? Number.POSITIVE_INFINITY) ||
        (look.shows === "idle" && passedMs >= (limit.beginsWithinMs ?? Number.POSITIVE_INFINITY)) ||
        (at > text && look.draft === "empty"),
    );
    const begun = first(0, (look) => look.shows === "work");
    if (lost <= begun) return lost === never ? "awaited" : "lost";
    const ended = first(begun, (look) => look.shows === "idle");
    const tooLong = first(
      begun + 1,
      (_, passedMs) => passedMs > (limit.longestMs ?? Number.POSITIVE_INFINITY),
    );
    if (tooLong <= ended && tooLong !== never) return "lost";
    return ended === never ? "at-work" : "ended";
  }

  it("a turn stands where all of them together say", () => {
    fc.assert(
      fc.property(looks, limits, (all, limit) => {
        expect(seen(all, limit).at).toBe(naive(all, limit));
      }),
    );
  });

  it("none makes a turn end that was not seen at work before, and none changes one that is over", () => {
    fc.assert(
      fc.property(looks, looks, limits, (all, more, limit) => {
        const turn = seen(all, limit);
        const wasAtWork = all.some(
          ({ shows }, at) => shows === "work" && all.slice(at).some((later) => later.shows === "idle"),
        );
        if (turn.at === "ended") expect(wasAtWork).toBe(true);
        if (turn.at === "ended" || turn.at === "lost") expect(seen([...all, ...more], limit)).toEqual(turn);
      }),
    );
  });

  it("looking twice at the same moment shows no more than looking once", () => {
    fc.assert(
      fc.property(looks, limits, (all, limit) => {
        expect(
          seen(
            all.flatMap((look) => [look, look]),
            limit,
          ),
        ).toEqual(seen(all, limit));
      }),
    );
  });
});
