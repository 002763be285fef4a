import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linuxProcesses, linuxStanding, readingHeld } from "./linux.ts";
import { processesOn } from "./processes.ts";

const stat = (pid: number, parent: number, options: { state?: string; ticks?: number } = {}) =>
  `${pid} (p${pid}) ${options.state ?? "S"} ${parent} ${pid} 1 34817 ${pid} 0 0 0 0 0 0 0 0 0 20 0 1 0 ${options.ticks ?? pid * 10} 0 0`;

describe("processes from a proc file system", () => {
  let root = "";

  const addProcess = (
    pid: number,
    parent: number,
    children: number[] | undefined,
    line = stat(pid, parent),
  ) => {
    mkdirSync(join(root, String(pid), "task", String(pid)), { recursive: true });
    writeFileSync(join(root, String(pid), "stat"), `${line}\n`);
    writeFileSync(join(root, String(pid), "cmdline"), `prog\0arg ${pid}\0`);
    if (children !== undefined) {
      writeFileSync(
        join(root, String(pid), "task", String(pid), "children"),
        children.map((c) => `${c} `).join(""),
      );
    }
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bh-proc-"));
    mkdirSync(join(root, "sys/kernel/random"), { recursive: true });
    writeFileSync(join(root, "sys/kernel/random/boot_id"), "aaaabbbb-cccc\n");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const withChildrenFiles = () => {
    mkdirSync(join(root, "thread-self"));
    writeFileSync(join(root, "thread-self/children"), "");
  };

  it("walks the tree, parents before children", async () => {
    withChildrenFiles();
    addProcess(10, 1, [20, 30]);
    addProcess(20, 10, [40]);
    addProcess(30, 10, []);
    addProcess(40, 20, []);
    const tree = await linuxProcesses(root).tree(10);
    expect(tree.map((each) => [each.pid, each.parentPid])).toEqual([
      [10, 1],
      [20, 10],
      [30, 10],
      [40, 20],
    ]);
    expect(tree[1]).toEqual({
      pid: 20,
      parentPid: 10,
      startedAt: "aaaabbbb:200",
      argv: ["prog", "arg 20"],
      command: "p20",
      group: 20,
      isStopped: false,
      foreground: true,
    });
  });

  it("walks as many children as there are", async () => {
    withChildrenFiles();
    const children = Array.from({ length: 900 }, (_, index) => 1_000 + index);
    addProcess(10, 1, children);
    for (const child of children) addProcess(child, 10, []);
    const tree = await linuxProcesses(root).tree(10);
    expect(tree.map(({ pid }) => pid)).toEqual([10, ...children]);
  });

  it("asks every process for its parent where the kernel does not name children", async () => {
    addProcess(10, 1, undefined);
    addProcess(20, 10, undefined);
    addProcess(50, 1, undefined);
    expect((await linuxProcesses(root).tree(10)).map((each) => each.pid)).toEqual([10, 20]);
  });

  it("leaves out what ended meanwhile, and zombies", async () => {
    withChildrenFiles();
    addProcess(10, 1, [20, 21]);
    addProcess(21, 10, [], stat(21, 10, { state: "Z" }));
    expect((await linuxProcesses(root).tree(10)).map((each) => each.pid)).toEqual([10]);
    expect(await linuxProcesses(root).tree(99)).toEqual([]);
  });

  it("cannot tell when a stat line is not understood", async () => {
    withChildrenFiles();
    addProcess(10, 1, [], "nonsense");
    await expect(linuxProcesses(root).tree(10)).rejects.toThrow("unknown form");
    await expect(linuxProcesses(root).identify(10)).rejects.toThrow("unknown form");
    expect(await linuxProcesses(root).alive(10, "x")).toBe("unknown");
  });

  it("tells the same process from another with its number", async () => {
    addProcess(10, 1, []);
    const processes = linuxProcesses(root);
    expect(await processes.alive(10, "aaaabbbb:100")).toBe("alive");
    expect(await processes.alive(10, "aaaabbbb:101")).toBe("gone");
    expect(await processes.alive(11, "aaaabbbb:100")).toBe("gone");
    expect(await processes.identify(10)).toEqual({ pid: 10, startedAt: "aaaabbbb:100" });
    expect(await processes.identify(11)).toBe("gone");
  });

  it("says nothing of a start that it has not made, unless nobody has the number", async () => {
    addProcess(10, 1, []);
    const processes = linuxProcesses(root);
    for (const foreign of ["1763268000", "", "Mon Nov 3 09:01:03 2025"]) {
      expect(await processes.alive(10, foreign)).toBe("unknown");
      expect(await processes.alive(11, foreign)).toBe("gone");
    }
  });

  it("says where an agent stands: in front, stopped, behind, or not to be said", async () => {
    const at = (
      pid: number,
      parent: number,
      told: { state?: string; group?: number; front?: number; tty?: number },
    ) =>
      `${pid} (p) ${told.state ?? "S"} ${parent} ${told.group ?? pid} 1 ${told.tty ?? 34817} ${told.front ?? 20} 0 0 0 0 0 0 0 0 0 20 0 1 0 ${pid * 10} 0 0`;
    const agent = { pid: 20, startedAt: "aaaabbbb:200" };
    const standing = async (line: string) => {
      addProcess(10, 1, [], at(10, 1, {}));
      addProcess(20, 10, [], line);
      return linuxProcesses(root).standing(agent, 10);
    };
    expect(await standing(at(20, 10, {}))).toBe("in-front");
    expect(await standing(at(20, 10, { state: "T" }))).toBe("stopped");
    expect(await standing(at(20, 10, { state: "t" }))).toBe("stopped");
    expect(await standing(at(20, 10, { front: 10 }))).toBe("behind");
    expect(await standing(at(20, 10, { tty: 0, front: -1 }))).toBe("unknown");
    expect(await standing("nonsense")).toBe("unknown");
    expect(await standing(at(20, 10, { state: "Z" }))).toBe("gone");
    expect(await linuxProcesses(root).standing({ ...agent, startedAt: "aaaabbbb:201" }, 10)).toBe("gone");

    // It has no controlling terminal, and reads the one of its parent: a device that every machine has.
    const device = statSync("/dev/null").rdev;
    addProcess(10, 1, [], at(10, 1, { tty: device, front: 10 }));
    addProcess(20, 10, [], at(20, 10, { tty: 0, front: -1 }));
    expect(await linuxProcesses(root).standing(agent, 10)).toBe("unknown");
    mkdirSync(join(root, "20/fd"));
    symlinkSync("/dev/null", join(root, "20/fd/0"));
    expect(await linuxProcesses(root).standing(agent, 10)).toBe("in-front");
  });

  it("takes a wrapper for stopped with its program, not with a helper", async () => {
    const at = (pid: number, parent: number, state: string) =>
      `${pid} (p) ${state} ${parent} 20 1 34817 20 0 0 0 0 0 0 0 0 0 20 0 1 0 ${pid * 10} 0 0`;
    addProcess(20, 1, [21, 22], at(20, 1, "S"));
    addProcess(21, 20, [], at(21, 20, "S"));
    addProcess(22, 20, [], at(22, 20, "T"));
    mkdirSync(join(root, "22/fd"));
    symlinkSync("pipe:[1]", join(root, "22/fd/0"));
    const standing = () => linuxProcesses(root).standing({ pid: 20, startedAt: "aaaabbbb:200" }, 20);
    expect(await standing()).toBe("in-front");
    addProcess(21, 20, [], at(21, 20, "T"));
    expect(await standing()).toBe("stopped");
    mkdirSync(join(root, "21/fd"));
    symlinkSync("/dev/pts/3", join(root, "21/fd/0"));
    expect(await standing()).toBe("stopped");
  });

  it("gives the folder and only the named variables", async () => {
    addProcess(10, 1, []);
    symlinkSync("/some/folder", join(root, "10/cwd"));
    writeFileSync(join(root, "10/environ"), "A=1\0SECRET=no\0B=x=y\0");
    const processes = linuxProcesses(root);
    expect(await processes.workingFolder(10)).toBe("/some/folder");
    expect(await processes.workingFolder(11)).toBeUndefined();
    expect(await processes.environment(10, ["A", "B", "C"])).toEqual({ A: "1", B: "x=y" });
  });
});

describe.runIf(process.platform === "linux")("processes of this machine", () => {
  it("sees a child with its arguments, and that it has ended", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()", "--", "a b"], {
      env: { MARK: "1" },
    });
    await once(child, "spawn");
    const processes = processesOn("linux");
    const pid = child.pid ?? 0;
    const seen = (await processes.tree(process.pid)).find((each) => each.pid === pid);
    expect(seen?.startedAt).toMatch(/^[0-9a-f]{8}:\d+$/);
    expect(await processes.alive(pid, seen?.startedAt ?? "")).toBe("alive");
    expect(await processes.workingFolder(pid)).toBe(process.cwd());
    child.stdin.end();
    await once(child, "exit");
    expect(await processes.alive(pid, seen?.startedAt ?? "")).toBe("gone");
  });

  it("sees each change of a child whose files it keeps open, and its end", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    await once(child, "spawn");
    const agent = await processesOn("linux").identify(child.pid ?? 0);
    if (agent === "gone") throw new Error("the child has ended");
    const standing = linuxStanding("/proc", readingHeld());
    const becomes = (wanted: string) => expect.poll(() => standing(agent, agent.pid)).toBe(wanted);
    // It runs without a terminal.
    await becomes("unknown");
    child.kill("SIGSTOP");
    await becomes("stopped");
    child.kill("SIGCONT");
    await becomes("unknown");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(standing(agent, agent.pid)).toBe("gone");
    expect(standing(agent, agent.pid)).toBe("gone");
  });

  it("keeps few files open, and reads a long one whole", () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-held-"));
    try {
      const read = readingHeld();
      const before = readdirSync("/proc/self/fd").length;
      for (let file = 0; file < 100; file += 1) {
        const path = join(folder, String(file), "stat");
        mkdirSync(dirname(path));
        writeFileSync(path, `${file} `.repeat(file * 20));
        expect(read(path)).toBe(`${file} `.repeat(file * 20));
        expect(read(path)).toBe(`${file} `.repeat(file * 20));
      }
      expect(read(join(folder, "none"))).toBe("gone");
      expect(readdirSync("/proc/self/fd").length - before).toBeLessThanOrEqual(32);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("never keeps a list of children, which is empty once its process has ended", () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-held-"));
    try {
      const read = readingHeld();
      const path = join(folder, "children");
      for (const children of ["", "7 8 ", "9 "]) {
        // As that of another process with the same number: not the file that was there before.
        rmSync(path, { force: true });
        writeFileSync(path, children);
        expect(read(path)).toBe(children);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("refuses a system it does not know", () => {
    expect(() => processesOn("win32")).toThrow("does not know how to list processes");
  });
});
