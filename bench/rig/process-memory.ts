import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** What a process has in memory, in megabytes. */
export function residentMegabytes(pid: number | undefined): number {
  const kilobytes = execFileSync("ps", ["-o", "rss=", "-p", String(pid)], {
    encoding: "utf8",
    timeout: 5_000,
  });
  return Number(kilobytes) / 1_024;
}

/** The same with every shared page divided among its processes; undefined if the kernel does not report it. */
export function proportionalMegabytes(pid: number | undefined): number | undefined {
  const path = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(path)) return undefined;
  const kilobytes = /^Pss:\s+(\d+)/mu.exec(readFileSync(path, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}
