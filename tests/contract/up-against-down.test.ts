/** Racing starts, and a stop in between: a start that began before the stop no longer starts anything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bellhop, type CliResult } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

let bellhop: Bellhop;

beforeEach(() => {
  bellhop = new Bellhop();
});
afterEach(() => bellhop.dispose());

const inHome = (...names: string[]): string => join(bellhop.home, ...names);

/** The daemons of this home, by their command line. */
function daemons(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    try {
      const [command, environment] = ["cmdline", "environ"].map((name) =>
        readFileSync(join("/proc", pid, name), "utf8"),
      );
      return command?.includes("start-daemon.cjs") && environment?.includes(`BELLHOP_HOME=${bellhop.home}\0`);
    } catch {
      return false;
    }
  });
}

const STARTS = [["up"], ["up"], ["send", "api", "hello"]] as const;

const MOST_TIMES = 20;

/** How far the starts are when the stop comes. */
const MOMENTS: Readonly<Record<string, () => Promise<void>>> = {
  "at once": async () => {},
  "when one of them holds the lock": () => until(() => existsSync(inHome("lock.db.pid")), "a holder"),
  "when one of them listens": () => until(() => existsSync(bellhop.socket), "a socket"),
};

describe.each(Object.keys(MOMENTS))("down while several start, %s", (moment) => {
  it("leaves none running, and who starts it later has one", async () => {
    const starts: Promise<CliResult>[] = STARTS.map((args) => bellhop.run(args));
    await MOMENTS[moment]?.();
    const stopped = await bellhop.run(["down"]);
    expect(stopped).toMatchObject({ code: 0, stderr: "" });

    const ends = await Promise.all(starts);
    await until(() => daemons().length === 0, "their ends");
    expect((await bellhop.run(["status"])).code).toBe(5);
    for (const { code, stderr } of ends) {
      // A start that was answered before the stop succeeded; no other waits forever, and each error is clear.
      if (code === 5)
        expect(stderr).toMatch(
          /"bellhop down" came while|closed the connection|is stopping|stopped before it could answer|store is closed/u,
        );
      else expect([0, 3]).toContain(code);
    }

    expect((await bellhop.run(["up"])).code).toBe(0);
    expect(daemons()).toHaveLength(1);
  });
});

it("a start that waited is told so, and what it would have done was not done", async () => {
  let waited: readonly CliResult[] = [];
  // On a busy machine a start may be done, or be talking to the daemon, when the stop begins.
  for (let times = 0; times < MOST_TIMES && waited.length === 0; times += 1) {
    const starts = STARTS.map((args) => bellhop.run([...args, "--json"]));
    await bellhop.run(["down"]);
    waited = (await Promise.all(starts)).filter(({ stderr }) => stderr.includes("daemon.stopping"));
    await bellhop.run(["down"]);
  }
  expect(waited).not.toEqual([]);
  for (const { code, stdout, stderr } of waited) {
    expect([code, stdout]).toEqual([5, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "daemon.stopping", next: expect.stringContaining("bellhop up") },
    });
  }
});

it.each(["SIGTERM", "SIGINT"] as const)(
  "a start that %s ends is no error, and says nothing",
  async (signal) => {
    const [node = "", ...command] = bellhop.command;
    const child = spawn(node, [...command, "up", "--foreground"], {
      env: bellhop.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    const ended = once(child, "close");
    await until(() => existsSync(inHome("lock.db.pid")), "the lock");
    child.kill(signal);
    expect([await ended, said]).toEqual([[0, null], ""]);
  },
);

it("down is done when the daemon ends before it has answered", async () => {
  mkdirSync(dirname(bellhop.socket), { recursive: true, mode: 0o700 });
  const listener = createServer((connection) => {
    connection.destroy();
    listener.close();
  });
  await new Promise<void>((listens) => listener.listen(bellhop.socket, listens));
  expect(await bellhop.run(["down"])).toMatchObject({ code: 0, stderr: "" });
});
