import { randomUUID } from "node:crypto";
import { type ConversationReading, type ModelDialect, serverSentEvent } from "./model-dialect.ts";

interface MessagesBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
  readonly metadata?: { readonly user_id?: string };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

const USAGE = { input_tokens: 10, output_tokens: 5 };

/** What a person types during a turn reaches the model inside this explanation. */
const SENT_DURING_TURN =
  /^The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code/;

/** Claude sends these in the user's name, though no person typed them. */
const ADDED_BY_CLAUDE =
  /^(<system-reminder>|<command-name>|<local-command-|Caveat: The messages below|\[Request interrupted by user)/;

export const anthropicMessages: ModelDialect = {
  name: "anthropic",
  speaks: (path) => path.endsWith("/v1/messages"),
  read: (body) => readMessages(body as MessagesBody),

  async *reply(body, text, call) {
    yield serverSentEvent("message_start", { message: { ...message(body), content: [], stop_reason: null } });
    yield serverSentEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for await (const piece of text) {
      yield serverSentEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } });
    }
    yield serverSentEvent("content_block_stop", { index: 0 });
    if (call) {
      const toolUse = { type: "tool_use", id: `toolu_${randomUUID()}`, name: call.name, input: {} };
      const json = { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
      yield serverSentEvent("content_block_start", { index: 1, content_block: toolUse });
      yield serverSentEvent("content_block_delta", { index: 1, delta: json });
      yield serverSentEvent("content_block_stop", { index: 1 });
    }
    const delta = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
    yield serverSentEvent("message_delta", { delta, usage: USAGE });
    yield serverSentEvent("message_stop", {});
  },

  replyWhole: (body, text) => ({
    ...message(body),
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
  }),
};

function message(body: unknown) {
  const { model } = body as MessagesBody;
  return {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model,
    stop_sequence: null,
    usage: USAGE,
  };
}

function readMessages(body: MessagesBody): ConversationReading {
  const messages = body.messages ?? [];
  const lastAssistant = messages.findLastIndex((turn) => turn.role === "assistant");
  const recent = messages.slice(lastAssistant + 1);
  const saidByUser = messages.flatMap(saidInMessage);
  return {
    // OpenCode does not say which conversation it is: then the first prompt stands for it.
    conversation: body.metadata?.user_id ?? saidByUser[0] ?? "",
    saidByUser,
    saidSinceAssistant: recent.flatMap(saidInMessage).length,
    toolResults: recent
      .flatMap(blocksOf)
      .filter((block) => block.type === "tool_result")
      .map(textOfResult),
    offeredTools: (body.tools ?? []).map((tool) => tool.name),
    streamed: body.stream === true,
  };
}

function blocksOf(turn: Message): readonly Block[] {
  return typeof turn.content === "string" ? [{ type: "text", text: turn.content }] : turn.content;
}

function saidInMessage(turn: Message): string[] {
  if (turn.role !== "user") return [];
  return blocksOf(turn)
    .flatMap(({ text }) => (text === undefined || ADDED_BY_CLAUDE.test(text) ? [] : [text]))
    .map((text) => SENT_DURING_TURN.exec(text)?.[1] ?? text);
}

function textOfResult(block: Block): string {
  if (typeof block.content === "string") return block.content;
  return (block.content ?? []).map((part) => part.text ?? "").join("");
}
