import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isOverruled, markStop } from "./stop-mark.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-stop-"));
  path = join(folder, "stopped");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = 1_794_800_000_123;

describe("the mark of the last stop", () => {
  it("overrules what began before it, and nothing that began later", () => {
    markStop(path, NOW);
    expect(isOverruled(path, { began: NOW - 1, now: NOW + 5 })).toBe(true);
    expect(isOverruled(path, { began: NOW + 1, now: NOW + 5 })).toBe(false);
  });

  it("is the last one of several, and nobody else's to read", () => {
    markStop(path, NOW);
    markStop(path, NOW + 2_000);
    expect(isOverruled(path, { began: NOW + 1, now: NOW + 2_000 })).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("says nothing where nobody ever stopped, and when the clock was set back since", () => {
    expect(isOverruled(path, { began: NOW, now: NOW + 1 })).toBe(false);
    markStop(path, NOW);
    expect(isOverruled(path, { began: NOW - 3_600_000, now: NOW - 3_599_000 })).toBe(false);
  });
});
