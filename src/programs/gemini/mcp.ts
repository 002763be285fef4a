/** Gemini CLI's MCP servers, in its settings.json, in which it allows comments. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { COMMAND_AND_ARGS, jsonEntry } from "../../hooks/mcp/json-entry.ts";
import type { McpProgram, McpSetting } from "../../hooks/mcp/registered-program.ts";

export const geminiMcp: McpProgram = {
  name: "gemini",
  title: "Gemini CLI",
  file: (setting) => join(geminiFolder(setting), "settings.json"),
  isPresent: (setting) => existsSync(geminiFolder(setting)),
  ...jsonEntry({ list: "mcpServers", dialect: "commented", ...COMMAND_AND_ARGS }),
  uses: "Gemini CLI starts it when it is started anew.",
  asks: true,
};

/** It can be told to look in another home, never in another folder. */
function geminiFolder({ environment, userHome }: McpSetting): string {
  return join(environment.GEMINI_CLI_HOME || userHome, ".gemini");
}
