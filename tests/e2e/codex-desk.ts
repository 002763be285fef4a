import type { PlaceKind } from "../rig/agent-terminal.ts";
import { type CodexOptions, startCodex } from "../rig/codex.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { deskParts, ProgramDesk } from "./program-desk.ts";

export { courseOf, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./program-desk.ts";

/** A desk for real Codex windows. */
export class CodexDesk extends ProgramDesk {
  static override async open(config = "", where: PlaceKind = "tmux"): Promise<CodexDesk> {
    return new CodexDesk(await deskParts(config), where);
  }

  /** With the default sandbox and trusted hooks. */
  seat(
    name: string,
    options: Partial<CodexOptions> = {},
    readiness: "idle" | "unknown" = "idle",
  ): Promise<RunningAgent> {
    return this.seatProgram<CodexOptions>(name, { start: startCodex, hooks: "codex", options }, readiness);
  }
}
