import type { Screen } from "./screen.ts";
import type { RehearsalStage, StageSettings } from "./stage.ts";

/** What stands in for a platform on this machine, and what can be played with it. */
export interface RehearsedPlatform extends StageSettings {
  /** What stands in for what. */
  readonly introduction: string;
  play(stage: RehearsalStage, screen: Screen): Promise<void>;
  close(): Promise<void>;
}
