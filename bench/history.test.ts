import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseHistory, renderHistory, withRun } from "./history.ts";
import { sampleRow, sampleRun, sampleStep } from "./sample-run.ts";

const run = (ratio: number) => sampleRun([sampleRow({ ratio }), sampleStep("accept.check", 12)]);
const at = (commit: string) => ({ date: "2026-01-02", commit });

describe("the history of the bench", () => {
  it("has a table for each row, newest first", () => {
    const rows = withRun(withRun([], run(1.5), at("aaaaaaaa")), run(1.75), at("bbbbbbbb"));
    expect(renderHistory(rows)).toContain(`## accept

### durable accept, one at a time, to a sync

| date | commit | figure | goal | verdict | ours | the peer's | run |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 2026-01-02 | bbbbbbbb | 1.75× | ≤ 1.6× | missed | 300 µs | 200 µs | full, load 0.5 → 1.3 |
| 2026-01-02 | aaaaaaaa | 1.50× | ≤ 1.6× | met | 300 µs | 200 µs | full, load 0.5 → 1.3 |
`);
  });

  it("is read as it was written", () => {
    const rows = withRun(withRun([], run(1.5), at("aaaaaaaa")), run(1.75), at("bbbbbbbb+"));
    expect(parseHistory(renderHistory(rows))).toEqual(rows);
  });

  it("has one line for a commit and an extent, the last one", () => {
    const twice = withRun(withRun([], run(1.5), at("aaaaaaaa")), run(1.75), at("aaaaaaaa"));
    expect(twice[0]?.entries.map((cells) => cells[2])).toEqual(["1.75×"]);
    const quick = withRun(twice, { ...run(1.25), extent: "quick" }, at("aaaaaaaa"));
    expect(quick[0]?.entries.map((cells) => cells[2])).toEqual(["1.25×", "1.75×"]);
  });

  it("keeps the newest twelve, and rows that were not measured", () => {
    const other = sampleRun([sampleRow({ group: "start", name: "ready" })]);
    let rows = withRun([], other, at("00000000"));
    for (let count = 10; count < 30; count += 1) rows = withRun(rows, run(1), at(`aaaaaa${count}`));
    expect(rows.map(({ group, entries }) => [group, entries.length])).toEqual([
      ["start", 1],
      ["accept", 12],
      ["steps", 12],
    ]);
    expect(rows[1]?.entries[0]?.[1]).toBe("aaaaaa29");
  });

  it("in bench/history.md has the form in which the bench writes it", () => {
    const text = readFileSync(new URL("history.md", import.meta.url), "utf8");
    expect(renderHistory(parseHistory(text))).toBe(text);
  });
});
