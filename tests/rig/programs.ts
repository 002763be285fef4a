import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export type ProgramName = "claude" | "codex";

export interface Program {
  readonly name: ProgramName;
  readonly version: string;
  readonly executable: string;
}

const INSTALLER = fileURLToPath(new URL("./install-programs.mjs", import.meta.url));
const known = new Map<ProgramName, Promise<Program>>();

/**
 * The pinned release of a real agent program, installed into the user's cache on first use.
 * Inside the namespace it can only be found, not downloaded: `in-namespace.mjs --install` comes first.
 */
export function program(name: ProgramName): Promise<Program> {
  const found = known.get(name) ?? runInstaller(name);
  known.set(name, found);
  return found;
}

async function runInstaller(name: ProgramName): Promise<Program> {
  const { stdout } = await promisify(execFile)(process.execPath, [INSTALLER, name]);
  return JSON.parse(stdout) as Program;
}
