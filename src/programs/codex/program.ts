import { processFilesOn } from "../process-files.ts";
import type { Program, ProgramTools } from "../program.ts";
import { codexCommand } from "./command.ts";
import { codexHeadless } from "./headless.ts";
import { codexHooks } from "./hooks/hooks.ts";
import { codexQueue } from "./inbox.ts";
import { codexProfile } from "./profile.ts";
import { CodexWindows } from "./server/windows.ts";
import { codexSessions } from "./session-registry.ts";
import { readCodexLine } from "./transcript/prompts.ts";
import { codexTalk } from "./transcript/talk.ts";
import { codexTools } from "./transcript/tools.ts";

export const codex: Program = {
  name: "codex",
  proven: ["0.153.4", "0.157.0", "0.160.1", "0.166.0"],
  profile: codexProfile,
  inbox: (tools) => codexQueue({ clock: tools.clock, windows: windowsWith(tools) }),
  sessions: (tools) => codexSessions(windowsWith(tools), tools.processes),
  hooks: codexHooks,
  command: codexCommand,
  headless: codexHeadless,
  shell: "login",
  transcript: { prompt: readCodexLine, talk: codexTalk, tools: codexTools },
};

function windowsWith({ processes, clock }: ProgramTools): CodexWindows {
  const files = processFilesOn(process.platform);
  return new CodexWindows({ processes, files, monotonic: () => clock.monotonic() });
}
