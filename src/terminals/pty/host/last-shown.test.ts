import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HostRecord } from "../../../wire/host/host.ts";
import { readRecord, recordPath, withLastShown } from "../records.ts";

const SESSION = "0badcafe";
const RECORD: HostRecord = {
  version: 1,
  sessionId: SESSION,
  agent: "coder",
  command: ["sh"],
  folder: "/",
  socket: "/s",
  token: "t",
  hostPid: 4_000_001,
  hostStartedAt: "",
  programPid: 4_000_002,
  programStartedAt: "",
  startedAt: 0,
  exit: { code: 7, signal: null, at: 1 },
};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-records-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const numbered = (count: number, rest: string) => Array.from({ length: count }, (_, n) => `${n} ${rest}`);
const kept = async (shown: Parameters<typeof withLastShown>[1]) => {
  const record = withLastShown(RECORD, shown);
  writeFileSync(recordPath(folder, SESSION), JSON.stringify(record));
  expect(await readRecord(folder, SESSION)).toEqual({ kind: "record", record });
  return record;
};

it("keeps everything that was shown last where it has room", async () => {
  const record = await kept({ screen: ["b", "c"], lines: ["a", "b", "\x1b[1mc"] });
  expect(record).toMatchObject({ lastScreen: "b\nc", lastLines: ["a", "b", "\x1b[1mc"] });
});

it("leaves out the oldest lines of what is too much to be read again", async () => {
  const lines = numbered(2_000, "\x1b[1m".repeat(500));
  const { lastScreen, lastLines = [] } = await kept({ screen: ["the end"], lines });
  expect(lastScreen).toBe("the end");
  expect(lastLines.length).toBeGreaterThan(500);
  expect(lastLines).toEqual(lines.slice(-lastLines.length));
});

it("keeps how it ended also when a screen alone is too much", async () => {
  const screen = numbered(500, "\u0301".repeat(32_000));
  const { exit, lastScreen = "" } = await kept({ screen, lines: screen });
  expect(exit).toEqual(RECORD.exit);
  expect(lastScreen.endsWith(screen.at(-1) ?? "")).toBe(true);
  await kept({ screen: ["x".repeat(5_000_000)], lines: ["x".repeat(5_000_000)] });
});
