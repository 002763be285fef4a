/** Programs that write endlessly, with output that is expensive to draw: stop, grace and ending work as usual. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { PtyServer } from "../../src/terminals/pty/server.ts";
import { until } from "../rig/scripted-agent.ts";
import { isOver } from "./hosted-sleepers.ts";

const SESSION = "0badcafe";
let folder: string;
let server: PtyServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-flood-"));
  // As in the daemon.
  server = new PtyServer({
    clock: systemClock,
    processes: processesOn(process.platform),
    recognise: () => [],
    folder: join(folder, "hosts"),
    socketOf: (id) => join(folder, `${id}.pty`),
    program: { entry: resolve("dist/host.cjs"), logs: folder },
    log: { warn: () => {} },
  });
});

afterEach(async () => {
  await server.stop(SESSION, 0);
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `ending` says what it does when it is asked to end, and when it ends by itself. */
async function floods(ending: string): Promise<{ readonly hostPid: number; readonly programPid: number }> {
  const program = join(folder, "flood.mjs");
  const begun = join(folder, "begun");
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
    process.on("SIGHUP", () => {});
    ${ending}
    writeFileSync(${JSON.stringify(begun)}, "");
    // Each of these few bytes moves a hundred lines.
    const piece = "\\x1b[500L".repeat(100);
    function flood() {
      process.stdout.write(piece, () => setImmediate(flood));
    }
    flood();`,
  );
  await server.start({
    sessionId: SESSION,
    agent: "coder",
    command: [process.execPath, program],
    folder,
    environment: { PATH: process.env.PATH ?? "" },
    columns: 80,
    rows: 500,
  });
  await until(() => existsSync(begun), "it to flood its terminal");
  const scanned = await server.scan();
  const identity = scanned.kind === "scanned" ? scanned.sightings[0]?.identity : undefined;
  return { hostPid: identity?.serverPid ?? 0, programPid: identity?.panePid ?? 0 };
}

describe("a program that floods its terminal", () => {
  it.each([
    ["has its grace when it is stopped, and ends as it likes", 1_500, 60_000, { code: 5, signal: null }],
    ["and needs longer is killed when its grace is over", 60_000, 1_000, { code: null, signal: 9 }],
  ])("%s", async (_, neededMs, graceMs, exit) => {
    const pids = await floods(`process.on("SIGTERM", () => setTimeout(() => process.exit(5), ${neededMs}));`);
    expect(await server.stop(SESSION, graceMs)).toBe("stopped");
    expect(await server.facts(SESSION)).toMatchObject({ state: "exited", exit });
    await until(() => isOver(pids.hostPid) && isOver(pids.programPid), "host and program to be gone");
    expect(existsSync(join(folder, `${SESSION}.pty`))).toBe(false);
  });

  it("and ends by itself is said to have ended so", async () => {
    const pids = await floods("setTimeout(() => process.exit(7), 500);");
    await until(() => isOver(pids.hostPid), "the host to be gone");
    expect(await server.facts(SESSION)).toMatchObject({ state: "exited", exit: { code: 7, signal: null } });
    expect(existsSync(join(folder, `${SESSION}.pty`))).toBe(false);
  });

  it("and whose host is killed leaves no socket behind", async () => {
    const { hostPid, programPid } = await floods('process.on("SIGTERM", () => {});');
    process.kill(hostPid, "SIGKILL");
    await until(() => isOver(hostPid), "the host to be gone");
    expect(await server.scan()).toMatchObject({ kind: "scanned", sightings: [] });
    expect(existsSync(join(folder, `${SESSION}.pty`))).toBe(false);
    expect(await server.stop(SESSION, 100)).toBe("stopped");
    expect(isOver(programPid)).toBe(true);
  });
});
