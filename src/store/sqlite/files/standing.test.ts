import { describe, expect, it } from "vitest";
import { type Facts, type FileFacts, type LogFacts, standing } from "./standing.ts";

const FILE: FileFacts = { device: 1, inode: 10, size: 409_600, changedAt: 1_000 };
const INDEX: LogFacts = { frames: 10, pageBytes: 4_096, salt: "aa", backfilled: 4, backfillAttempted: 4 };
const KNOWN: Facts = {
  database: FILE,
  log: { ...FILE, inode: 11 },
  index: { ...FILE, inode: 12 },
  before: INDEX,
  after: INDEX,
  logSalt: "aa",
  sample: "pages",
};

const found = (change: Partial<Facts>) => standing(KNOWN, { ...KNOWN, ...change });
const index = (change: Partial<LogFacts>) => ({
  before: { ...INDEX, ...change },
  after: { ...INDEX, ...change },
});
const later = (change: Partial<FileFacts> = {}): FileFacts => ({ ...FILE, changedAt: 2_000, ...change });

describe("a database stands", () => {
  it.each<[string, Partial<Facts>]>([
    ["where nothing changed", {}],
    ["when its log grew", { log: { ...later(), inode: 11, size: 900_000 }, ...index({ frames: 50 }) }],
    [
      "after a checkpoint",
      { database: later({ size: 8_192 }), sample: "x", ...index({ backfilled: 9, backfillAttempted: 9 }) },
    ],
    ["during one", { database: later(), sample: "x", ...index({ backfillAttempted: 9 }) }],
    [
      "when a checkpoint began between the looks",
      { database: later(), sample: "x", after: { ...INDEX, backfillAttempted: 9 } },
    ],
    [
      "when the log was truncated by SQLite",
      { log: { ...later(), inode: 11, size: 0 }, ...index({ frames: 0, salt: "bb" }) },
    ],
    [
      "when the log begins anew between the looks",
      { logSalt: "bb", after: { ...INDEX, salt: "bb", frames: 1 } },
    ],
    ["when somebody only set its time", { database: later() }],
  ])("%s", (_when, change) => {
    expect(found(change)).toEqual({ kind: "stands" });
  });
});

describe("a database is lost", () => {
  it.each<[string, Partial<Facts>, object]>([
    ["removed", { database: undefined }, { kind: "away", file: "database", how: "removed" }],
    ["replaced", { database: { ...FILE, inode: 99 } }, { kind: "away", file: "database", how: "replaced" }],
    [
      "on another device",
      { database: { ...FILE, device: 2 } },
      { kind: "away", file: "database", how: "replaced" },
    ],
    ["without its log", { log: undefined }, { kind: "away", file: "log", how: "removed" }],
    ["without its index", { index: undefined }, { kind: "away", file: "index", how: "removed" }],
    [
      "emptied",
      { database: later({ size: 0 }), sample: "" },
      { kind: "changed", file: "database", how: "truncated" },
    ],
    [
      "overwritten",
      { database: later(), sample: "x" },
      { kind: "changed", file: "database", how: "overwritten" },
    ],
    [
      "overwritten by a longer one",
      { database: later({ size: 999_999 }) },
      { kind: "changed", file: "database", how: "overwritten" },
    ],
    [
      "with its log emptied",
      { log: { ...later(), inode: 11, size: 0 } },
      { kind: "changed", file: "log", how: "truncated" },
    ],
    [
      "with another log in its place",
      { logSalt: "cc" },
      { kind: "changed", file: "log", how: "overwritten" },
    ],
  ])("%s", (_how, change, expected) => {
    expect(found(change)).toEqual(expected);
  });
});
