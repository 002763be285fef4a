import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HostRecord, HostSpec } from "../../src/wire/host.ts";

const here = dirname(fileURLToPath(import.meta.url));
const host = join(here, "..", "..", "dist", "host.mjs");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-host-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("writes down how its program ended, also when that was before it could be found", () => {
  const spec: HostSpec = {
    sessionId: "0badcafe",
    agent: "coder",
    command: [process.execPath, "-e", "process.exit(7)"],
    folder,
    environment: {},
    cols: 80,
    rows: 24,
    scrollback: 100,
    socket: join(folder, "host.sock"),
    record: join(folder, "0badcafe.json"),
  };
  const slow = join(here, "programs", "slow-to-listen.mjs");
  const ran = spawnSync(process.execPath, ["--import", slow, host], {
    input: JSON.stringify(spec),
    encoding: "utf8",
    timeout: 30_000,
  });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  const record = JSON.parse(readFileSync(spec.record, "utf8")) as HostRecord;
  expect(record.exit).toMatchObject({ code: 7, signal: null });
});
