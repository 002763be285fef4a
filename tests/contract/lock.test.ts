import { mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { takeDaemonLock } from "../../src/daemon/lock.ts";
import { bundleProgram, type Child, startChild } from "./child-program.ts";

let programs: string;
let program: string;
let folder: string;
let path: string;
let children: Child[];

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "bellhop-lock-program-"));
  program = await bundleProgram("hold-lock", programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellhop-lock-"));
  path = join(folder, "lock.db");
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  await rm(folder, { recursive: true, force: true });
});

function start(): Child {
  const child = startChild(program, [path]);
  children.push(child);
  return child;
}

async function answer(child: Child): Promise<unknown> {
  return JSON.parse(await child.line(() => true));
}

describe("the daemon's lock", () => {
  it("keeps a second process out and names the first, until that one is killed", async () => {
    const first = start();
    expect(await answer(first)).toEqual({ kind: "held", pid: first.process.pid });
    const second = start();
    expect(await answer(second)).toEqual({ kind: "taken", pid: first.process.pid });
    await second.end();
    await first.kill();
    const third = start();
    expect(await answer(third)).toEqual({ kind: "held", pid: third.process.pid });
  });

  it("is free again after an orderly end, and leaves no holder behind", async () => {
    const first = start();
    await answer(first);
    first.process.kill("SIGTERM");
    await first.end();
    expect(await readdir(folder)).toEqual(["lock.db"]);
    expect(await answer(start())).toMatchObject({ kind: "held" });
  });

  it("goes to exactly one of many that start in the same moment", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => answer(start())));
    expect(answers.filter((one) => (one as { kind: string }).kind === "held")).toHaveLength(1);
  });

  it("works the same inside one process, and is free as soon as it is released", async () => {
    const first = await takeDaemonLock(path, process.pid);
    expect(await takeDaemonLock(path, 1)).toEqual({ kind: "taken", pid: process.pid });
    expect(await answer(start())).toEqual({ kind: "taken", pid: process.pid });
    if (first.kind === "held") first.release();
    expect(await answer(start())).toMatchObject({ kind: "held" });
  });

  it("trusts the lock, not the holder's note: a stale or broken note keeps nobody out", async () => {
    for (const note of ["999999999\n", "nonsense", String(process.pid)]) {
      await writeFile(`${path}.pid`, note);
      const outcome = await takeDaemonLock(path, process.pid);
      expect(outcome.kind).toBe("held");
      if (outcome.kind === "held") outcome.release();
    }
    const holder = await takeDaemonLock(path, process.pid);
    await writeFile(`${path}.pid`, "999999999\n");
    expect(await takeDaemonLock(path, 1)).toEqual({ kind: "taken" });
    if (holder.kind === "held") holder.release();
  });

  it("stands until its file is removed, also where another is there since: that may be another's", async () => {
    const outcome = await takeDaemonLock(path, process.pid);
    if (outcome.kind !== "held") throw new Error("not held");
    expect(outcome.stands()).toBe(true);
    expect(await answer(start())).toMatchObject({ kind: "taken" });
    await rename(path, `${path}.kept`);
    expect(outcome.stands()).toBe(false);
    const another = await takeDaemonLock(path, 1);
    expect(another.kind === "held" && another.stands()).toBe(true);
    expect(outcome.stands()).toBe(false);
    outcome.release();
    if (another.kind === "held") another.release();
  });

  it("leaves two small files at most, and keeps them private", async () => {
    const outcome = await takeDaemonLock(path, process.pid);
    expect((await readdir(folder)).toSorted()).toEqual(["lock.db", "lock.db.pid"]);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    if (outcome.kind === "held") outcome.release();
  });

  it("says so when its file is something else, or cannot be made", async () => {
    await writeFile(path, "x".repeat(5_000));
    await expect(takeDaemonLock(path, 1)).rejects.toMatchObject({ code: "daemon.start_failed" });
    await expect(takeDaemonLock(join(folder, "none", "lock.db"), 1)).rejects.toMatchObject({
      code: "daemon.start_failed",
    });
  });
});
