import { present } from "../../core/present.ts";
import { installedVersion } from "../installed-version.ts";
import type { Program } from "../program.ts";
import { geminiCommand } from "./command.ts";
import { geminiHeadless } from "./headless.ts";
import { geminiHooks } from "./hooks/hooks.ts";
import { geminiProfile } from "./profile.ts";
import { geminiEnding } from "./transcript/ending.ts";
import { readGeminiLine } from "./transcript/prompts.ts";
import { geminiEntryId, geminiRestated, geminiTalk } from "./transcript/talk.ts";
import { geminiTools } from "./transcript/tools.ts";

const PACKAGE = "@google/gemini-cli";

export const gemini: Program = {
  name: "gemini",
  proven: ["0.40.1", "0.47.0", "0.54.4", "0.61.0"],
  profile: geminiProfile,
  sessions: ({ processes }) => ({
    lookUp: async ({ pid }) => present({ version: await installedVersion(processes, pid, PACKAGE) }),
  }),
  hooks: geminiHooks,
  command: geminiCommand,
  headless: geminiHeadless,
  transcript: {
    prompt: readGeminiLine,
    talk: geminiTalk,
    tools: geminiTools,
    restated: geminiRestated,
    entryId: geminiEntryId,
    ending: geminiEnding,
  },
};
