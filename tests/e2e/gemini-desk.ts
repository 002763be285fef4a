import { setTimeout as sleep } from "node:timers/promises";
import type { PlaceKind } from "../rig/agent-terminal.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { type GeminiOptions, startGemini } from "../rig/gemini.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Hands } from "../rig/typist.ts";
import { deskParts, PATIENCE_MS, ProgramDesk } from "./program-desk.ts";

export { courseOf, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./program-desk.ts";

const MOST_PRESSES = 5;
const SEEN_MS = 3_000;
const BEFORE_ENTER_MS = 500;

/** A desk for real windows of Gemini CLI. */
export class GeminiDesk extends ProgramDesk {
  static override async open(config = "", where: PlaceKind = "tmux"): Promise<GeminiDesk> {
    return new GeminiDesk(await deskParts(config), where);
  }

  /** On a busy machine Gemini CLI takes typing for a paste, and Enter for a new line in it: a person presses it again. */
  override async submits(typist: Hands, prompt: string): Promise<ModelRequest> {
    const submitted = this.model.waitForPrompt(prompt, { timeoutMs: PATIENCE_MS });
    // What it shows is not yet what it would send.
    await sleep(BEFORE_ENTER_MS);
    for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
      typist.press("\r");
      if ((await Promise.race([submitted, sleep(SEEN_MS)])) !== undefined) break;
    }
    return submitted;
  }

  /** With its default permissions. */
  seat(
    name: string,
    options: Partial<GeminiOptions> = {},
    readiness: "idle" | "unknown" = "idle",
  ): Promise<RunningAgent> {
    return this.seatProgram<GeminiOptions>(name, { start: startGemini, hooks: "gemini", options }, readiness);
  }
}
