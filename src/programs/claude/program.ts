import type { Program } from "../program.ts";
import { claudeHeadless } from "./headless.ts";
import { claudeCommand } from "./hooks/command.ts";
import { claudeHooks } from "./hooks/hooks.ts";
import { claudeSocket } from "./inbox.ts";
import { claudeProfile, createClaudeProfile } from "./profile.ts";
import { lookUpClaude } from "./session-registry.ts";
import { readClaudeLine } from "./transcript/prompts.ts";
import { claudeTalk } from "./transcript/talk.ts";
import { claudeTools } from "./transcript/tools.ts";
import { PROVEN_CLAUDE_RELEASES } from "./versions.ts";

export const claude: Program = {
  name: "claude",
  proven: PROVEN_CLAUDE_RELEASES,
  profile: claudeProfile,
  profileForVim: createClaudeProfile({ editing: "vim" }),
  inbox: claudeSocket,
  sessions: ({ processes }) => ({
    lookUp: (agent) => lookUpClaude(processes, agent),
    note: async (agent) => (await lookUpClaude(processes, agent))?.status,
  }),
  hooks: claudeHooks,
  command: claudeCommand,
  headless: claudeHeadless,
  transcript: { prompt: readClaudeLine, talk: claudeTalk, tools: claudeTools },
};
