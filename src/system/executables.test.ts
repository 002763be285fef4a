import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findOnPath, isExecutable } from "./executables.ts";

let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-path-"));
  for (const one of ["a", "b", "c"]) mkdirSync(at(one));
  writeFileSync(at("a", "tool"), "", { mode: 0o644 });
  mkdirSync(at("b", "tool"));
  writeFileSync(at("c", "tool"), "", { mode: 0o755 });
  symlinkSync(at("c", "tool"), at("a", "link"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("finds the first file that can be run, and neither a folder nor a plain file of that name", () => {
  const path = [at("a"), at("missing"), at("b"), at("c")].join(delimiter);
  expect(findOnPath("tool", path)).toBe(at("c", "tool"));
  expect(findOnPath("link", path)).toBe(at("a", "link"));
  expect(findOnPath("nothing", path)).toBeUndefined();
  expect(["a/tool", "b/tool", "c/tool", "missing"].map((one) => isExecutable(at(one)))).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

it("does not look where it is called for an empty part of the path", () => {
  expect(findOnPath("package.json", `${delimiter}${delimiter}`)).toBeUndefined();
  expect(findOnPath("tool", "")).toBeUndefined();
});
