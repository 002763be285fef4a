import { createHash } from "node:crypto";
import type { ConversationReading, ModelDialect } from "./model-dialect.ts";

interface ContentBody {
  readonly contents?: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly generationConfig?: { readonly responseMimeType?: string };
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

/** Gemini sends these in the user's name, though no person typed them. */
const ADDED_BY_GEMINI = /^\s*(<session_context>|<hook_context>|System: Please continue\.|Please continue\.$)/;

/** What it asks beside a turn: which model to take, whether to go on, what to call the session. */
const SIDE_ANSWER = {
  reasoning: "scripted",
  model_choice: "flash",
  complexity_reasoning: "scripted",
  complexity_score: 1,
  next_speaker: "user",
  title: "Scripted title",
};

export const geminiContent: ModelDialect = {
  name: "gemini",
  speaks: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  read: (body, path) => readContents(body as ContentBody, path),

  async *reply(_body, text, call) {
    for await (const piece of text) yield event([{ text: piece }]);
    yield event(call ? [{ functionCall: { name: call.name, args: call.input } }] : [{ text: "" }], "STOP");
  },

  replyWhole(body, text) {
    const { generationConfig } = body as ContentBody;
    const isJson = generationConfig?.responseMimeType?.includes("json") === true;
    return chunk([{ text: isJson ? JSON.stringify(SIDE_ANSWER) : text }], "STOP");
  },
};

function chunk(parts: readonly object[], finishReason?: string) {
  const candidate = { index: 0, content: { role: "model", parts }, ...(finishReason && { finishReason }) };
  return { candidates: [candidate], usageMetadata: USAGE };
}

function event(parts: readonly object[], finishReason?: string): string {
  return `data: ${JSON.stringify(chunk(parts, finishReason))}\r\n\r\n`;
}

function readContents(body: ContentBody, path: string): ConversationReading {
  const contents = body.contents ?? [];
  const recent = contents.slice(contents.findLastIndex(({ role }) => role === "model") + 1);
  const said = contents.flatMap(saidIn);
  return {
    conversation: conversationOf(contents, said),
    saidByUser: said,
    saidSinceAssistant: recent.flatMap(saidIn).length,
    toolResults: recent.flatMap(({ parts = [] }) =>
      parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify(functionResponse.response)],
      ),
    ),
    offeredTools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => name),
    ),
    streamed: path.endsWith(":streamGenerateContent"),
  };
}

/** Its requests do not name their conversation; all of one have the same first prompt, in the same folder. */
function conversationOf(contents: readonly Content[], said: readonly string[]): string {
  const folder = /temporary directory is: (.*)/.exec(contents[0]?.parts?.[0]?.text ?? "")?.[1] ?? "";
  return createHash("sha256")
    .update(JSON.stringify([folder, said[0]]))
    .digest("hex")
    .slice(0, 16);
}

function saidIn({ role, parts = [] }: Content): readonly string[] {
  if (role !== "user") return [];
  return parts.flatMap(({ text }) => (text === undefined || ADDED_BY_GEMINI.test(text) ? [] : [text]));
}
