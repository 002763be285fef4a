/** What a test with a real program proves. The table in docs/programs.md is made of this, from the tests that passed. */
import type { TestContext } from "vitest";
import type { Transport } from "../../src/core/message.ts";
import type { PlaceKind } from "../rig/agent-terminal.ts";

export const SCENES = [
  "idle",
  "busy",
  "draft",
  "dialog",
  "urgent",
  "ten at once",
  "resume",
  "the agent replies",
] as const;

export interface Proven {
  readonly program: "claude" | "codex" | "opencode" | "gemini";
  readonly terminal: PlaceKind;
  readonly scene: (typeof SCENES)[number];
  readonly rung: Transport;
  readonly outcome: Outcome;
}

/** What becomes of the message, the turn, the dialog or the person's text. */
export type Outcome =
  | "delivered"
  | "with the tool's result"
  | "at the end of the turn"
  | "after the turn"
  | "not touched"
  | "set aside and put back"
  | "waits for it"
  | "never answered"
  | "stops the turn"
  | "goes by keys"
  | "each once"
  | "replied";

declare module "vitest" {
  interface TaskMeta {
    proven?: readonly Proven[];
  }
}

/** Call it at the end of the test, with what was seen there. */
export function proves({ task }: Pick<TestContext, "task">, ...proven: readonly Proven[]): void {
  task.meta.proven = [...(task.meta.proven ?? []), ...proven];
}
