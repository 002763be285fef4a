// Plain JavaScript, because it runs before vitest: inside the network namespace there is no registry to install from.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Claude Code is asked for by version: its newest release declares Node 22, so a plain install on Node 20 picks an old one.
const PINNED_PROGRAMS = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    executable: "node_modules/.bin/claude",
  },
  codex: { package: "@openai/codex", version: "0.166.0", executable: "node_modules/.bin/codex" },
};

const INSTALL_DEADLINE_MS = 600_000;

const PROGRAM_NAMES = Object.keys(PINNED_PROGRAMS);

/** Installs the program unless the cache has it; answers `{ name, version, executable }`. */
export function installProgram(name) {
  const pinned = PINNED_PROGRAMS[name];
  if (!pinned) throw new Error(`No program "${name}" is pinned. Known: ${PROGRAM_NAMES.join(", ")}.`);
  const cache = join(cacheRoot(), "bellhop-rig");
  const folder = join(cache, `${name}-${pinned.version}`);
  const executable = join(folder, pinned.executable);
  if (!existsSync(executable)) {
    mkdirSync(cache, { recursive: true });
    installInto(folder, pinned);
    if (!existsSync(executable)) throw new Error(`${folder} is incomplete: remove it and try again.`);
  }
  return { name, version: pinned.version, executable };
}

function installInto(folder, pinned) {
  const building = `${folder}.building-${randomBytes(4).toString("hex")}`;
  mkdirSync(building);
  try {
    writeFileSync(join(building, "package.json"), '{ "private": true }\n');
    const npm = spawnSync(
      "npm",
      [
        "install",
        "--prefix",
        building,
        "--no-audit",
        "--no-fund",
        "--loglevel",
        "error",
        `${pinned.package}@${pinned.version}`,
      ],
      { cwd: building, encoding: "utf8", timeout: INSTALL_DEADLINE_MS, stdio: ["ignore", "pipe", "pipe"] },
    );
    if (npm.status !== 0 || !existsSync(join(building, pinned.executable))) {
      throw new Error(
        `npm could not install ${pinned.package}@${pinned.version}: ${npm.error?.message ?? npm.stderr.trim()}`,
      );
    }
    moveIntoPlace(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

// A rename is atomic: of two installs at once the first to finish wins, and the other's copy is thrown away.
function moveIntoPlace(building, folder) {
  try {
    renameSync(building, folder);
  } catch (cause) {
    if (cause.code !== "ENOTEMPTY" && cause.code !== "EEXIST") throw cause;
  }
}

function cacheRoot() {
  return process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    for (const name of process.argv.slice(2)) console.log(JSON.stringify(installProgram(name)));
  } catch (cause) {
    console.error(cause.message);
    process.exitCode = 1;
  }
}
