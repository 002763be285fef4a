import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import versions from "./program-versions.json" with { type: "json" };

export type ProgramName = keyof typeof versions;

export interface Program {
  readonly name: ProgramName;
  readonly version: string;
  readonly executable: string;
}

/** Oldest first; the last is what e2e runs. */
export function versionsOf(name: ProgramName): readonly string[] {
  return versions[name].versions;
}

/** Releases that are installed too, to try how Bellhop treats one that it does not know. */
export function unprovenOf(name: "claude" | "codex"): readonly string[] {
  return versions[name].unproven;
}

/**
 * A real agent program, by default the newest of the list. This only finds it: inside the namespace there is no registry
 * to install from, so `install-programs.mjs` runs first.
 */
export function program(name: ProgramName, version = newestOf(name)): Program {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "bellhop-rig", `${name}-${version}`);
  const executable = join(folder, versions[name].executable);
  if (!existsSync(executable)) {
    throw new Error(
      `${name} ${version} is not installed. Run "node tests/rig/install-programs.mjs ${name}@${version}" first.`,
    );
  }
  return { name, version, executable };
}

function newestOf(name: ProgramName): string {
  const newest = versionsOf(name).at(-1);
  if (newest === undefined) throw new Error(`program-versions.json names no version of ${name}.`);
  return newest;
}
