import type { NamedToolCall } from "./model-plan.ts";

/** One vendor's wire format, reduced to what a test asks about. */
export interface ModelDialect {
  readonly name: "anthropic" | "openai" | "gemini";
  speaks(path: string): boolean;
  read(body: unknown, path: string): ConversationReading;
  reply(body: unknown, text: AsyncIterable<string>, call: NamedToolCall | undefined): AsyncIterable<string>;
  replyWhole(body: unknown, text: string): unknown;
}

export interface ConversationReading {
  /** Equal for all requests of one conversation. */
  readonly conversation: string;
  /** What the user said, from the first turn on, without what the program adds in the user's name. */
  readonly saidByUser: readonly string[];
  /** How many of `saidByUser` come after the last assistant turn. */
  readonly saidSinceAssistant: number;
  /** What the tools returned since the last assistant turn. */
  readonly toolResults: readonly string[];
  readonly offeredTools: readonly string[];
  readonly streamed: boolean;
}

export function serverSentEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
