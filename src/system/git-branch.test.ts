import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitBranch } from "./git-branch.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the branch of a folder", () => {
  it("is found from a folder below", async () => {
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "a", "b"), { recursive: true });
    writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/fix/login\n");
    expect(await gitBranch(join(folder, "a", "b"))).toBe("fix/login");
  });

  it("is found in a worktree", async () => {
    mkdirSync(join(folder, "real"));
    mkdirSync(join(folder, "tree"));
    writeFileSync(join(folder, "real", "HEAD"), "ref: refs/heads/side\n");
    writeFileSync(join(folder, "tree", ".git"), "gitdir: ../real\n");
    expect(await gitBranch(join(folder, "tree"))).toBe("side");
  });

  it("is nothing where no branch is checked out", async () => {
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "HEAD"), "3f786850e387550fdab836ed7e6dc881de23001b\n");
    expect(await gitBranch(folder)).toBeUndefined();
  });
});
