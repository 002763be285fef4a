import { randomUUID } from "node:crypto";
import { type ConversationReading, type ModelDialect, serverSentEvent } from "./model-dialect.ts";

interface ResponsesBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly input?: string | readonly Item[];
  readonly tools?: readonly { readonly type: string; readonly name?: string }[];
  readonly prompt_cache_key?: string;
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: unknown;
}

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** Codex sends these in the user's name, though no person typed them. */
const ADDED_BY_CODEX = /^\s*(<environment_context>|<user_instructions>|<turn_aborted>|# AGENTS\.md)/;

export const openaiResponses: ModelDialect = {
  name: "openai",
  speaks: (path) => path.endsWith("/responses"),
  read: (body) => readInput(body as ResponsesBody),

  async *reply(body, text, call) {
    let sequence_number = 0;
    const event = (type: string, data: object) =>
      serverSentEvent(type, { sequence_number: sequence_number++, ...data });
    const response = { ...newResponse(body), status: "in_progress", output: [] };
    const message = { type: "message", id: `msg_${randomUUID()}`, role: "assistant" };
    yield event("response.created", { response });
    yield event("response.output_item.added", {
      output_index: 0,
      item: { ...message, status: "in_progress", content: [] },
    });
    let said = "";
    for await (const delta of text) {
      said += delta;
      yield event("response.output_text.delta", {
        item_id: message.id,
        output_index: 0,
        content_index: 0,
        delta,
      });
    }
    const output: object[] = [{ ...message, status: "completed", content: outputText(said) }];
    yield event("response.output_item.done", { output_index: 0, item: output[0] });
    if (call) {
      output.push({
        type: "function_call",
        id: `fc_${randomUUID()}`,
        call_id: `call_${randomUUID()}`,
        ...placeOf(call.name, body as ResponsesBody),
        arguments: JSON.stringify(call.input),
        status: "completed",
      });
      yield event("response.output_item.done", { output_index: 1, item: output[1] });
    }
    yield event("response.completed", {
      response: { ...response, status: "completed", output, usage: USAGE },
    });
  },

  replyWhole: (body, text) => ({
    ...newResponse(body),
    status: "completed",
    output: [{ type: "message", id: `msg_${randomUUID()}`, role: "assistant", content: outputText(text) }],
    usage: USAGE,
  }),
};

/** Codex offers the tools of an MCP server under the server's name; a call must give both names. */
function placeOf(name: string, { tools = [] }: ResponsesBody): { namespace?: string; name: string } {
  const namespace = tools.find(
    (tool) => tool.type === "namespace" && name.startsWith(`${tool.name}__`),
  )?.name;
  return namespace === undefined ? { name } : { namespace, name: name.slice(namespace.length + 2) };
}

function newResponse(body: unknown) {
  const { model } = body as ResponsesBody;
  return { id: `resp_${randomUUID()}`, object: "response", created_at: 0, model };
}

function outputText(text: string) {
  return [{ type: "output_text", text, annotations: [] }];
}

function readInput(body: ResponsesBody): ConversationReading {
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : (body.input ?? []);
  const recent = items.slice(items.findLastIndex(isFromAssistant) + 1);
  return {
    conversation: body.prompt_cache_key ?? "",
    saidByUser: items.flatMap(saidInItem),
    saidSinceAssistant: recent.flatMap(saidInItem).length,
    toolResults: recent.filter(isToolResult).map((item) => textOfOutput(item.output)),
    offeredTools: (body.tools ?? []).map((tool) => tool.name ?? tool.type),
    streamed: body.stream === true,
  };
}

function isFromAssistant(item: Item): boolean {
  return item.role === "assistant" || item.type === "reasoning" || (item.type?.endsWith("_call") ?? false);
}

function isToolResult(item: Item): boolean {
  return item.type?.endsWith("_call_output") ?? false;
}

function saidInItem(item: Item): string[] {
  if (item.role !== "user") return [];
  const texts =
    typeof item.content === "string" ? [item.content] : (item.content ?? []).map((part) => part.text ?? "");
  return texts.filter((text) => text !== "" && !ADDED_BY_CODEX.test(text));
}

function textOfOutput(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
