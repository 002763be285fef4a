import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { logFile } from "./log-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function written(work: (log: ReturnType<typeof logFile>["log"]) => void): readonly unknown[] {
  const path = join(folder, "bellhop.log");
  const { log, flush } = logFile(path);
  work(log);
  flush();
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as unknown);
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

it("writes a line for each event, with its level, its time and its fields", () => {
  const lines = written((log) => {
    log.info("daemon.started", { pid: 7, port: undefined });
    log.warn("http.failed", { cause: 'a "quote"\nand a line' });
    log.error("store.poison");
  });
  expect(lines).toEqual([
    { level: 30, time, pid: 7, event: "daemon.started" },
    { level: 40, time, cause: 'a "quote"\nand a line', event: "http.failed" },
    { level: 50, time, event: "store.poison" },
  ]);
});

it("says so if a field cannot be written, and goes on", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const lines = written((log) => {
    log.info("odd", { circle });
    log.info("even");
  });
  expect(lines).toEqual([
    { level: 30, time, unwritable: expect.stringContaining("circular"), event: "odd" },
    { level: 30, time, event: "even" },
  ]);
});
