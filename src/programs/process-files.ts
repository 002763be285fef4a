/** What a process has open: files, and the ports and sockets it listens on. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface OpenFiles {
  readonly paths: readonly string[];
  readonly listeningPorts: readonly number[];
  /** Their paths. Where the system does not tell who listens, also those of its other Unix sockets. */
  readonly listeningSockets: readonly string[];
}

export interface ProcessFiles {
  /** Empty if this cannot be determined. */
  openFiles(pid: number): Promise<OpenFiles>;
  /** The path of its executable. */
  executable(pid: number): string | undefined;
}

const NOTHING: OpenFiles = { paths: [], listeningPorts: [], listeningSockets: [] };
const LSOF_DEADLINE_MS = 2_000;
const LSOF_OUTPUT = 4 * 1024 * 1024;
const LISTENING = "0A";
/** The kernel's flag of a Unix socket that accepts connections. */
const ACCEPTS = "00010000";

export function processFilesOn(platform: NodeJS.Platform): ProcessFiles {
  return platform === "linux"
    ? linuxProcessFiles("/proc")
    : { openFiles: askLsof, executable: () => undefined };
}

export function linuxProcessFiles(root: string): ProcessFiles {
  return {
    async openFiles(pid) {
      const folder = join(root, String(pid), "fd");
      try {
        const targets = readdirSync(folder).flatMap((name) => linkIn(join(folder, name)));
        const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
        // The process's own tables: it may be in another network namespace.
        const table = (name: string) => readFileSync(join(root, String(pid), "net", name), "utf8");
        return {
          paths: targets.filter((target) => target.startsWith("/")),
          listeningPorts: listenersIn(table("tcp"), inodes),
          listeningSockets: socketsIn(table("unix"), inodes),
        };
      } catch {
        return NOTHING;
      }
    },
    executable(pid) {
      // After an update, the running file may have been deleted from disk.
      return linkIn(join(root, String(pid), "exe"))[0]?.replace(/ \(deleted\)$/, "");
    },
  };
}

/** A descriptor may be closed while we read it. */
function linkIn(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

function listenersIn(table: string, inodes: ReadonlySet<string>): readonly number[] {
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING && inodes.has(fields[9] ?? ""))
    .map((fields) => Number.parseInt(fields[1]?.split(":")[1] ?? "", 16));
}

function socketsIn(table: string, inodes: ReadonlySet<string>): readonly string[] {
  return table
    .split("\n")
    .slice(1)
    .map((line) => /^\S+ \S+ \S+ (\S+) \S+ \S+ +(\d+) (\/.*)$/s.exec(line) ?? [])
    .flatMap(([, flags, inode, path]) =>
      flags === ACCEPTS && path !== undefined && inodes.has(inode ?? "") ? [path] : [],
    );
}

function askLsof(pid: number): Promise<OpenFiles> {
  return new Promise((resolve) => {
    const options = { timeout: LSOF_DEADLINE_MS, maxBuffer: LSOF_OUTPUT };
    // lsof exits with 1 if there is anything it could not inspect.
    execFile("lsof", ["-nP", "-a", "-p", String(pid), "-FtnT"], options, (_, stdout) =>
      resolve(parseLsof(stdout)),
    );
  });
}

export function parseLsof(output: string): OpenFiles {
  const paths: string[] = [];
  const listeningPorts: number[] = [];
  const listeningSockets: string[] = [];
  let [type, name] = ["", ""];
  for (const line of output.split("\n")) {
    if (line.startsWith("t")) type = line.slice(1);
    if (line.startsWith("n")) {
      name = line.slice(1);
      if (name.startsWith("/")) (type === "unix" ? listeningSockets : paths).push(name);
    }
    const port = line === "TST=LISTEN" ? /:(\d+)$/.exec(name)?.[1] : undefined;
    if (port !== undefined) listeningPorts.push(Number(port));
  }
  return { paths, listeningPorts, listeningSockets };
}
