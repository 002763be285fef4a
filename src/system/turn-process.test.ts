import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleProgram } from "../../tests/contract/child-program.ts";
import { systemClock } from "./clock.ts";
import { runTurnProcess, type TurnProcess } from "./turn-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

async function ran(words: readonly string[], more: Partial<TurnProcess> = {}) {
  const lines: string[] = [];
  let pid = 0;
  const outcome = await runTurnProcess({
    words,
    stdin: "given\n",
    folder,
    environment: { PATH: process.env.PATH ?? "", BELLHOP_TURN: folder },
    deadlineMs: 20_000,
    clock: systemClock,
    signal: never,
    mostBytes: 100_000,
    mostLineBytes: 50_000,
    released: async (started) => {
      pid = started;
    },
    line: (text) => lines.push(text),
    ...more,
  });
  return { outcome, lines, pid };
}

const script = (text: string) => ["/bin/sh", "-c", text];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that nobody has fetched yet does nothing any more.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 500 && isRunning(pid); look++) await sleep(10);
  return !isRunning(pid);
}

it("gives the program its input and reads its lines, also the last one without an end", async () => {
  const { outcome, lines } = await ran(script("cat; printf 'two\\nthree'; echo oops >&2; exit 3"));
  expect(outcome).toEqual({ kind: "ended", code: 3, stderr: "oops" });
  expect(lines).toEqual(["given", "two", "three"]);
});

it("is the program under the pid that it announced", async () => {
  const { lines, pid } = await ran(script("echo $$"));
  expect(lines).toEqual([String(pid)]);
});

it("does not mind a program that reads nothing", async () => {
  expect((await ran(["true"], { stdin: "x".repeat(1_000_000) })).outcome).toMatchObject({
    kind: "ended",
    code: 0,
  });
});

it("says that a program is not there", async () => {
  expect((await ran(["no-such-program"])).outcome).toEqual({
    kind: "not-started",
    why: "not found: no-such-program",
  });
});

it("does not take a program that ends like a missing one for one that was not run", async () => {
  expect((await ran(script("exit 127"))).outcome).toMatchObject({ kind: "ended", code: 127 });
});

it("says why a folder cannot be worked in", async () => {
  const { outcome } = await ran(["true"], { folder: join(folder, "gone") });
  expect(outcome).toMatchObject({ kind: "not-started", why: expect.stringContaining("ENOENT") });
});

it("ends it at its deadline, with what it started", async () => {
  const { outcome, lines } = await ran(script("sleep 1000 & echo $!; wait"), { deadlineMs: 500 });
  expect(outcome).toEqual({ kind: "late" });
  expect(await isGone(Number(lines[0]))).toBe(true);
});

it("ends it when it is told to stop", async () => {
  const stop = new AbortController();
  const { outcome, pid } = await ran(script("echo $$; sleep 1000"), {
    signal: stop.signal,
    line: () => stop.abort(),
  });
  expect(outcome).toEqual({ kind: "stopped" });
  expect(await isGone(pid)).toBe(true);
});

it("does not run it if it was told to stop before", async () => {
  const stop = new AbortController();
  const { outcome } = await ran(script("touch ran"), {
    signal: stop.signal,
    released: async () => stop.abort(),
  });
  expect(outcome).toEqual({ kind: "stopped" });
  expect(() => readFileSync(join(folder, "ran"))).toThrow("ENOENT");
});

it("never runs the program if its start cannot be recorded", async () => {
  let pid = 0;
  const { outcome } = await ran(script("touch ran"), {
    released: async (started) => {
      pid = started;
      throw new Error("the disk is full");
    },
  });
  expect(outcome).toEqual({ kind: "not-started", why: "the disk is full" });
  expect(await isGone(pid)).toBe(true);
  expect(() => readFileSync(join(folder, "ran"))).toThrow("ENOENT");
});

it("ends one that says too much", async () => {
  const { outcome, lines } = await ran(script("while :; do echo 0123456789; done"));
  expect(outcome).toEqual({ kind: "too-long" });
  expect(lines.join("\n").length).toBeLessThanOrEqual(100_000);
});

