import { BellhopError } from "../core/errors.ts";
import type { Processes, StandingNow } from "../ports/processes.ts";
import { linuxProcesses, linuxStanding, readingHeld } from "./linux.ts";
import { macosProcesses, macosStanding } from "./macos.ts";

/** For the host of one terminal. On an unsupported system nothing is known, so nothing is typed. */
export function standingOn(platform: NodeJS.Platform): StandingNow {
  if (platform === "linux") return linuxStanding("/proc", readingHeld());
  if (platform === "darwin") return macosStanding();
  return () => "unknown";
}

export function processesOn(platform: NodeJS.Platform): Processes {
  if (platform === "linux") return linuxProcesses("/proc", readingHeld());
  if (platform === "darwin") return macosProcesses();
  throw new BellhopError("internal.bug", {
    message: `Bellhop does not know how to list processes on ${platform}.`,
    next: "Run it on Linux or macOS; on Windows inside WSL.",
  });
}
