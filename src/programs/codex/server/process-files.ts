/** What a process has open: files, and ports it listens on. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface OpenFiles {
  readonly paths: readonly string[];
  readonly listeningPorts: readonly number[];
}

export interface ProcessFiles {
  /** Empty if this cannot be determined. */
  openFiles(pid: number): Promise<OpenFiles>;
  /** The path of its executable. */
  executable(pid: number): string | undefined;
}

const NOTHING: OpenFiles = { paths: [], listeningPorts: [] };
const LSOF_DEADLINE_MS = 2_000;
const LSOF_OUTPUT = 4 * 1024 * 1024;
const LISTENING = "0A";

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
        // The process's own table: it may be in another network namespace.
        const table = readFileSync(join(root, String(pid), "net/tcp"), "utf8");
        return {
          paths: targets.filter((target) => target.startsWith("/")),
          listeningPorts: listenersIn(table, inodes),
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

function askLsof(pid: number): Promise<OpenFiles> {
  return new Promise((resolve) => {
    const options = { timeout: LSOF_DEADLINE_MS, maxBuffer: LSOF_OUTPUT };
    // lsof exits with 1 if there is anything it could not inspect.
    execFile("lsof", ["-nP", "-a", "-p", String(pid), "-FnT"], options, (_, stdout) =>
      resolve(parseLsof(stdout)),
    );
  });
}

export function parseLsof(output: string): OpenFiles {
  const paths: string[] = [];
  const listeningPorts: number[] = [];
  let name = "";
  for (const line of output.split("\n")) {
    if (line.startsWith("n")) {
      name = line.slice(1);
      if (name.startsWith("/")) paths.push(name);
    }
    const port = line === "TST=LISTEN" ? /:(\d+)$/.exec(name)?.[1] : undefined;
    if (port !== undefined) listeningPorts.push(Number(port));
  }
  return { paths, listeningPorts };
}
