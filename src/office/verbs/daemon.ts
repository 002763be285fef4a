import type { daemon } from "../../wire/verbs/daemon.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import { reportedEvent } from "../signals/reports.ts";
import { diagnose } from "../views/diagnosis.ts";
import type { UseCaseParts } from "./parts.ts";

export function daemonVerbs(parts: UseCaseParts): UseCasesOf<typeof daemon> {
  return {
    status: async () => parts.status(),
    diagnose: async () => ({
      sessions: await diagnose(parts),
      servers: [...parts.registrar.serverStates].map(([name, state]) => ({ name, state })),
    }),
    hook_event: async (request) => parts.signals.receive(reportedEvent(parts, request)),
    hook_take: async ({ code, pid }) => parts.answering.take(code, pid),
    stop: async () => {
      parts.stop();
      return { stopping: true };
    },
  };
}
