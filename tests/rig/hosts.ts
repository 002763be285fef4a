import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "../../src/home/home.ts";
import type { HostRecord } from "../../src/wire/host/host.ts";

/** The records that the hosts of a home keep about themselves. */
export function hostRecords(home: string): readonly HostRecord[] {
  const { hosts: folder } = openHome({ BELLHOP_HOME: home }, { create: false });
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as HostRecord);
}

/** Hosts outlive the daemon on purpose, so a test must end them. */
export function endHosts(home: string): void {
  for (const { hostPid, programPid } of hostRecords(home).filter(({ exit }) => exit === undefined)) {
    for (const pid of [-programPid, hostPid]) endQuietly(pid);
  }
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
