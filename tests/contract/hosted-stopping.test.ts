/** Stop where a host cannot do it, or can only later: each signal once, and the grace is the program's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { recordPath } from "../../src/terminals/pty/records.ts";
import { PtyServer } from "../../src/terminals/pty/server.ts";
import { HOST_VERSION, type HostRecord } from "../../src/wire/host/host.ts";
import { until } from "../rig/scripted-agent.ts";
import { isOver, sleepersOn } from "./hosted-sleepers.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();
const { runs, isThere, recordOf, refusalOf } = sleepersOn(stage);

/** As the daemon has it. */
function serverOf(hosts: string): PtyServer {
  return new PtyServer({
    clock: systemClock,
    processes: processesOn(process.platform),
    recognise: () => [],
    folder: hosts,
    socketOf: (id) => join(stage.folder, `${id}.pty`),
    program: { entry: "", logs: stage.folder },
    log: { warn: () => {} },
  });
}

describe("a host that heeds no signal that can be ignored", () => {
  /** It answers nobody either. Its program is a shell, which says its child's number. */
  async function deafHost(script: string) {
    const hosts = join(stage.folder, "hosts");
    const stubborn = `
      for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => {});
      const { spawn } = require("node:child_process");
      const program = spawn("bash", ["-c", ${JSON.stringify(script)}], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
      program.stdout.once("data", (child) => console.log(program.pid + " " + child));
      setInterval(() => {}, 1e6);`;
    const host = spawn(process.execPath, ["-e", stubborn], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(host, "exit");
    const [said] = (await once(host.stdout, "data")) as [Buffer];
    const [programPid = 0, childPid = 0] = said.toString("utf8").trim().split(" ").map(Number);
    const processes = processesOn(process.platform);
    const startOf = async (pid: number) => (await processes.tree(pid))[0]?.startedAt ?? "";
    const server = serverOf(hosts);
    const record: HostRecord = {
      version: HOST_VERSION,
      sessionId: "0badcafe",
      agent: "coder",
      command: ["sleep"],
      folder: stage.folder,
      socket: join(stage.folder, "0badcafe.pty"),
      token: "secret",
      hostPid: host.pid ?? 0,
      hostStartedAt: await startOf(host.pid ?? 0),
      programPid,
      programStartedAt: await startOf(programPid),
      startedAt: 0,
    };
    return {
      server,
      ended,
      startOfAnother: await startOf(process.pid),
      pids: [record.hostPid, programPid, childPid],
      write: (change: Partial<HostRecord>): void =>
        writeFileSync(recordPath(hosts, "0badcafe"), JSON.stringify({ ...record, ...change })),
      async close() {
        host.kill("SIGKILL");
        if (!isOver(programPid)) process.kill(-programPid, "SIGKILL");
        await server.close();
      },
    };
  }

  it("is killed after the grace, and its program with all that it started", async () => {
    const host = await deafHost("trap '' TERM HUP; sleep 600 & echo $!; wait; while :; do sleep 600; done");
    try {
      // A number that is another's by now: nobody is signalled.
      const { startOfAnother } = host;
      host.write({ hostStartedAt: startOfAnother, programStartedAt: startOfAnother });
      expect(await host.server.stop("0badcafe", 0)).toBe("stopped");
      expect(host.pids.map(isOver)).toEqual([false, false, false]);
      host.write({});
      expect(await host.server.stop("0badcafe", 0)).toBe("stopped");
      expect(await host.ended).toEqual([null, "SIGKILL"]);
      await until(() => host.pids.every(isOver), "the program and its child to be over");
    } finally {
      await host.close();
    }
  });

  it("is not waited for once its program has ended, however long the grace", async () => {
    const host = await deafHost("sleep 600 & echo $!; wait");
    try {
      host.write({});
      expect(await host.server.stop("0badcafe", 3_600_000)).toBe("stopped");
      await until(() => host.pids.every(isOver), "all to be over");
    } finally {
      await host.close();
    }
  });
});

describe("a host that was killed", () => {
  /** It puts its things away in six seconds: longer than a program whose host is gone is given by itself. */
  const careful = (told: string) => `
    trap '' HUP
    trap 'echo asked >> ${told}; until [ $SECONDS -ge $((asked + 6)) ]; do sleep 0.1; done; echo put away >> ${told}; exit 7' TERM
    echo here
    while :; do asked=$SECONDS; sleep 0.1; done`;

  it.each(["before", "while"])(
    "%s its program is stopped takes nothing off the grace, and asks it once",
    async (when) => {
      const told = join(stage.folder, "told");
      await stage.bellhop.runDetached(["bash", "--norc", "-c", careful(told)], {
        name: "coder",
        folder: stage.folder,
      });
      await isThere("coder");
      const { sessionId, hostPid, programPid } = recordOf("coder");
      const server = serverOf(join(stage.bellhop.home, "hosts"));
      try {
        if (when === "before") process.kill(hostPid, "SIGKILL");
        await stage.bellhop.stop();
        const stopped = server.stop(sessionId, 60_000);
        await until(() => existsSync(told), "it to be asked");
        if (when === "while") process.kill(hostPid, "SIGKILL");
        // Sighted as one whose host is gone, as a daemon does now and then.
        await until(() => isOver(hostPid), "its host to be gone");
        expect(await server.scan()).toMatchObject({ kind: "scanned", sightings: [] });
        expect(await stopped).toBe("stopped");
        expect(isOver(programPid)).toBe(true);
        expect(readFileSync(told, "utf8")).toBe("asked\nput away\n");
      } finally {
        await server.close();
      }
    },
  );

  it("and whose program heeds nothing: it is killed when the grace is over", async () => {
    const deaf = "trap '' HUP TERM; echo here; while :; do sleep 0.1; done";
    await stage.bellhop.runDetached(["bash", "--norc", "-c", deaf], { name: "coder", folder: stage.folder });
    await isThere("coder");
    await stage.bellhop.stop();
    const { sessionId, hostPid, programPid } = recordOf("coder");
    process.kill(hostPid, "SIGKILL");
    const server = serverOf(join(stage.bellhop.home, "hosts"));
    expect(await server.stop(sessionId, 100)).toBe("stopped");
    expect(isOver(programPid)).toBe(true);
    await server.close();
  });
});

describe("the grace of stop", () => {
  it("is the program's also where its host was halted", async () => {
    const careful = `
      trap 'until [ $SECONDS -ge $((asked + 6)) ]; do sleep 0.1; done; echo put away; exit 7' TERM
      trap '' HUP
      echo here
      while :; do asked=$SECONDS; sleep 0.1; done`;
    await stage.bellhop.runDetached(["bash", "--norc", "-c", careful], {
      name: "coder",
      folder: stage.folder,
    });
    await isThere("coder");
    // A daemon that has no connection yet.
    await stage.bellhop.stop();
    process.kill(recordOf("coder").hostPid, "SIGSTOP");
    await stage.bellhop.start();
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "60s"])).toMatchObject({
      outcome: "stopped",
    });
    expect(recordOf("coder").exit).toMatchObject({ code: 7, signal: null });
    expect((await stage.bellhop.run(["peek", "coder"])).stdout).toContain("put away\n");
  });

  it("is an hour at most", async () => {
    await runs("coder");
    expect(await refusalOf("stop", "coder", "--grace", "30d")).toMatchObject({
      status: 2,
      code: "usage.invalid",
      next: "Give it an hour at most: --grace 1h",
    });
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "1h"])).toMatchObject({
      outcome: "stopped",
    });
  });
});
