import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import { systemClock } from "../../src/system/clock.ts";
import { startHost } from "../../src/terminals/pty/host-process.ts";
import { readRecord } from "../../src/terminals/pty/records.ts";
import type { HostRecord, HostSpec } from "../../src/wire/host/host.ts";

const here = dirname(fileURLToPath(import.meta.url));
const host = join(here, "..", "..", "dist", "host.cjs");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-host-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const specOf = (command: readonly string[]): HostSpec => ({
  sessionId: "0badcafe",
  agent: "coder",
  command,
  folder,
  environment: {},
  cols: 80,
  rows: 24,
  scrollback: 100,
  socket: join(folder, "host.sock"),
  record: join(folder, "0badcafe.json"),
});

it("writes down how its program ended, also when that was before it could be found", () => {
  const spec = specOf([process.execPath, "-e", "process.exit(7)"]);
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

it("writes down how a program ended that asked for more than any screen has room for", async () => {
  const much = "[9999999b\\x1b[9999999S\\x1b[9999999Ia";
  // It leaves when its terminal tells it where the cursor is: everything before that is drawn then.
  const script = `const marks = "a" + "\\u0301".repeat(300000);
    process.stdin.setRawMode(true).once("data", () => process.exit(7));
    process.stdout.write("\\x1b]0;" + "T".repeat(300000) + "\\x07a\\x1b${much}" + marks + "\\r\\nthe end\\x1b[6n");`;
  const ran = spawnSync(process.execPath, [host], {
    input: JSON.stringify({ ...specOf([process.execPath, "-e", script]), scrollback: 10_000 }),
    encoding: "utf8",
    timeout: 30_000,
  });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  const found = await readRecord(folder, "0badcafe");
  expect(found).toMatchObject({ kind: "record", record: { exit: { code: 7 } } });
  if (found.kind === "record") expect(found.record.lastScreen?.endsWith("the end")).toBe(true);
});

it("keeps what a program wrote just before it ended, however much that was", () => {
  const spec = {
    ...specOf(["/bin/sh", "-c", "seq 1 30000; echo the end"]),
    environment: { PATH: process.env.PATH ?? "" },
  };
  for (let time = 0; time < 3; time += 1) {
    spawnSync(process.execPath, [host], { input: JSON.stringify(spec), encoding: "utf8", timeout: 30_000 });
    const { lastScreen } = JSON.parse(readFileSync(spec.record, "utf8")) as HostRecord;
    expect(lastScreen?.split("\n").slice(-2)).toEqual(["30000", "the end"]);
  }
});

it("is ended when it gives no word in time: nobody would know of it", async () => {
  const entry = join(folder, "silent.mjs");
  const peer = join(folder, "peer.sock");
  writeFileSync(entry, `import { connect } from "node:net"; connect(${JSON.stringify(peer)}).resume();`);
  const server = createServer().listen(peer);
  await once(server, "listening");
  const came = once(server, "connection") as Promise<[Socket]>;
  let now = 0;
  // Time stands still until it runs, and is up then.
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    after(_ms, wake) {
      void came.then(() => {
        now = 60_000;
        wake();
      });
      return () => {};
    },
  };
  const starting = startHost(specOf([process.execPath]), { entry, logs: folder }, folder, clock);
  await expect(starting).rejects.toMatchObject({ code: "host.start_failed" });
  const [host] = await came;
  await once(host.resume(), "close");
  server.close();
});
