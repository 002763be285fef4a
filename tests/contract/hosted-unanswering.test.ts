/** Hosts that do not answer, cannot be reached, or are none: what a person is told, and that it can be ended. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { recordPath } from "../../src/terminals/pty/records.ts";
import { PtyServer } from "../../src/terminals/pty/server.ts";
import { HOST_VERSION, type HostRecord } from "../../src/wire/host.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import type { HostViewer } from "../rig/host-viewer.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { hostRecords } from "../rig/hosts.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";

let bellhop: Bellhop;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-unanswering-"));
  bellhop = new Bellhop({ config: SCRIPTED_PROFILE, env: { TMUX_TMPDIR: folder } });
  await bellhop.start();
});
afterEach(async () => {
  await bellhop.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const runs = (name: string) =>
  bellhop.runDetached(["sh", "-c", "echo here; exec sleep 600"], { name, folder });
const isThere = (name: string) =>
  until(async () => (await bellhop.run(["peek", name])).stdout === "here\n", `${name} to be there`);

function recordOf(name: string): HostRecord {
  const record = hostRecords(bellhop.home).find(({ agent }) => agent === name);
  if (record === undefined) throw new Error(`no host of ${name}`);
  return record;
}

const viewersToldTo = ({ told }: HostViewer) =>
  told.flatMap((one) => (one.type === "state" ? one.state.viewers : [])).at(-1);

async function refusalOf(...args: readonly string[]) {
  const { code, stderr } = await bellhop.run([...args, "--json"]);
  return { status: code, ...(JSON.parse(stderr) as { error: object }).error };
}

function isOver(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** As the daemon has it. */
function serverOf(hosts: string): PtyServer {
  return new PtyServer({
    clock: systemClock,
    processes: processesOn(process.platform),
    recognise: () => undefined,
    folder: hosts,
    socketOf: (id) => join(folder, `${id}.pty`),
    program: { entry: "", logs: folder },
    log: { warn: () => {} },
  });
}

describe("a host that is halted", () => {
  it("is said not to answer, is listed with the others, and ends in good order when it is stopped", async () => {
    await runs("coder");
    await isThere("coder");
    const { hostPid, programPid } = recordOf("coder");
    process.kill(hostPid, "SIGSTOP");
    expect(await refusalOf("peek", "coder")).toMatchObject({
      status: 6,
      code: "terminal.unreadable",
      message: 'The screen of "coder" cannot be read now: its host does not answer.',
      next: expect.stringContaining('"bellhop restart coder"'),
    });
    expect(await bellhop.json<readonly ListedSession[]>(["ls"])).toMatchObject([{ readiness: "unknown" }]);
    expect(await bellhop.json(["stop", "coder"])).toMatchObject({ outcome: "stopped" });
    await until(() => [hostPid, programPid].every(isOver), "both to be over");
    expect((await bellhop.run(["peek", "coder"])).stdout).toBe("here\n");
  });

  it("ends its program by each signal once: many a program takes a second for an order to drop everything", async () => {
    const told = join(folder, "told");
    const hurried = `
      const told = (signal) => require("node:fs").appendFileSync(${JSON.stringify(told)}, signal + "\\n");
      process.on("SIGTERM", told);
      process.on("SIGHUP", (signal) => (told(signal), process.exit(7)));
      setInterval(() => {}, 1e6);
      console.log("here");`;
    await bellhop.runDetached([process.execPath, "-e", hurried], { name: "coder", folder });
    // From here on the daemon is connected.
    await isThere("coder");
    process.kill(recordOf("coder").hostPid, "SIGSTOP");
    expect(await bellhop.json(["stop", "coder", "--grace", "60s"])).toMatchObject({ outcome: "stopped" });
    expect(readFileSync(told, "utf8")).toBe("SIGTERM\nSIGHUP\n");
    expect(recordOf("coder").exit).toMatchObject({ code: 7, signal: null });
  });
});

