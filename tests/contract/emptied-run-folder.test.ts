/** People empty `run/` to remove a stale socket, and cleanup jobs do it at night: the daemon can still be reached. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

let bellhop: Bellhop;
let daemon: ChildProcess;
let daemonPid: number;

beforeEach(async () => {
  bellhop = new Bellhop();
  daemon = await bellhop.start();
  daemonPid = daemon.pid ?? 0;
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
    // Where a daemon that a command starts writes its last messages.
    expect(existsSync(join(bellhop.home, "logs", "daemon.out"))).toBe(false);
    expect(await bellhop.json<StatusResponse>(["status"])).toMatchObject({ pid: daemonPid });
  });
});

describe("a daemon that cannot put its socket back", () => {
  beforeEach(() => {
    process.kill(daemonPid, "SIGSTOP");
    rmSync(bellhop.socket);
    mkdirSync(bellhop.socket);
    process.kill(daemonPid, "SIGCONT");
  });

  it("is said to run, by status and by doctor", async () => {
    const { code, stdout, stderr } = await bellhop.run(["status", "--json"]);
    expect([code, stdout]).toEqual([5, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "daemon.unreachable",
        message: `The daemon (process ${daemonPid}) serves ${bellhop.home}, but does not listen on ${bellhop.socket}.`,
        next: expect.stringContaining('"bellhop down"'),
      },
    });
    expect((await bellhop.run(["doctor"])).stdout).toContain(`The daemon (process ${daemonPid}) serves`);
  });

  it("is ended by down, in good order", async () => {
    const ended = once(daemon, "exit");
    expect((await bellhop.run(["down"])).stdout).toBe("stopped\n");
    expect(await ended).toEqual([0, null]);
    expect((await bellhop.run(["status"])).stdout).toContain("not running");
    expect((await bellhop.run(["down"])).stdout).toBe("was not running\n");
  });
});

describe("the number of a daemon that is no more", () => {
  beforeEach(() => bellhop.stop("SIGKILL"));
  const note = (text: string): void => writeFileSync(join(bellhop.home, "lock.db.pid"), text);

  it("may be another's by now, who is neither taken for it nor ended", async () => {
    const another = await processesOn(process.platform).identify(process.ppid);
    note(`${process.pid}\n${another === "gone" ? "" : another.startedAt}\n`);
    expect((await bellhop.run(["status"])).stdout).toContain("not running");
    expect((await bellhop.run(["down"])).stdout).toBe("was not running\n");
  });

  it("without its start proves nothing: a person is asked", async () => {
    note(`${process.pid}\n`);
    const { code, stderr } = await bellhop.run(["down", "--json"]);
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "daemon.unreachable", next: expect.stringContaining(`kill ${process.pid}`) },
    });
    note("");
  });
});
