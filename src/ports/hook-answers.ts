import type { HookMoment } from "../core/hook-answer.ts";
import type { Json, SessionId } from "../core/message.ts";

/** How a program takes text in the answers to its own hooks. Pure. */
export interface HookAnswers {
  /** Its events whose answer its model reads, by its own names, and when they come. */
  moments(version: string | undefined): Readonly<Record<string, HookMoment>>;
  /** Longer texts go by reference: the program would cut them. */
  readonly mostBytes: number;
  /** How often in a row the end of a turn may be answered with text; after that the program ends the turn. */
  readonly mostInARow: number;
  /** What the hook prints, so that the model reads this text. */
  output(event: string, text: string, version: string | undefined): Json;
}

/** Shows the hooks after tools, before they ask, whether anything waits for any of them: mostly nothing does. */
export interface HookSign {
  wanted(session: SessionId, areWanted: boolean): void;
}
