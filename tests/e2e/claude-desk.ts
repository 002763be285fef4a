import type { FakeModel, ModelRequest } from "../rig/fake-model.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";

/** One Claude Code, "coder", with a person at its keyboard. */
export class ClaudeDesk {
  readonly stage: Stage;
  readonly coder: RunningAgent;
  readonly typist: Typist;

  private constructor(stage: Stage, coder: RunningAgent, typist: Typist) {
    this.stage = stage;
    this.coder = coder;
    this.typist = typist;
  }

  static async open(config: string): Promise<ClaudeDesk> {
    const stage = await Stage.set({ config });
    const coder = await stage.enter("coder");
    return new ClaudeDesk(stage, coder, await stage.typist(coder));
  }

  get model(): FakeModel {
    return this.stage.model;
  }

  shows(text: string): Promise<string> {
    return this.coder.terminal.waitForScreen((screen) => screen.includes(text), {
      timeoutMs: PATIENCE_MS,
    });
  }

  /** Waits until the composer's line contains this and nothing else. */
  async composerHolds(text: string): Promise<void> {
    const holds = (screen: string) => /^❯\u00a0(.*)$/mu.exec(screen)?.[1]?.trimEnd() === text;
    await this.coder.terminal.waitForScreen(holds, { timeoutMs: PATIENCE_MS });
  }

  /** Submits what is in the composer. */
  async submits(prompt: string): Promise<ModelRequest> {
    this.typist.press("\r");
    return this.model.waitForPrompt(prompt, { timeoutMs: PATIENCE_MS });
  }

  /** Prompts as the person; resolves when the model has begun to answer. */
  async says(prompt: string): Promise<ModelRequest> {
    await this.typist.type(prompt, { charactersPerSecond: 50 });
    await this.shows(prompt.slice(-20));
    return this.submits(prompt);
  }
}
