import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { TmuxServer } from "./tmux-server.ts";

const demo = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "demo");
const file = join(demo, "scripted-agent.mjs");
const SHORTEST_REST_MS = 15;
const LONGEST_REST_MS = 500;

/** Teaches Bellhop the scripted agent. It submits with the extended Enter, like the real programs' recipe. */
export const SCRIPTED_PROFILE = `
${readFileSync(join(demo, "scripted-agent.yaml"), "utf8")}`;

export interface ScriptedEntry {
  readonly at: number;
  readonly prompt?: string;
  readonly answered?: string;
  readonly escaped?: string;
  readonly started?: number;
}

export interface ScriptedAgent {
  readonly name: string;
  readonly pane: string;
  readonly folder: string;
  readonly logFile: string;
  log(): readonly ScriptedEntry[];
  prompts(): readonly string[];
}

export function scriptedCommand(
  name: string,
  logFile: string,
  flags: readonly string[] = [],
): readonly string[] {
  return [process.execPath, file, "--name", name, "--log", logFile, ...flags];
}

export function readScriptedLog(logFile: string): readonly ScriptedEntry[] {
  if (!existsSync(logFile)) return [];
  const lines = readFileSync(logFile, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ScriptedEntry);
}

/** As the terminal's own command, without a shell. */
export async function startScriptedAgent(options: {
  readonly tmux: TmuxServer;
  readonly name: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly flags?: readonly string[];
}): Promise<ScriptedAgent> {
  const { tmux, name } = options;
  const folder = join(tmux.folder, name);
  const logFile = join(tmux.folder, `${name}.jsonl`);
  await mkdir(folder, { recursive: true });
  const pane = await tmux.newSession({
    name,
    command: scriptedCommand(name, logFile, options.flags),
    cwd: folder,
    ...(options.cols === undefined ? {} : { cols: options.cols }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
  });
  await until(() => readScriptedLog(logFile).length > 0, `${name} to start`);
  return {
    name,
    pane,
    folder,
    logFile,
    log: () => readScriptedLog(logFile),
    prompts: () => readScriptedLog(logFile).flatMap(({ prompt }) => prompt ?? []),
  };
}

export async function until(
  question: () => boolean | Promise<boolean>,
  what: string | (() => string),
  timeoutMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const askedAt = performance.now();
    if (await question()) return;
    const now = performance.now();
    if (now > deadline) {
      const told = typeof what === "string" ? what : what();
      throw new Error(`Waited ${timeoutMs} ms in vain for ${told}.`);
    }
    // A question that starts a command is expensive: rest twice as long as it took, to leave the machine to other tests.
    await sleep(Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, 2 * (now - askedAt))));
  }
}
