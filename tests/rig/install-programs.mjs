// Installs the real agent programs that the rig runs into the user's cache:
//   node tests/rig/install-programs.mjs claude codex          the newest of each
//   node tests/rig/install-programs.mjs claude@2.1.150 …      that version
//   node tests/rig/install-programs.mjs claude@all codex@all  every version in program-versions.json, also the unproven
// Plain JavaScript, because it runs before vitest: inside the network namespace there is no registry to install from.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const PROGRAMS = JSON.parse(readFileSync(new URL("./program-versions.json", import.meta.url), "utf8"));

const INSTALL_DEADLINE_MS = 600_000;
/** If the registry does not answer, it is asked again after each of these delays. */
const PAUSES_MS = [2_000, 5_000, 15_000];
/** Unpacking is as slow as downloading: more at once would only take CPU from the tests that run in parallel. */
const AT_ONCE = 2;

/** The registry has answered: asking again would not help. */
class NoSuchPackage extends Error {}

/** `claude`, `claude@2.1.150` or `claude@all` as `{ name, version, package, folder, executable }`s. */
export function programsNamed(words) {
  return words.flatMap((word) => {
    const [name = "", wanted = ""] = word.split("@");
    const known = PROGRAMS[name];
    if (known === undefined) {
      throw new Error(`There is no program "${name}". Known: ${Object.keys(PROGRAMS).join(", ")}.`);
    }
    // By version, also the newest: it declares Node 22, so a plain install on Node 20 picks an old one.
    const every = [...known.versions, ...(known.unproven ?? [])];
    const chosen = wanted === "all" ? every : [wanted === "" ? known.versions.at(-1) : wanted];
    return chosen.map((version) => {
      if (!every.includes(version)) {
        throw new Error(`${name} ${version} is not in program-versions.json.`);
      }
      const folder = join(cacheFolder(), `${name}-${version}`);
      const executable = join(folder, known.executable);
      return { name, version, package: `${known.package}@${version}`, folder, executable };
    });
  });
}

/** Installs those that are not in the cache. Throws one line, about the first that could not be installed. */
export async function installPrograms(programs, { pausesMs = PAUSES_MS, say = console.error } = {}) {
  const missing = programs.filter(({ executable }) => !existsSync(executable));
  if (missing.length === 0) return;
  mkdirSync(cacheFolder(), { recursive: true });
  forgetAbandoned(cacheFolder());
  let failure;
  const worker = async () => {
    for (let next = missing.shift(); next !== undefined && failure === undefined; next = missing.shift()) {
      await installWithPatience(next, pausesMs, say).catch((cause) => {
        failure ??= cause;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure !== undefined) throw failure;
}

async function installWithPatience(program, pausesMs, say) {
  const start = performance.now();
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      await install(program);
      say(
        `Installed ${program.name} ${program.version} (${((performance.now() - start) / 1000).toFixed(0)} s).`,
      );
      return;
    } catch (cause) {
      const line = `${program.name} ${program.version} could not be installed: ${cause.message}`;
      if (pauseMs === undefined || cause instanceof NoSuchPackage) throw new Error(line);
      say(`${line} Trying again in ${pauseMs / 1000} s…`);
      await sleep(pauseMs);
    }
  }
}

async function install({ folder, package: wanted, executable }) {
  const building = `${folder}.building-${randomBytes(4).toString("hex")}`;
  mkdirSync(building);
  try {
    writeFileSync(join(building, "package.json"), '{ "private": true }\n');
    // Nothing else needs these packages: in npm's own cache they would only take up a gigabyte.
    const cache = join(building, ".npm-cache");
    await npm(building, ["install", "--cache", cache, wanted]);
    rmSync(cache, { recursive: true, force: true });
    if (!existsSync(join(building, executable.slice(folder.length)))) {
      throw new Error(`${wanted} brings no such program.`);
    }
    moveIntoPlace(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true, maxRetries: 3 });
  }
}

function npm(cwd, words) {
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel", "error"];
  const child = spawn("npm", [...words, "--prefix", cwd, ...quiet], {
    cwd,
    timeout: INSTALL_DEADLINE_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaint += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => reject(new Error(`npm did not start (${cause.code}).`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else if (/^npm (?:error|ERR!) code (?:E404|ETARGET)$/mu.test(complaint)) {
        reject(new NoSuchPackage(reasonIn(complaint)));
      } else reject(new Error(signal === null ? reasonIn(complaint) : `npm took too long (${signal}).`));
    });
  });
}

/** npm complains in many lines: codes first, then what happened, then what to try. */
function reasonIn(complaint) {
  const [, reason = "npm gave no reason."] =
    /^npm (?:error|ERR!) (?!code |errno |syscall |type |path )(\S.*)$/mu.exec(complaint) ?? [];
  return reason;
}

// A rename is atomic: of two simultaneous installs the first to finish wins, and the other's copy is discarded.
function moveIntoPlace(building, folder) {
  try {
    renameSync(building, folder);
  } catch (cause) {
    if (cause.code !== "ENOTEMPTY" && cause.code !== "EEXIST") throw cause;
  }
}

/** Leftovers of a killed install. No install takes so long. */
function forgetAbandoned(cache) {
  for (const name of readdirSync(cache).filter((one) => one.includes(".building-"))) {
    const age = statSync(join(cache, name), { throwIfNoEntry: false });
    if (age !== undefined && Date.now() - age.mtimeMs > 2 * INSTALL_DEADLINE_MS) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
}

function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "bellhop-rig");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const words = process.argv.slice(2);
  if (words.length === 0) {
    console.error("usage: node tests/rig/install-programs.mjs PROGRAM[@VERSION|@all]…");
    process.exit(2);
  }
  try {
    const programs = programsNamed(words);
    await installPrograms(programs);
    for (const { name, version, executable } of programs) {
      console.log(JSON.stringify({ name, version, executable }));
    }
  } catch (cause) {
    console.error(cause.message);
    process.exitCode = 1;
  }
}
