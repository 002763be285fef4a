/** Starts one host as a separate process, which outlives the daemon. */
import { closeSync, openSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { BellhopError, isOutOfFiles, outOfFiles } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { findOnPath, isExecutable } from "../../system/executables.ts";
import { startProgram } from "../../system/starting.ts";
import type { HostSpec } from "../../wire/host/host.ts";
import { readRecord } from "./records.ts";

const START_MS = 15_000;
const LOOK_EVERY_MS = 20;

export interface HostProgram {
  /** The host's own entry file. */
  readonly entry: string;
  readonly logs: string;
}

export async function startHost(
  spec: HostSpec,
  program: HostProgram,
  folder: string,
  clock: Clock,
): Promise<void> {
  const found = checkStart(spec.command, spec.folder, spec.environment.PATH ?? "");
  const rest = spec.command.slice(1);
  const output = openOutput(join(program.logs, "hosts.out"), spec.agent);
  try {
    const { child, stdin, kill } = startProgram(
      process.execPath,
      ["--max-semi-space-size=1", "--v8-pool-size=1", program.entry],
      {
        cwd: "/",
        detached: true,
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
        stdio: ["pipe", output, output],
      },
    );
    const ended = new Promise<string | Error>((tell) => {
      child.once("error", tell);
      child.once("exit", (code, signal) => tell(`exit status ${code ?? signal}`));
    });
    stdin.on("error", () => {});
    stdin.end(JSON.stringify({ ...spec, command: [found, ...rest] }));
    child.unref();
    await untilRecorded(spec, folder, clock, ended).catch((error: unknown) => {
      // If it came up after all, it would run unnoticed: the caller was told that it did not start.
      kill("SIGTERM");
      throw error;
    });
  } finally {
    closeSync(output);
  }
}

async function untilRecorded(
  spec: HostSpec,
  folder: string,
  clock: Clock,
  ended: Promise<string | Error>,
): Promise<void> {
  const until = clock.monotonic() + START_MS;
  let how: string | Error | undefined;
  void ended.then((told) => {
    how = told;
  });
  for (;;) {
    const found = await readRecord(folder, spec.sessionId);
    if (found.kind === "record") return;
    if (isOutOfFiles(how)) throw notStarted(spec.agent, how);
    if (how !== undefined || clock.monotonic() > until) {
      const why = how instanceof Error ? how.message : (how ?? "it did not report in time");
      throw new BellhopError("host.start_failed", {
        message: `The terminal for "${spec.agent}" did not start (${why}).`,
        next: 'Look at "hosts.out" in the logs folder, and try again.',
      });
    }
    await new Promise<void>((wake) => {
      clock.after(LOOK_EVERY_MS, wake);
    });
  }
}

function openOutput(path: string, agent: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw isOutOfFiles(cause) ? notStarted(agent, cause) : cause;
  }
}

function notStarted(agent: string, cause: unknown): BellhopError {
  return outOfFiles(`The terminal for "${agent}" did not start`, cause);
}

/** Returns the path of the program. */
export function checkStart(command: readonly string[], folder: string, path: string): string {
  if (!isFolder(folder)) {
    throw new BellhopError("usage.invalid", {
      message: `There is no folder ${folder}.`,
      next: "Start it in a folder that exists.",
    });
  }
  // Looked up as a shell would, before anything starts: a PTY only reports that its child has ended.
  const [name = ""] = command;
  const named = isAbsolute(name) ? name : resolve(folder, name);
  const file = name.includes("/") ? named : findOnPath(name, path);
  if (file !== undefined && isExecutable(file)) return file;
  throw new BellhopError("program.unknown", {
    message: `There is no program "${name}".`,
    next: "Check the name and PATH, or give its whole path.",
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
