/** Codex's server knows which conversation a window shows; a window without it holds locks that name its own. */

import { present } from "../../core/present.ts";
import { conversationId } from "../../core/session.ts";
import type { ProgramSessions } from "../program.ts";
import { likeliest } from "./server/threads.ts";
import type { CodexWindows } from "./server/windows.ts";

export function codexSessions(windows: Pick<CodexWindows, "find">): ProgramSessions {
  return {
    async lookUp({ pid }) {
      const thread = likeliest((await windows.find(pid))?.threads ?? []);
      if (thread === undefined) return undefined;
      const { id, transcriptPath, version } = thread;
      return present({ programSessionId: conversationId(id), transcriptPath, version });
    },
  };
}
