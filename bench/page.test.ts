import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isAxis, isWellFormed, PARTS, partOf, plotFile, plottedIn, withFigures } from "./page.ts";
import { plot, plotTitle } from "./plot.ts";
import { AXES } from "./row.ts";
import { sampleGrowth, sampleRow, sampleRun, sampleStep } from "./sample-run.ts";

const EMPTY = PARTS.map((part) => `Prose.\n<!-- bench: ${part} -->\n<!-- bench: end of ${part} -->\n`).join(
  "",
);
const SENTENCE = "Measured on 2026-01-02 at `aaaaaaaa` (a test).";
const page = withFigures(
  EMPTY,
  sampleRun([
    sampleRow(),
    sampleStep("accept.check", 12.34),
    sampleStep("paste.press", 250),
    sampleStep("between the steps", 500),
    sampleGrowth("send", 0.4),
    sampleGrowth("list of agents", 150),
  ]),
  SENTENCE,
);

describe("the page about speed", () => {
  it("shows goals, steps and growth as tables", () => {
    expect(partOf(page, "goals")).toBe(`| group | what | figure | goal | verdict |
| --- | --- | --- | --- | --- |
| accept | durable accept, one at a time, to a sync | 1.50× | ≤ 1.6× | met |`);
    expect(partOf(page, "accept")).toBe(`| step | µs | of the whole |
| --- | --- | --- |
| \`accept.check\` | 12.3 | 1.2 % |`);
    expect(partOf(page, "delivery")).toContain(
      "| `paste.press` | 250 | 25.0 % |\n| between the steps | 500 |",
    );
    expect(partOf(page, "agents")).toBe(`![How cost grows with agents](performance/agents.svg)

| agents | 10 | 1,000 |
| --- | --- | --- |
| send (ms) | 0.4 | 0.8 |
| list of agents (ms) | 150 | 300 |`);
    for (const part of ["run", "goals", "accept", "delivery", "agents"] as const)
      expect(isWellFormed(page, part), part).toBe(true);
  });

  it("puts each figure under its size, and a dash where none was measured", () => {
    const sizes = [
      sampleGrowth("send", 0.4, { from: 100, size: 10_000 }),
      sampleGrowth("list of agents", 150, { from: 10, size: 100 }),
    ];
    const later = withFigures(page, sampleRun(sizes), SENTENCE);
    expect(partOf(later, "agents")).toContain(`| agents | 10 | 100 | 10,000 |
| --- | --- | --- | --- |
| send (ms) | – | 0.4 | 0.8 |
| list of agents (ms) | 150 | 300 | – |`);
    expect(isWellFormed(later, "agents")).toBe(true);
    const { sizes: across, curves } = plottedIn(later, "agents");
    const svg = plot("Cost", across, curves);
    expect(svg).not.toContain("NaN");
    expect(svg.match(/<circle /g)).toHaveLength(4);
    expect(svg).toContain("send: 0.4 → 0.8 ms");
  });

  it("keeps what was not measured this time", () => {
    const other = sampleRow({ group: "start", name: "ready" });
    const later = withFigures(page, sampleRun([other]), SENTENCE);
    expect(partOf(later, "goals").split("\n").slice(2)).toEqual([
      "| accept | durable accept, one at a time, to a sync | 1.50× | ≤ 1.6× | met |",
      "| start | ready, to a sync | 1.50× | ≤ 1.6× | met |",
    ]);
    expect(partOf(later, "accept")).toBe(partOf(page, "accept"));
    expect(later.match(/Prose\./g)).toHaveLength(PARTS.length);
  });

  it("is told from one that somebody changed by hand", () => {
    expect(isWellFormed(page.replace("| 250 | 25.0 % |", "| 250 |  25.0 % |"), "delivery")).toBe(false);
    expect(isWellFormed(page.replace("| 0.4 |", "| about 0.4 |"), "agents")).toBe(false);
  });
});

describe("docs/performance.md", () => {
  const written = readFileSync(new URL("../docs/performance.md", import.meta.url), "utf8");

  it.each(PARTS)("has %s in the form in which the bench writes it", (part) => {
    expect(isWellFormed(written, part)).toBe(true);
  });

  it.each(AXES)("shows a plot of its figures for %s", (axis) => {
    const { sizes, curves } = plottedIn(written, axis);
    const file = new URL(`../docs/${plotFile(axis)}`, import.meta.url);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toBe(plot(plotTitle(axis), sizes, curves));
  });

  it("names every part once", () => {
    for (const part of PARTS) expect(written.split(`<!-- bench: ${part} -->`)).toHaveLength(2);
    expect(PARTS.filter(isAxis)).toEqual(AXES);
  });
});

describe("a plot", () => {
  const svg = plot("Cost & <more>", [1, 10, 100], [{ work: "send", unit: "µs", figures: [10, 11, 900] }]);

  it("stands alone, is small, and can be read on a light and on a dark page", () => {
    expect(svg).not.toMatch(/href|url\(|<script|@import/);
    expect(svg.length).toBeLessThan(8 * 1024);
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(svg).toContain("Cost &amp; &lt;more&gt;");
  });

  it("has a place for each size, and the smallest at one", () => {
    expect(svg.match(/<circle /g)).toHaveLength(3);
    expect(svg).not.toContain("NaN");
    const [, one] = /y="([\d.]+)" text-anchor="end">1×</.exec(svg) ?? [];
    const [, first] = /<circle cx="[\d.]+" cy="([\d.]+)"/.exec(svg) ?? [];
    expect(Number(one)).toBeCloseTo(Number(first) + 4, 1);
  });
});
