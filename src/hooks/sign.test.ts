import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOOK_SIGN, hookSignIn } from "./sign.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-sign-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isThere = () => existsSync(join(folder, HOOK_SIGN));

it("is there while something waits for any session", () => {
  const sign = hookSignIn(folder);
  expect(isThere()).toBe(false);
  sign.wanted("a", true);
  sign.wanted("b", true);
  sign.wanted("a", false);
  expect(isThere()).toBe(true);
  sign.wanted("b", false);
  expect(isThere()).toBe(false);
});

it("is not left over from an earlier daemon, and comes back if somebody removes it", () => {
  writeFileSync(join(folder, HOOK_SIGN), "");
  const sign = hookSignIn(folder);
  expect(isThere()).toBe(false);
  sign.wanted("a", true);
  rmSync(join(folder, HOOK_SIGN));
  sign.wanted("a", true);
  expect(isThere()).toBe(true);
});

it("goes in the end if it could not be removed at first", () => {
  const path = join(folder, HOOK_SIGN);
  const sign = hookSignIn(folder);
  sign.wanted("a", true);
  rmSync(path);
  mkdirSync(path);
  sign.wanted("a", false);
  rmdirSync(path);
  writeFileSync(path, "");
  sign.wanted("b", false);
  expect(isThere()).toBe(false);
});

it("does not mind a folder that is gone", () => {
  const sign = hookSignIn(join(folder, "gone"));
  sign.wanted("a", true);
  sign.wanted("a", false);
  expect(isThere()).toBe(false);
});
