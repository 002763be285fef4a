// Installs what is missing before anything else runs, or says in one line what to install. Uses only Node's own
// modules, because this runs before npm packages are installed.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A mirror that does not answer is asked again. */
const AGAIN = ["-o", "Acquire::Retries=3"];
const OLDEST_NODE = [20, 19];

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  return result.status === 0;
}

function stop(line) {
  console.error(line);
  process.exit(1);
}

export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    stop(`Bellhop needs Node ${OLDEST_NODE.join(".")} or newer; this is ${process.versions.node}.`);
  }
}

/** Only if something is missing or has changed: what a person installed themselves stays, even without a network. */
export function ensurePackages() {
  const packages = join(root, "node_modules");
  // `npm ci` would follow the link and empty somebody else's folder.
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) {
    stop(`${packages} is a symbolic link: remove it, so that packages are installed here and nowhere else.`);
  }
  if (areInstalled(packages)) return;
  console.log("Installing npm packages…");
  if (!run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"])) stop("npm ci failed: see above.");
}

/** According to npm's own record at the end of an installation. */
function areInstalled(packages) {
  const notes = join(packages, ".package-lock.json");
  if (!existsSync(notes)) return false;
  const wanted = Object.entries(packagesIn(join(root, "package-lock.json")));
  const installed = packagesIn(notes);
  return wanted.every(([path, { optional, integrity }]) => {
    if (path === "") return true;
    const found = installed[path];
    // An optional package may be for another platform.
    return found === undefined ? optional === true : found.integrity === integrity;
  });
}

function packagesIn(lock) {
  return JSON.parse(readFileSync(lock, "utf8")).packages ?? {};
}

const has = (command) =>
  (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      return (statSync(join(folder, command)).mode & 0o111) !== 0;
    } catch {
      return false;
    }
  });

/** `wanted` maps a command to the Debian package that contains it. */
export function ensureCommands(wanted) {
  const advice = installCommands(wanted);
  if (advice !== undefined) stop(advice);
}

/** Like `ensureCommands`, for optional commands: says what to install if it cannot install them. */
export function installCommands(wanted) {
  const missing = Object.entries(wanted).filter(
    ([command]) => !has(command) && !existsSync(`/usr/sbin/${command}`),
  );
  if (missing.length === 0) return undefined;
  const packages = [...new Set(missing.map(([, name]) => name))];
  const advice = `Install ${packages.join(", ")} first (Debian: sudo apt-get install ${packages.join(" ")}; macOS: brew install ${packages.join(" ")}).`;
  if (!has("apt-get") || process.getuid?.() !== 0) return advice;
  // Not to stdout, which may carry figures.
  console.error(`Installing ${packages.join(", ")}…`);
  const quiet = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  const installed =
    run("apt-get", [...AGAIN, "update", "-qq"], quiet) &&
    run("apt-get", [...AGAIN, "install", "-y", "-qq", "--no-install-recommends", ...packages], quiet);
  return installed ? undefined : advice;
}

export function build() {
  if (!run(process.execPath, [join(root, "scripts", "build.mjs")])) stop("The build failed: see above.");
}

export { run };
