/**
 * Claude Code's user-wide MCP servers, in `.claude.json`. Running sessions rewrite this file, each time under a lock: a
 * folder beside it. Holding the same lock keeps their changes and ours.
 */
import { existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { BellhopError } from "../../core/errors.ts";
import { chosenFolder } from "../../hooks/hooked-program.ts";
import { COMMAND_AND_ARGS, jsonEntry } from "../../hooks/mcp/json-entry.ts";
import type { McpProgram, McpSetting } from "../../hooks/mcp/registered-program.ts";

/** Claude Code's own limit: whoever holds the lock renews it sooner. */
const ABANDONED_AFTER_MS = 10_000;
const MOST_TRIES = 100;
const PAUSE_MS = 50;

export const claudeMcp: McpProgram = {
  name: "claude",
  title: "Claude Code",
  file: claudeFile,
  isPresent: (setting) => existsSync(claudeFile(setting)) || existsSync(claudeFolder(setting)),
  ...jsonEntry({
    list: "mcpServers",
    dialect: "strict",
    ...COMMAND_AND_ARGS,
    write: (server) => ({ type: "stdio", ...(COMMAND_AND_ARGS.write(server) as object) }),
  }),
  locked: withLock,
  uses: "Claude Code starts it in new sessions; in a running one, after /mcp.",
  asks: true,
};

function claudeFolder(setting: McpSetting): string {
  return chosenFolder({ ...setting, programs: [] }, "CLAUDE_CONFIG_DIR", ".claude");
}

function claudeFile(setting: McpSetting): string {
  const folder = claudeFolder(setting);
  // An older name, which goes first wherever it exists.
  const older = join(folder, ".config.json");
  if (existsSync(older)) return older;
  const isChosen = (setting.environment.CLAUDE_CONFIG_DIR ?? "") !== "";
  return join(isChosen ? folder : setting.userHome, ".claude.json");
}

function withLock(path: string, write: () => void, now: () => number): void {
  const lock = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let tries = 1; !isTaken(lock, now()); tries += 1) {
    if (tries >= MOST_TRIES) {
      throw new BellhopError("hooks.settings_invalid", {
        message: `Claude Code is writing ${path}, and did not finish.`,
        next: `Run the command again. Nothing was changed. If no Claude Code is running, remove ${lock}.`,
      });
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  try {
    write();
  } finally {
    rmdirSync(lock);
  }
}

function isTaken(lock: string, now: number): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && now - since > ABANDONED_AFTER_MS) abandon(lock);
    return false;
  }
}

function abandon(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Somebody else was faster, or it is no lock: then the wait ends in its own error.
  }
}
