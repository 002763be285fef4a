/**
 * Our plugin in the window knows which conversation it shows, and what that one does. Without the plugin, only the
 * package tells which release it is.
 */
import { present } from "../../core/present.ts";
import type { Processes } from "../../ports/processes.ts";
import { installedVersion } from "../installed-version.ts";
import type { ProgramSessions } from "../program.ts";
import type { OpencodeWindows } from "./window/windows.ts";

const PACKAGE = "opencode-ai";

export function opencodeSessions(
  windows: Pick<OpencodeWindows, "state">,
  processes: Pick<Processes, "tree">,
): ProgramSessions {
  return {
    async lookUp({ pid }) {
      const state = await windows.state(pid);
      const version = state?.version ?? (await installedVersion(processes, pid, PACKAGE));
      if (state === undefined) return version === undefined ? undefined : { version };
      const { socket, conversation, transcriptPath, note } = state;
      return present({
        inboxPath: socket,
        version,
        programSessionId: conversation,
        transcriptPath,
        status: note,
      });
    },
    note: async ({ pid }) => (await windows.state(pid))?.note,
  };
}
