/**
 * Codex's server knows which conversation a window shows; a window without it holds locks that name its own. Before its
 * first conversation, only its package tells which release it is.
 */

import { present } from "../../core/present.ts";
import { conversationId } from "../../core/session.ts";
import type { Processes } from "../../ports/processes.ts";
import { installedVersion } from "../installed-version.ts";
import type { ProgramSessions } from "../program.ts";
import { likeliest } from "./server/threads.ts";
import type { CodexWindows } from "./server/windows.ts";

const PACKAGE = "@openai/codex";

export function codexSessions(
  windows: Pick<CodexWindows, "find">,
  processes: Pick<Processes, "tree">,
): ProgramSessions {
  return {
    async lookUp({ pid }) {
      const window = await windows.find(pid);
      const thread = likeliest(window?.threads ?? []);
      const version = thread?.version ?? (await installedVersion(processes, pid, PACKAGE));
      if (thread === undefined) return version === undefined ? undefined : { version };
      const { id, transcriptPath } = thread;
      return {
        ...present({ programSessionId: conversationId(id), transcriptPath, version }),
        ...(window?.server.kind === "own" ? { alone: true } : {}),
      };
    },
  };
}
