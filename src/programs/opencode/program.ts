import { processFilesOn } from "../process-files.ts";
import type { Program, ProgramTools } from "../program.ts";
import { opencodeCommand } from "./command.ts";
import { linesInDatabase } from "./database.ts";
import { opencodeHeadless } from "./headless.ts";
import { opencodeHooks } from "./hooks/hooks.ts";
import { opencodeInbox } from "./inbox.ts";
import { opencodeProfile } from "./profile.ts";
import { opencodeSessions } from "./session-registry.ts";
import { readOpencodeLine } from "./transcript/prompts.ts";
import { opencodeTalk } from "./transcript/talk.ts";
import { opencodeTools } from "./transcript/tools.ts";
import { OpencodeWindows } from "./window/windows.ts";

export const opencode: Program = {
  name: "opencode",
  proven: ["1.18.14", "1.18.15", "1.18.18"],
  profile: opencodeProfile,
  inbox: (tools) => opencodeInbox(windowsWith(tools)),
  sessions: (tools) => opencodeSessions(windowsWith(tools), tools.processes),
  hooks: opencodeHooks,
  command: opencodeCommand,
  headless: opencodeHeadless,
  transcript: {
    lines: linesInDatabase,
    prompt: readOpencodeLine,
    talk: opencodeTalk,
    tools: opencodeTools,
  },
};

function windowsWith({ processes, home }: ProgramTools): OpencodeWindows {
  return new OpencodeWindows({ processes, files: processFilesOn(process.platform), home });
}
