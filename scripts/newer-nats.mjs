// JetStream can sync every message since nats-server 2.10, which Debian 12 does not have. The newest Debian does, and its
// package runs here too: apt fetches and verifies it from the mirror that this machine uses anyway, into a folder of its
// own; nothing is installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const FOLDER = join(homedir(), ".cache", "bellhop-bench", "nats");
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const DEADLINE_MS = 120_000;

/** The folder of a nats-server that can sync, if the installed one cannot and apt has one; otherwise undefined. */
export function newerNats() {
  const installed =
    outputOf("nats-server", ["--version"]) ?? outputOf("/usr/sbin/nats-server", ["--version"]);
  if (installed === undefined || canSync(installed)) return undefined;
  const commands = join(FOLDER, "usr", "sbin");
  if (!existsSync(join(commands, "nats-server"))) {
    const why = fetchNewer();
    if (why !== undefined) {
      console.error(`JetStream is measured without sync, with ${installed.trim()}: ${why}.`);
      return undefined;
    }
  }
  return commands;
}

function canSync(version) {
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

/** Returns why it could not. */
function fetchNewer() {
  const mirror = /https?:\S+/.exec(outputOf("apt-cache", ["policy", "nats-server"]) ?? "")?.[0];
  if (mirror === undefined || !existsSync(KEYS)) return "a newer one comes only from Debian";
  for (const folder of ["lists/partial", "cache/archives/partial"])
    mkdirSync(join(FOLDER, folder), { recursive: true });
  const sources = join(FOLDER, "sources.list");
  writeFileSync(sources, `deb [signed-by=${KEYS}] ${mirror} stable main\n`);
  const apart = [
    ["Dir::Etc::sourcelist", sources],
    ["Dir::Etc::sourceparts", "-"],
    ["Dir::State::lists", join(FOLDER, "lists")],
    ["Dir::State::status", "/dev/null"],
    ["Dir::Cache", join(FOLDER, "cache")],
    ["Acquire::Languages", "none"],
    ["Acquire::Retries", "3"],
    ["APT::Sandbox::User", ""],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  for (const words of [["update"], ["download", "nats-server"]])
    if (outputOf("apt-get", [...apart, "-qq", ...words]) === undefined) return `apt-get ${words[0]} failed`;
  const [file] = readdirSync(FOLDER).filter((name) => name.endsWith(".deb"));
  if (file === undefined || outputOf("dpkg-deb", ["-x", file, "."]) === undefined)
    return "its package could not be unpacked";
  const unpacked = outputOf(join(FOLDER, "usr", "sbin", "nats-server"), ["--version"]);
  return unpacked !== undefined && canSync(unpacked) ? undefined : "the newest one does not run here";
}

function outputOf(command, args) {
  const cwd = existsSync(FOLDER) ? FOLDER : undefined;
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: DEADLINE_MS });
  return status === 0 ? stdout : undefined;
}