describe("a host whose socket was removed", () => {
  const removed = async () => {
    const agent = await startHostedAgent(bellhop, "coder");
    // Who is connected already does not notice.
    await bellhop.stop();
    unlinkSync(agent.record().socket);
    return agent;
  };

  it("is found again by the next daemon, and is given what waited for it once", async () => {
    const agent = await removed();
    await bellhop.start();
    const client = await bellhop.client();
    const { messageId } = await client.call("send", {
      to: "coder",
      body: "after the cleaner",
      claims: { user: "dev" },
    });
    const isDelivered = async () =>
      (await client.call("show", { id: messageId })).deliveries[0]?.state === "delivered";
    await until(isDelivered, "it to be delivered");
    expect(agent.prompts()).toEqual([expect.stringContaining("after the cleaner")]);
    expect(statSync(agent.record().socket).mode & 0o777).toBe(0o600);
  });

  it("is attached to, also where the daemon never lost sight of it, and who was there stays", async () => {
    const agent = await startHostedAgent(bellhop, "coder");
    const { hostPid, socket } = agent.record();
    const before = await agent.attach({ cols: 80, rows: 24 });
    const client = await bellhop.client();
    for (let time = 1; time <= 2; time += 1) {
      unlinkSync(socket);
      await client.call("attach", { who: "coder" });
      const viewer = await agent.attach({ cols: 80, rows: 24 });
      await until(() => Buffer.concat(viewer.shown).includes("coder is ready."), "its screen");
      viewer.close();
      await until(() => viewersToldTo(before) === 1, "the other to be told");
    }
    expect(agent.record().hostPid).toBe(hostPid);
    before.close();
  });

  it.each(["stop", "restart"])(
    "and that is halted is said to be out of reach, and %s works",
    async (command) => {
      const { sessionId } = await runs("coder");
      await isThere("coder");
      await bellhop.stop();
      const { hostPid, programPid, socket } = recordOf("coder");
      unlinkSync(socket);
      process.kill(hostPid, "SIGSTOP");
      await bellhop.start();
      const client = await bellhop.client();
      await expect(client.call("attach", { who: "coder" })).rejects.toMatchObject({
        code: "terminal.unreadable",
        message:
          'The host of "coder" runs, but cannot be reached: its socket is gone, and it does not make it anew.',
        next: 'Start it again with "bellhop restart coder", or end it with "bellhop stop coder".',
      });
      expect(await refusalOf("peek", "coder")).toMatchObject({
        message: expect.stringContaining('The screen of "coder" cannot be read now: its host'),
      });
      expect(await bellhop.json([command, "coder"])).toMatchObject({ agent: "coder", sessionId });
      await until(() => [hostPid, programPid].every(isOver), "both to be over");
      if (command === "restart") await isThere("coder");
    },
  );
});

describe("a host at whose socket's path something else is", () => {
  const somebodyElse = {
    async file(path: string) {
      writeFileSync(path, "somebody's");
    },
    async folder(path: string) {
      mkdirSync(path);
    },
  };

  it("takes its place again where that is a socket at which nobody listens", async () => {
    const agent = await startHostedAgent(bellhop, "coder");
    const { hostPid, socket } = agent.record();
    const other = createServer().listen(`${socket}.other`);
    await once(other, "listening");
    renameSync(`${socket}.other`, socket);
    other.close();
    await once(other, "close");
    const client = await bellhop.client();
    await client.call("attach", { who: "coder" });
    const viewer = await agent.attach({ cols: 80, rows: 24 });
    await until(() => Buffer.concat(viewer.shown).includes("coder is ready."), "its screen");
    viewer.close();
    expect(agent.record().hostPid).toBe(hostPid);
  });

  it.each(["file", "folder"] as const)(
    "leaves a %s, is said to be out of reach, and is there again once that is away",
    async (kind) => {
      await runs("coder");
      await isThere("coder");
      const { hostPid, socket } = recordOf("coder");
      await bellhop.stop();
      unlinkSync(socket);
      await somebodyElse[kind](socket);
      await bellhop.start();
      const outOfReach = {
        status: 6,
        code: "terminal.unreadable",
        message: `The host of "coder" runs, but cannot be reached: what is at ${socket} is not its socket.`,
        next: 'Take that away, and the host listens there again; or end it with "bellhop stop coder".',
      };
      const client = await bellhop.client();
      const { status: _status, ...refusal } = outOfReach;
      await expect(client.call("attach", { who: "coder" })).rejects.toMatchObject(refusal);
      expect(await refusalOf("peek", "coder")).toMatchObject({
        status: 6,
        message: `The screen of "coder" cannot be read now: its host cannot be reached: ${socket} is no socket any more; take it away.`,
      });
      expect(await bellhop.json<readonly ListedSession[]>(["ls"])).toMatchObject([{ readiness: "unknown" }]);
      process.kill(hostPid, "SIGHUP");
      expect(await bellhop.run(["run", "--detach", "--name", "other", "--", "sleep", "600"])).toMatchObject({
        code: 0,
      });
      expect(existsSync(socket)).toBe(true);
      rmSync(socket, { recursive: true });
      await isThere("coder");
      expect(recordOf("coder").hostPid).toBe(hostPid);
    },
  );

  it("is stopped, leaves that as it is, and is started again once that is away", async () => {
    await runs("coder");
    await isThere("coder");
    const { hostPid, socket } = recordOf("coder");
    unlinkSync(socket);
    writeFileSync(socket, "somebody's");
    expect(await bellhop.json(["stop", "coder"])).toMatchObject({ outcome: "stopped" });
    await until(() => isOver(hostPid), "it to be over");
    expect(await refusalOf("restart", "coder")).toMatchObject({
      code: "host.start_failed",
      message: `The terminal for "coder" did not start: what is at ${socket} is no socket.`,
      next: "Take that away, and try again.",
    });
    expect(readFileSync(socket, "utf8")).toBe("somebody's");
    rmSync(socket);
    await bellhop.json(["restart", "coder"]);
    await isThere("coder");
  });
});