it.each([
  ["in one line", "exec cat /dev/zero"],
  ["in empty lines", "yes ''"],
])("ends at once one that says too much %s, and does not want to end", async (_how, text) => {
  const { outcome, lines, pid } = await ran(script(`trap '' TERM; ${text}`));
  expect(outcome).toEqual({ kind: "too-long" });
  expect(lines.join("\n").length).toBeLessThanOrEqual(100_000);
  expect(await isGone(pid)).toBe(true);
});

it("hears nothing more of one that says too much after it was told to stop", async () => {
  const stop = new AbortController();
  let said = 0;
  const { outcome } = await ran(script("trap '' TERM; echo on; exec cat /dev/zero"), {
    signal: stop.signal,
    line: (text) => {
      said += text.length;
      stop.abort();
    },
  });
  expect(outcome).toEqual({ kind: "stopped" });
  expect(said).toBe(2);
});

it.each([
  ["with a NUL", "a\0b", "null bytes"],
  ["too long for the system", "x".repeat(3_000_000), "E2BIG"],
])("says why words cannot be a command line: %s", async (_what, word, why) => {
  expect((await ran(["echo", word])).outcome).toEqual({
    kind: "not-started",
    why: expect.stringContaining(why),
  });
});

it("ends what the program left behind in its group, which holds its output open", async () => {
  const { outcome, lines } = await ran(script("sleep 1000 & echo $!"));
  expect(outcome).toMatchObject({ kind: "ended", code: 0 });
  expect(await isGone(Number(lines[0]))).toBe(true);
});

it("does not wait for what has left the group", async () => {
  const { outcome, lines } = await ran(
    script("setsid sh -c 'touch left; exec sleep 20' & echo $!; until [ -e left ]; do sleep 0.05; done"),
  );
  expect(outcome).toMatchObject({ kind: "ended", code: 0 });
  process.kill(Number(lines[0]), "SIGKILL");
});

it("kills a group that does not want to end", async () => {
  const { outcome, lines } = await ran(
    script("trap '' TERM; (while :; do sleep 1; done) & echo $!; while :; do sleep 1; done"),
    { deadlineMs: 300 },
  );
  expect(outcome).toEqual({ kind: "late" });
  expect(await isGone(Number(lines[0]))).toBe(true);
});

it("ends with its deadline what has left the group", async () => {
  const { outcome, lines } = await ran(
    script(
      "setsid sh -c 'touch left; exec sleep 1000' & until [ -e left ]; do sleep 0.05; done; echo $!; wait",
    ),
    { deadlineMs: 1_000 },
  );
  expect(outcome).toEqual({ kind: "late" });
  expect(await isGone(Number(lines[0]))).toBe(true);
});

it("ends with its deadline what has left the group, also if the program does not want to end", async () => {
  const { outcome, lines } = await ran(
    script(
      "trap '' TERM; setsid sh -c ': >left; exec sleep 1000' & until [ -e left ]; do sleep 0.05; done; echo $!; while :; do sleep 1; done",
    ),
    { deadlineMs: 1_000 },
  );
  expect(outcome).toEqual({ kind: "late" });
  expect(await isGone(Number(lines[0]))).toBe(true);
});

it("ends the group, and what has left it, when its parent is killed", async () => {
  await bundleProgram("turn-process", folder, fileURLToPath(new URL(".", import.meta.url)));
  const parent = join(folder, "parent.mjs");
  writeFileSync(
    parent,
    `import { runTurnProcess } from "./turn-process.mjs";
    await runTurnProcess({
      words: ["/bin/sh", "-c", "trap '' TERM HUP; sleep 1000 & one=$!; setsid sh -c ': >left; exec sleep 1000' & until [ -e left ]; do sleep 0.05; done; echo $$ $one $!; while :; do sleep 1; done"],
      stdin: "", folder: "${folder}", environment: { PATH: process.env.PATH, BELLHOP_TURN: "${folder}" }, deadlineMs: 60_000,
      clock: { after: () => () => {} }, signal: new AbortController().signal, mostBytes: 1_000, mostLineBytes: 1_000,
      released: async () => {}, line: (text) => console.log(text),
    });`,
  );
  const child = spawn(process.execPath, [parent], { stdio: ["ignore", "pipe", "inherit"] });
  const said = await new Promise<string>((resolve) => child.stdout.setEncoding("utf8").once("data", resolve));
  const pids = said.trim().split(" ").map(Number);
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  child.kill("SIGKILL");
  for (const pid of pids) expect(await isGone(pid)).toBe(true);
});
