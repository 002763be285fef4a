import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { endMarkedProcesses } from "../rig/marked-processes.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const IN_NAMESPACE = join(root, "tests", "rig", "in-namespace.mjs");
const MARK = "BELLHOP_CONTAINED_TEST";
/** Like a daemon, a host or a tmux server: in its own session, with nothing that ties it to its parent. */
const SUITE =
  "setsid sh -c 'setsid sleep 600 & exec sleep 600' >/dev/null 2>&1 & echo started; exec sleep 600";
const PATIENCE_MS = 180_000;

const inNamespace = `"${process.execPath}" "${IN_NAMESPACE}" -- sh -c "$0"`;

interface Started {
  readonly starter: ChildProcess;
  readonly mark: string;
}

/** A running suite, started by a shell, or by a shell inside a shell as npm does. */
async function startSuite(shell: "exec" | "stays" | "under npm"): Promise<Started> {
  const mark = randomUUID();
  const stays = `${inNamespace}; true`;
  const command = { exec: `exec ${inNamespace}`, stays, "under npm": `sh -c '${stays}' "$0"; true` }[shell];
  const starter = spawn("sh", ["-c", command, SUITE], {
    env: {
      PATH: process.env.PATH,
      [MARK]: mark,
      ...(shell === "under npm" && { npm_lifecycle_event: "test" }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(starter.stdout ?? starter, "data");
  return { starter, mark };
}

const left = async (mark: string) =>
  (
    await endMarkedProcesses({
      variable: MARK,
      value: mark,
      expected: () => false,
      patienceMs: PATIENCE_MS,
    })
  ).map(({ commandLine }) => commandLine);

it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
  "leaves nothing of a suite that is stopped by %s, also not what detached itself",
  async (signal) => {
    const { starter, mark } = await startSuite("exec");
    starter.kill(signal);
    expect(await left(mark)).toEqual([]);
  },
);

it("leaves nothing of a suite whose starter was killed without a word", async () => {
  const { starter, mark } = await startSuite("stays");
  starter.kill("SIGKILL");
  expect(await left(mark)).toEqual([]);
});

it("leaves nothing of a suite under npm when npm was killed without a word", async () => {
  const { starter, mark } = await startSuite("under npm");
  starter.kill("SIGKILL");
  expect(await left(mark)).toEqual([]);
});
