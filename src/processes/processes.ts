import { BellhopError } from "../core/errors.ts";
import type { Processes } from "../ports/processes.ts";
import { linuxProcesses } from "./linux.ts";
import { macosProcesses } from "./macos.ts";

export function processesOn(platform: NodeJS.Platform): Processes {
  if (platform === "linux") return linuxProcesses();
  if (platform === "darwin") return macosProcesses();
  throw new BellhopError("internal.bug", {
    message: `Bellhop does not know how to list processes on ${platform}.`,
    next: "Run it on Linux or macOS; on Windows inside WSL.",
  });
}
