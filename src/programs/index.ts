/** Every agent program that Bellhop knows by itself; config.yaml may add programs that the owner taught it. */
import type { HookedProgram } from "../hooks/hooked-program.ts";
import type { McpProgram } from "../hooks/mcp/registered-program.ts";
import { claudeMcp } from "./claude/mcp.ts";
import { claude } from "./claude/program.ts";
import { codexMcp } from "./codex/mcp.ts";
import { codex } from "./codex/program.ts";
import { geminiMcp } from "./gemini/mcp.ts";
import { gemini } from "./gemini/program.ts";
import type { HeadlessProgram } from "./headless.ts";
import { opencodeMcp } from "./opencode/mcp.ts";
import { opencode } from "./opencode/program.ts";
import type { Program } from "./program.ts";

export const PROGRAMS: readonly Program[] = [claude, codex, opencode, gemini];

export const HOOKED_PROGRAMS: readonly HookedProgram[] = PROGRAMS.flatMap(({ hooks }) => hooks ?? []);

/** Those that can be told to start Bellhop's MCP server. */
export const MCP_PROGRAMS: readonly McpProgram[] = [claudeMcp, codexMcp, opencodeMcp, geminiMcp];

/** Those that take turns without a terminal. */
export const HEADLESS_PROGRAMS: readonly HeadlessProgram[] = PROGRAMS.flatMap(({ name, headless }) =>
  headless === undefined ? [] : [{ name, headless }],
);