describe("a host that heeds no signal that can be ignored", () => {
  /** It answers nobody either. Its program is a shell, which says its child's number. */
  async function deafHost(script: string) {
    const hosts = join(folder, "hosts");
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
      folder,
      socket: join(folder, "0badcafe.pty"),
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
      host.write({ hostStartedAt: "another", programStartedAt: "another" });
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
      const told = join(folder, "told");
      await bellhop.runDetached(["bash", "--norc", "-c", careful(told)], { name: "coder", folder });
      await isThere("coder");
      const { sessionId, hostPid, programPid } = recordOf("coder");
      const server = serverOf(join(bellhop.home, "hosts"));
      try {
        if (when === "before") process.kill(hostPid, "SIGKILL");
        await bellhop.stop();
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
    await bellhop.runDetached(["bash", "--norc", "-c", deaf], { name: "coder", folder });
    await isThere("coder");
    await bellhop.stop();
    const { sessionId, hostPid, programPid } = recordOf("coder");
    process.kill(hostPid, "SIGKILL");
    const server = serverOf(join(bellhop.home, "hosts"));
    expect(await server.stop(sessionId, 100)).toBe("stopped");
    expect(isOver(programPid)).toBe(true);
    await server.close();
  });
});

describe("what is no record of a host", () => {
  it("is left out of ls, and said once", async () => {
    const { sessionId } = await runs("coder");
    const hosts = join(bellhop.home, "hosts");
    execFileSync("mkfifo", [join(hosts, "deadbee4.json")], { timeout: 5_000 });
    writeFileSync(join(hosts, "deadbee5.json"), readFileSync(join(hosts, `${sessionId}.json`)));
    try {
      for (let look = 0; look < 2; look += 1)
        expect(await bellhop.json(["ls"])).toMatchObject([{ id: sessionId }]);
      const said = bellhop
        .log()
        .split("\n")
        .filter((line) => line.includes("host.record_unreadable"))
        .map((line) => (JSON.parse(line) as { readonly session: string }).session);
      expect(said.sort()).toEqual(["deadbee4", "deadbee5"]);
    } finally {
      for (const id of ["deadbee4", "deadbee5"]) unlinkSync(join(hosts, `${id}.json`));
    }
    expect(existsSync(join(hosts, `${sessionId}.json`))).toBe(true);
  });
});

describe("the grace of stop", () => {
  it("is the program's also where its host was halted", async () => {
    const careful = `
      trap 'until [ $SECONDS -ge $((asked + 6)) ]; do sleep 0.1; done; echo put away; exit 7' TERM
      trap '' HUP
      echo here
      while :; do asked=$SECONDS; sleep 0.1; done`;
    await bellhop.runDetached(["bash", "--norc", "-c", careful], { name: "coder", folder });
    await isThere("coder");
    // A daemon that has no connection yet.
    await bellhop.stop();
    process.kill(recordOf("coder").hostPid, "SIGSTOP");
    await bellhop.start();
    expect(await bellhop.json(["stop", "coder", "--grace", "60s"])).toMatchObject({ outcome: "stopped" });
    expect(recordOf("coder").exit).toMatchObject({ code: 7, signal: null });
    expect((await bellhop.run(["peek", "coder"])).stdout).toContain("put away\n");
  });

  it("is an hour at most", async () => {
    await runs("coder");
    expect(await refusalOf("stop", "coder", "--grace", "30d")).toMatchObject({
      status: 2,
      code: "usage.invalid",
      next: "Give it an hour at most: --grace 1h",
    });
    expect(await bellhop.json(["stop", "coder", "--grace", "1h"])).toMatchObject({ outcome: "stopped" });
  });
});
