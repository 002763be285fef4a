/** What programs write down, or can be asked, about their own running instances. */

import type { Processes } from "../ports/processes.ts";
import type { ProgramRegistry, RegistryEntry } from "../ports/program-registry.ts";
import { lookUpClaude } from "./claude/session-registry.ts";
import { processFilesOn } from "./codex/server/process-files.ts";
import { likeliest } from "./codex/server/threads.ts";
import { CodexWindows } from "./codex/server/windows.ts";

export interface ProgramRegistrySetting {
  readonly processes: Pick<Processes, "environment" | "tree">;
  readonly windows?: Pick<CodexWindows, "find">;
}

export function programRegistry({ processes, windows }: ProgramRegistrySetting): ProgramRegistry {
  const files = processFilesOn(process.platform);
  const codex = windows ?? new CodexWindows({ processes, files, monotonic: () => performance.now() });
  return {
    async lookUp(program, agent) {
      switch (program) {
        case "claude":
          return lookUpClaude(processes, agent).catch(() => undefined);
        case "codex":
          return lookUpCodex(codex, agent.pid).catch(() => undefined);
        default:
          return undefined;
      }
    },
    async note(program, agent) {
      if (program !== "claude") return undefined;
      return (await lookUpClaude(processes, agent).catch(() => undefined))?.status;
    },
  };
}

async function lookUpCodex(
  windows: Pick<CodexWindows, "find">,
  pid: number,
): Promise<RegistryEntry | undefined> {
  const thread = likeliest((await windows.find(pid))?.threads ?? []);
  if (thread === undefined) return undefined;
  const { id, transcriptPath, version } = thread;
  return {
    programSessionId: id,
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    ...(version === undefined ? {} : { version }),
  };
}
