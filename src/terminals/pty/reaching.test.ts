import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Processes } from "../../ports/processes.ts";
import { systemClock } from "../../system/clock.ts";
import { HOST_VERSION, type HostRecord } from "../../wire/host/host.ts";
import { SocketPlace } from "./host/socket-place.ts";
import { untilReachable } from "./reaching.ts";

let folder: string;
let socket: string;
let server: Server;
let place: SocketPlace;
let signalled: [number, unknown][];
let refusals: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-reach-"));
  socket = join(folder, "socket");
  server = createServer((connection) => connection.destroy());
  place = new SocketPlace(server, socket);
  await place.take();
  signalled = [];
  refusals = [];
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    signalled.push([pid, signal]);
    place.takeAgain().catch((error: Error) => refusals.push(error.message));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const recordOf = (): HostRecord => ({
  version: HOST_VERSION,
  sessionId: "0badcafe",
  agent: "coder",
  command: ["sh"],
  folder: "/",
  socket,
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

/** A leftover socket on which nothing listens. */
async function deadSocket(): Promise<void> {
  const other = createServer();
  rmSync(socket);
  await new Promise<void>((resolve) => other.listen(join(folder, "other"), resolve));
  linkSync(join(folder, "other"), socket);
  await new Promise<void>((resolve) => other.close(() => resolve()));
}

it("asks nobody where its host is reached", async () => {
  expect(await untilReachable(recordOf(), around("alive"))).toBe("reachable");
  expect(signalled).toEqual([]);
});

it("asks the host that was written down, which makes its socket anew", async () => {
  rmSync(socket);
  expect(await untilReachable(recordOf(), around("alive"))).toBe("reachable");
  expect(signalled).toEqual([[4_711, "SIGHUP"]]);
});

it("asks it also where a socket is there at which nobody listens, and it takes its place again", async () => {
  await deadSocket();
  expect(await untilReachable(recordOf(), around("alive"))).toBe("reachable");
  expect(signalled).toEqual([[4_711, "SIGHUP"]]);
});

it.each(["file", "folder"])("leaves a %s that is there as it is, asked or leaving", async (kind) => {
  rmSync(socket);
  if (kind === "file") writeFileSync(socket, "somebody's");
  else mkdirSync(socket);
  expect(await untilReachable(recordOf(), around("alive"))).toBe("taken");
  expect(signalled).toEqual([]);
  await expect(place.takeAgain()).rejects.toThrow("is not a socket");
  place.leave();
  if (kind === "file") expect(readFileSync(socket, "utf8")).toBe("somebody's");
  rmSync(socket, { recursive: true });
  expect(await untilReachable(recordOf(), around("alive"))).toBe("reachable");
  expect(refusals).toEqual([]);
});

it.each(["gone", "unknown"] as const)("signals nobody where its process is %s", async (state) => {
  rmSync(socket);
  expect(await untilReachable(recordOf(), around(state))).toBe("missing");
  expect(signalled).toEqual([]);
});

it("signals nobody who has its number by now", async () => {
  rmSync(socket);
  const record = { ...recordOf(), hostStartedAt: "another" };
  expect(await untilReachable(record, around("alive"))).toBe("missing");
  expect(signalled).toEqual([]);
});
