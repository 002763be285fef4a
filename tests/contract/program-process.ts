/** If a program recognises a process as its own, `processes` can say that it is alive, under the same identity. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import type { ProcessInfo } from "../../src/ports/processes.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { PROGRAMS } from "../../src/programs/index.ts";
import { ProfileRegistry } from "../../src/programs/profile-registry.ts";
import type { Program } from "../../src/programs/program.ts";
import { programRegistry } from "../../src/programs/session-registry.ts";

export function programProcessContract(program: Program): void {
  const processes = processesOn(process.platform);
  const shelf = new ProfileRegistry(PROGRAMS, []);
  const started: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of started.splice(0)) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
    }
  });

  /** A process with the program's name that does nothing. */
  async function start(): Promise<{ readonly child: ChildProcess; readonly found: ProcessInfo }> {
    const child = spawn("/bin/sleep", ["60"], { argv0: program.name, stdio: "ignore" });
    started.push(child);
    await once(child, "spawn");
    const [found] = shelf.recognise(await processes.tree(child.pid ?? 0));
    if (found?.program !== program.name) throw new Error(`it was taken for ${found?.program}`);
    return { child, found: found.process };
  }

  it("are recognised under an identity that lives until they end", async () => {
    const { child, found } = await start();
    expect(found.pid).toBe(child.pid);
    expect(await processes.identify(found.pid)).toEqual({ pid: found.pid, startedAt: found.startedAt });
    expect(await processes.alive(found.pid, found.startedAt)).toBe("alive");
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(await processes.alive(found.pid, found.startedAt)).toBe("gone");
  });

  it("may be asked about, and have nothing to tell when they are not the real ones", async () => {
    const { found } = await start();
    const registry = programRegistry(PROGRAMS, {
      clock: { monotonic: () => performance.now() },
      processes,
      home: "/nonexistent",
    });
    const entry = await registry.lookUp(program.name, found);
    expect(entry?.programSessionId).toBeUndefined();
    expect(await registry.note(program.name, found)).toBeUndefined();
  });

  it("have the screen, and not what runs under them", () => {
    const run = (pid: number, parentPid: number, name: string): ProcessInfo => ({
      pid,
      parentPid,
      startedAt: String(pid),
      argv: [name],
      command: name,
      foreground: true,
    });
    for (const { name } of PROGRAMS) {
      const tree = [run(1, 0, "-zsh"), run(2, 1, program.name), run(3, 2, "sh"), run(4, 3, name)];
      expect(shelf.recognise(tree).map(({ process }) => process.pid)).toEqual([2]);
    }
  });

  it("are known by their command before they run", () => {
    expect(shelf.programOf([program.name])).toBe(program.name);
  });
}
