import type { PlaceKind } from "../rig/agent-terminal.ts";
import { type OpencodeOptions, startOpencode } from "../rig/opencode.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { deskParts, ProgramDesk } from "./program-desk.ts";

export { courseOf, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./program-desk.ts";

/** A desk for real OpenCode windows. */
export class OpencodeDesk extends ProgramDesk {
  static override async open(config = "", where: PlaceKind = "tmux"): Promise<OpencodeDesk> {
    return new OpencodeDesk(await deskParts(config), where);
  }

  /** A person's command, such as `/new`. */
  async order(typist: Typist, window: RunningAgent, command: string): Promise<void> {
    await typist.type(command);
    // Enter takes the first of the list, which on a busy machine may still be that of the first letters.
    const first = (screen: string) => /┃ (\/\S+) {2}/u.exec(screen)?.[1];
    await this.shows(window, (screen) => first(screen) === command && screen.includes(`┃  ${command}`));
    typist.press("\r");
  }

  /** With the permissions that OpenCode comes with, and our plugin. */
  seat(
    name: string,
    options: Partial<OpencodeOptions> = {},
    readiness: "idle" | "unknown" = "idle",
  ): Promise<RunningAgent> {
    return this.seatProgram<OpencodeOptions>(
      name,
      { start: startOpencode, hooks: "opencode", options },
      readiness,
    );
  }
}
