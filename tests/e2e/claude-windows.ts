import type { PlaceKind } from "../rig/agent-terminal.ts";
import { type ClaudeOptions, startClaude } from "../rig/claude.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { deskParts, ProgramDesk } from "./program-desk.ts";

/** It may run this command unasked, so that a turn has a tool in it. */
const SETTINGS = { permissions: { allow: ["Bash(echo:*)"] } };

/** A desk for real windows of Claude Code. */
export class ClaudeWindows extends ProgramDesk {
  static override async open(config = "", where: PlaceKind = "tmux"): Promise<ClaudeWindows> {
    return new ClaudeWindows(await deskParts(config), where);
  }

  seat(name: string, options: Partial<ClaudeOptions> = {}): Promise<RunningAgent> {
    const given = { settings: SETTINGS, ...options };
    return this.seatProgram<ClaudeOptions>(name, { start: startClaude, hooks: "claude", options: given });
  }
}
