import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Processes } from "../../ports/processes.ts";
import { systemClock } from "../../system/clock.ts";
import { HOST_VERSION, type HostRecord } from "../../wire/host.ts";
import { untilSocketIsThere } from "./removed-socket.ts";

let folder: string;
let signalled: [number, unknown][];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-removed-"));
  signalled = [];
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    signalled.push([pid, signal]);
    writeFileSync(join(folder, "socket"), "");
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const recordOf = (): HostRecord => ({
  version: HOST_VERSION,
  sessionId: "0badcafe",
  agent: "coder",
  command: ["sleep"],
  folder,
  socket: join(folder, "socket"),
  token: "secret",
  hostPid: 4_711,
  hostStartedAt: "then",
  programPid: 4_712,
  programStartedAt: "then",
  startedAt: 0,
});
const around = (alive: Awaited<ReturnType<Processes["alive"]>>) => ({
  clock: systemClock,
  processes: {
    tree: async () => [],
    alive: async (pid: number, startedAt: string) => (pid === 4_711 && startedAt === "then" ? alive : "gone"),
  } as unknown as Processes,
});

it("asks the host that was written down, which makes it anew", async () => {
  expect(await untilSocketIsThere(recordOf(), around("alive"))).toBe("there");
  expect(signalled).toEqual([[4_711, "SIGHUP"]]);
});

it("asks nobody where the socket is there", async () => {
  writeFileSync(join(folder, "socket"), "");
  expect(await untilSocketIsThere(recordOf(), around("alive"))).toBe("there");
  expect(signalled).toEqual([]);
});

it.each(["gone", "unknown"] as const)("signals nobody where its process is %s", async (state) => {
  expect(await untilSocketIsThere(recordOf(), around(state))).toBe("missing");
  expect(signalled).toEqual([]);
});

it("signals nobody who has its number by now", async () => {
  const record = { ...recordOf(), hostStartedAt: "another" };
  expect(await untilSocketIsThere(record, around("alive"))).toBe("missing");
  expect(signalled).toEqual([]);
});
