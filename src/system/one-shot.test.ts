import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runOnce } from "./one-shot.ts";

const PATH = process.env.PATH ?? "";
const shot = (script: string, more: { timeoutMs?: number; mostBytes?: number } = {}) =>
  runOnce({
    command: [process.execPath, "-e", script],
    stdin: "given",
    folder: tmpdir(),
    environment: { PATH },
    timeoutMs: 20_000,
    mostBytes: 1_000,
    ...more,
  });

it("gives what it said, and how it ended", async () => {
  const script =
    "process.stdin.pipe(process.stdout); process.stdin.on('end', () => { process.exitCode = 3; })";
  expect(await shot(script)).toEqual({ kind: "ended", code: 3, stdout: "given", stderr: "" });
});

it("does not mind a program that reads nothing", async () => {
  expect(await shot("process.exit(0)")).toMatchObject({ kind: "ended", code: 0 });
});

it("ends it at its deadline, with what it started", async () => {
  const script = `const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
    console.log(child.pid); setInterval(() => {}, 1e6);`;
  expect(await shot(script, { timeoutMs: 500 })).toEqual({ kind: "late" });
});

it("ends one that says too much", async () => {
  expect(await shot("setInterval(() => console.log('x'.repeat(500)), 1)")).toEqual({ kind: "too-long" });
});

it("says why one cannot be started", async () => {
  const outcome = await runOnce({
    command: ["/nowhere/at/all"],
    stdin: "",
    folder: tmpdir(),
    environment: {},
    timeoutMs: 20_000,
    mostBytes: 10,
  });
  expect(outcome).toMatchObject({ kind: "failed", why: expect.stringContaining("ENOENT") });
});
