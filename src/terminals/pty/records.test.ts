import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOST_VERSION, type HostRecord } from "../../wire/host/host.ts";
import { readRecord, recordPath } from "./records.ts";

const ID = "0badcafe";
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-records-"));
  path = recordPath(folder, ID);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const RECORD: HostRecord = {
  version: HOST_VERSION,
  sessionId: ID,
  agent: "coder",
  command: ["sh"],
  folder: "/",
  socket: "/nowhere",
  token: "secret",
  hostPid: 4_000_001,
  hostStartedAt: "1",
  programPid: 4_000_002,
  programStartedAt: "1",
  startedAt: 0,
};
const write = (change: Partial<Record<keyof HostRecord, unknown>> = {}, to = path): void =>
  writeFileSync(to, JSON.stringify({ ...RECORD, ...change }));

describe("the record of a host", () => {
  it("is read as it was written, and is absent where there is none", async () => {
    expect(await readRecord(folder, ID)).toEqual({ kind: "absent" });
    write();
    expect(await readRecord(folder, ID)).toEqual({ kind: "record", record: RECORD });
  });

  it.each<[string, () => void, string]>([
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [path], { timeout: 5_000 }), "plain file"],
    ["a folder", () => mkdirSync(path), "plain file"],
    [
      "a link to a good record",
      () => {
        write({}, join(folder, "elsewhere"));
        symlinkSync(join(folder, "elsewhere"), path);
      },
      "ELOOP",
    ],
    [
      "more than a record can be",
      () => {
        write();
        truncateSync(path, 5 * 1024 * 1024);
      },
      "too large",
    ],
    ["the record of another session", () => write({ sessionId: "deadbee4" }), "another session"],
    ["a program that would be everybody", () => write({ programPid: 1 }), "version"],
    ["a program that would be ourselves", () => write({ programPid: 0 }), "version"],
    ["a host that is a group", () => write({ hostPid: -5 }), "version"],
    ["something else", () => writeFileSync(path, "null"), "version"],
  ])("is not believed when it is %s", async (_what, make, cause) => {
    make();
    expect(await readRecord(folder, ID)).toEqual({
      kind: "unreadable",
      cause: expect.stringContaining(cause),
    });
  });
});
