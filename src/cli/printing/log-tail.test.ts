import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readable } from "../commands/daemon/logs.ts";
import { followFile, lastLines } from "./log-tail.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-log-"));
  path = join(folder, "a.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the end of a log", () => {
  it("gives the last whole lines, however long the file", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${"ü".repeat(40)}`);
    writeFileSync(path, `${lines.join("\n")}\nhalf a li`);
    expect(lastLines(path, 3)?.lines).toEqual(lines.slice(-3));
    expect(lastLines(path, 4_000)?.lines).toEqual(lines.slice(-4_000));
    expect(lastLines(path, 9_000)?.lines).toEqual(lines);
    expect(lastLines(path, 0)?.lines).toEqual([]);
  });

  it("goes on as lines are added, also in another file of its name, until it is stopped", async () => {
    writeFileSync(path, "old\n");
    const stop = new AbortController();
    const happens = [
      () => appendFileSync(path, "first\nhalf"),
      () => appendFileSync(path, " of it\n"),
      () => {
        rmSync(path);
        writeFileSync(path, "another\n");
      },
      () => stop.abort(),
    ];
    const lines: string[] = [];
    await followFile(path, 4, (line) => lines.push(line), {
      stopped: stop.signal,
      pause: async () => happens.shift()?.(),
    });
    expect(lines).toEqual(["first", "half of it", "another"]);
  });

  it("knows an absent file from an empty one", () => {
    expect(lastLines(path, 3)).toBeUndefined();
    writeFileSync(path, "");
    expect(lastLines(path, 3)).toEqual({ lines: [], end: 0 });
  });

  it("reads a line as a person does, and lets nothing through that a terminal would obey", () => {
    const line = JSON.stringify({
      level: 40,
      time: "2025-01-01T00:00:00.000Z",
      event: "tmux.gone",
      server: "a\x1b[2Jb",
      pid: 3,
    });
    expect(readable(line)).toMatch(/^\d\d:\d\d:\d\d warn {2}tmux\.gone server=ab pid=3$/);
    expect(readable("no \x1b[31mjson")).toBe("no json");
  });
});
