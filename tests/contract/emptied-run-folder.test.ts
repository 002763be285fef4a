/** People empty `run/` to be rid of a stale socket, and cleaners do it by night: the daemon is not lost by it. */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

let bellhop: Bellhop;
let daemonPid: number | undefined;

beforeEach(async () => {
  bellhop = new Bellhop();
  daemonPid = (await bellhop.start()).pid;
});
afterEach(() => bellhop.dispose());

const inRun = (name: string): string => join(bellhop.home, "run", name);
const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
const mode = (path: string): number => statSync(path).mode & 0o777;

describe("a daemon whose sockets were removed", () => {
  it.each([
    ["with their folder", ["."]],
    ["out of their folder", ["bellhop.sock", "http.sock"]],
  ])("%s listens again at once, and who is connected stays", async (_how, removed) => {
    const before = await bellhop.client();
    for (let time = 1; time <= 2; time += 1) {
      for (const name of removed) rmSync(inRun(name), { recursive: true });
      await until(() => ["bellhop.sock", "http.sock"].map(inRun).every(isSocket), "the sockets");
      await until(async () => (await bellhop.run(["status"])).code === 0, "somebody to listen");
      expect(await bellhop.json<StatusResponse>(["status"])).toMatchObject({ pid: daemonPid });
      expect((await before.call("status", {})).pid).toBe(daemonPid);
    }
    expect(["", "scratch", "bellhop.sock", "http.sock"].map((name) => mode(inRun(name)))).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
    const curl = ["-q", "-s", "-m", "10", "--unix-socket", inRun("http.sock"), "http://localhost/status"];
    expect(JSON.parse(execFileSync("curl", curl, { encoding: "utf8" }))).toMatchObject({ pid: daemonPid });
    expect((await bellhop.run(["down"])).stdout).toBe("stopped\n");
    expect(existsSync(bellhop.socket)).toBe(false);
  });

  it("serves the next command, whichever that is, and no second one is started", async () => {
    rmSync(join(bellhop.home, "run"), { recursive: true });
    expect(await bellhop.json(["ls"])).toEqual([]);
    expect(await bellhop.json<StatusResponse>(["status"])).toMatchObject({ pid: daemonPid });
  });
});
