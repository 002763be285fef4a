import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Figures } from "./measure.ts";
import { tableFor, withTable } from "./table.ts";

const FIGURES: Figures = {
  ...{ hosts: 1_000, bytes: 1_536, nameUs: 12.3, pathUs: 0.456, teamUs: 3, wildUs: 1_500, sealUs: 20 },
  ...{ joinMs: 250, restartMs: 1_200, knownBytes: 4_096 },
  quiet: { perSecond: 33.3, bytesPerSecond: 50 * 1_024, us: 100 },
  busy: { perSecond: 200, bytesPerSecond: 3 * 1_024 * 1_024, us: 300 },
};

it("has a line for each figure, in units that a person reads", () => {
  const lines = tableFor([FIGURES]).split("\n");
  expect(lines[0]).toBe("|  | 1,000 hosts |");
  expect(lines).toContain("| announcements to each host, nothing changes | 33/s, 50 KiB/s |");
  expect(lines).toContain("| of one core, for hearing, an agent on every host works all the time | 6.0 % |");
  expect(lines).toContain("| to find the takers of a path with a wildcard of its own | 1.5 ms |");
  expect(lines).toContain("| to start again, with what was kept | 1.2 s |");
});

it("finds its place in the page, and leaves the rest alone", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "cluster-growth.md"), "utf8");
  const written = withTable(page, "Measured.", tableFor([FIGURES]));
  expect(written).toContain("Measured.\n\n|  | 1,000 hosts |");
  expect(written.slice(0, 40)).toBe(page.slice(0, 40));
  expect(written.slice(-40)).toBe(page.slice(-40));
  expect(withTable(written, "Measured.", tableFor([FIGURES]))).toBe(written);
  expect(() => withTable("", "", "")).toThrow("has lost the place");
});

it("shows in the page what is measured, line for line", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "cluster-growth.md"), "utf8");
  const names = (table: string) => [...table.matchAll(/^\| ([^|]+) \|/gm)].map((found) => found[1]);
  const part = page.slice(page.indexOf("<!-- growth: written"), page.indexOf("<!-- growth: end"));
  expect(names(part)).toEqual(names(tableFor([FIGURES])));
});
