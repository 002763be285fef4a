import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readFields } from "./own-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-own-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a file that a program keeps for itself", () => {
  it("is read if it is an ordinary one of that length", async () => {
    const path = join(folder, "package.json");
    writeFileSync(path, '{"version":"1.2.3"}');
    expect(await readFields(path, 100)).toEqual({ version: "1.2.3" });
    expect(await readFields(path, 10)).toBeUndefined();
    expect(await readFields(folder, 100)).toBeUndefined();
    expect(await readFields(join(folder, "none"), 100)).toBeUndefined();
  });

  it("keeps nobody waiting if it is a named pipe", async () => {
    const path = join(folder, "package.json");
    execFileSync("mkfifo", [path]);
    expect(await readFields(path, 100)).toBeUndefined();
  });
});
