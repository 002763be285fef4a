import { describe, expect, it } from "vitest";
import { asText, withoutFigure } from "./report.ts";
import { atLeast } from "./row.ts";
import { sampleRow, sampleRun } from "./sample-run.ts";

describe("what the bench prints", () => {
  it("says of each row with a goal whether it was met, and counts them", () => {
    const text = asText(
      sampleRun([
        sampleRow(),
        sampleRow({ name: "  until its file stands too", goal: undefined }),
        sampleRow({ name: "100 in flight", ratio: 3, goal: atLeast(6) }),
      ]),
    );
    expect(text).toMatch(/^durable accept, one at a time +1\.50× +≤ 1\.6× +met /m);
    expect(text).toMatch(/^ {2}until its file stands too +1\.50× +1\.40×/m);
    expect(text).toMatch(/^100 in flight +3\.00× +≥ 6× +missed /m);
    expect(text).toContain(
      "1 of 2 goals met; missed:\n  accept: 100 in flight, to a sync: 3.00×, goal ≥ 6×\n",
    );
  });

  it("says which group could not be measured, and shows no figures of a smoke run", () => {
    const run = { ...sampleRun([sampleRow()]), failures: [{ group: "steps", why: "no tmux" }] };
    expect(asText(run)).toContain("! steps: no tmux");
    expect(asText({ ...run, extent: "smoke" })).toBe(
      "Bellhop bench (smoke): 1 rows of 1 groups, 600 s\n  ! steps: no tmux\n",
    );
  });
});

describe("a row", () => {
  it("without a finite figure is a failure", () => {
    const rows = [sampleRow(), sampleRow({ name: "empty", ratio: Number.NaN })];
    expect(withoutFigure("accept", rows).map(({ why }) => why)).toEqual([
      '"empty, to a sync" has no figure: NaN, 1.4, 1.6, 300, 200',
    ]);
  });

  it("that cannot be told from another is a failure", () => {
    expect(withoutFigure("accept", [sampleRow(), sampleRow()])).toHaveLength(1);
  });
});
