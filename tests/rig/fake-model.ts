import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicMessages } from "./anthropic-messages.ts";
import { geminiContent } from "./gemini-content.ts";
import type { ConversationReading, ModelDialect } from "./model-dialect.ts";
import { type ModelPlan, nameToolCall, planFromDirectives } from "./model-plan.ts";
import { openaiResponses } from "./openai-responses.ts";

export type RequestKind =
  /** A turn that carries something the user said. */
  | "main"
  /** A turn that carries tool results only. */
  | "tool_result"
  /** Claude asks what the user might type next. */
  | "suggestion"
  /** Titles and other side tasks: no tools are offered. */
  | "aux";

export interface ModelRequest {
  readonly kind: RequestKind;
  readonly dialect: ModelDialect["name"];
  readonly conversation: string;
  /** What the user said since the last assistant turn, including in the middle of a turn, joined with newlines. */
  readonly userText: string;
  /** The user's texts that no earlier request of this conversation carried, each exactly as sent. */
  readonly newPrompts: readonly string[];
  readonly toolResults: readonly string[];
  readonly offeredTools: readonly string[];
  readonly body: unknown;
  readonly startedAtMs: number;
  /** Set once the reply is over. */
  endedAtMs: number | undefined;
  /** The program hung up before the reply was complete. */
  aborted: boolean;
  /** Ends a reply that was planned to continue until then. */
  readonly finish: () => void;
}

export interface FakeModel {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** The exact texts the user's side submitted, in the order in which the model first saw them. */
  prompts(): string[];
  /** The plan for requests that match; the newest matching rule wins over older ones and over directives. */
  on(matches: (request: ModelRequest) => boolean, plan: PlanSource): RemoveRule;
  /** Looks at past requests first; asked again whenever a request arrives or ends. */
  waitForRequest(matches: (request: ModelRequest) => boolean, options?: WaitOptions): Promise<ModelRequest>;
  /** Resolves once `prompts()` holds the text. */
  waitForPrompt(text: string, options?: WaitOptions): Promise<ModelRequest>;
  close(): Promise<void>;
}

export type PlanSource = ModelPlan | ((request: ModelRequest) => ModelPlan);
export type RemoveRule = () => void;

export interface WaitOptions {
  readonly timeoutMs?: number;
}

export interface FakeModelOptions {
  /** The ghost text that Claude shows in its empty composer after a turn. */
  readonly suggestion?: string;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const WAIT_DEADLINE_MS = 180_000;
const MS_BETWEEN_SLOW_WORDS = 200;
const DIALECTS: readonly ModelDialect[] = [anthropicMessages, openaiResponses, geminiContent];

class ClientHungUp extends Error {}

export async function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const rules: { matches: (request: ModelRequest) => boolean; plan: PlanSource }[] = [];
  const saidBefore = new Map<string, readonly string[]>();
  const onChange = new Set<() => void>();
  const changed = () => {
    for (const look of [...onChange]) look();
  };

  const planFor = (request: ModelRequest): ModelPlan => {
    const rule = rules.findLast((candidate) => candidate.matches(request));
    if (rule) return typeof rule.plan === "function" ? rule.plan(request) : rule.plan;
    switch (request.kind) {
      case "suggestion":
        return { say: options.suggestion ?? "run the unit tests" };
      case "aux":
        return { say: '{"title":"Scripted title"}' };
      case "tool_result":
        return { say: "TOOL DONE" };
      case "main":
        return { say: `ACK ${request.userText.length} characters`, ...planFromDirectives(scriptOf(request)) };
    }
  };

  const record = (dialect: ModelDialect, body: unknown, path: string) => {
    const reading = dialect.read(body, path);
    const kind = kindOf(reading);
    // Claude gives the same conversation for an agent and its sub-agents, whose requests come by turns.
    const line = JSON.stringify([reading.conversation, reading.saidByUser[0]]);
    const finished = new AbortController();
    const request: ModelRequest = {
      kind,
      dialect: dialect.name,
      conversation: reading.conversation,
      userText: recentTexts(reading).join("\n"),
      newPrompts: kind === "main" ? newPrompts(saidBefore.get(line), reading) : [],
      toolResults: reading.toolResults,
      offeredTools: reading.offeredTools,
      body,
      startedAtMs: Date.now(),
      endedAtMs: undefined,
      aborted: false,
      finish: () => finished.abort(),
    };
    if (kind === "main") saidBefore.set(line, reading.saidByUser);
    requests.push(request);
    changed();
    return { request, streamed: reading.streamed, finished: finished.signal };
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(incoming.url ?? "/", "http://loopback").pathname;
    const text = await readBody(incoming);
    const dialect = DIALECTS.find((candidate) => incoming.method === "POST" && candidate.speaks(path));
    if (!dialect) {
      const { status, body } = sideAnswer(path, incoming.method);
      return respond(response, status, body);
    }
    const body: unknown = JSON.parse(text);
    const { request, streamed, finished } = record(dialect, body, path);
    response.on("close", () => {
      request.endedAtMs = Date.now();
      request.aborted = !response.writableFinished;
      changed();
    });
    await perform(planFor(request), { request, streamed, finished }, dialect, response);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((cause: unknown) => {
      if (cause instanceof ClientHungUp) return;
      if (response.headersSent) response.destroy();
      else respond(response, 500, { type: "error", error: { type: "api_error", message: String(cause) } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  const prompts = () => requests.flatMap((request) => request.newPrompts);

  const waitForRequest: FakeModel["waitForRequest"] = (matches, { timeoutMs = WAIT_DEADLINE_MS } = {}) =>
    new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(deadline);
        onChange.delete(look);
      };
      const look = () => {
        const found = requests.find(matches);
        if (!found) return;
        finish();
        resolve(found);
      };
      const deadline = setTimeout(() => {
        finish();
        const seen = requests.map(
          ({ kind, userText, toolResults }) =>
            `  ${kind}: ${JSON.stringify((userText || toolResults.join("\n")).slice(0, 200))}`,
        );
        reject(new Error(`No such request within ${timeoutMs} ms. The model saw:\n${seen.join("\n")}`));
      }, timeoutMs);
      onChange.add(look);
      look();
    });

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    prompts,
    on(matches, plan) {
      const rule = { matches, plan };
      rules.push(rule);
      return () => {
        const at = rules.indexOf(rule);
        if (at >= 0) rules.splice(at, 1);
      };
    },
    waitForRequest,
    waitForPrompt: (text, wait) => waitForRequest((request) => request.newPrompts.includes(text), wait),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((cause) => (cause ? reject(cause) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function kindOf(reading: ConversationReading): RequestKind {
  const recent = recentTexts(reading);
  if (recent.some((text) => text.includes("[SUGGESTION MODE"))) return "suggestion";
  if (reading.offeredTools.length === 0) return "aux";
  return recent.length === 0 && reading.toolResults.length > 0 ? "tool_result" : "main";
}

function recentTexts(reading: ConversationReading): readonly string[] {
  return reading.saidSinceAssistant === 0 ? [] : reading.saidByUser.slice(-reading.saidSinceAssistant);
}

// After an abort the text of the aborted turn comes again, but its directives must not run again.
function scriptOf(request: ModelRequest): string {
  return request.newPrompts.length > 0 ? request.newPrompts.join("\n") : request.userText;
}

// Compared with the request before, not with the last assistant turn: after an abort or a retry there is none.
function newPrompts(before: readonly string[] | undefined, reading: ConversationReading): readonly string[] {
  if (!before) return reading.saidByUser;
  const firstNew = reading.saidByUser.findIndex((text, position) => text !== before[position]);
  return firstNew < 0 ? [] : reading.saidByUser.slice(firstNew);
}

interface Asked {
  readonly request: ModelRequest;
  readonly streamed: boolean;
  readonly finished: AbortSignal;
}

async function perform(
  plan: ModelPlan,
  { request, streamed, finished }: Asked,
  dialect: ModelDialect,
  response: ServerResponse,
): Promise<void> {
  if (plan.delaySeconds) await sleep(plan.delaySeconds * 1000);
  if (response.destroyed) return;
  if (plan.errorStatus) {
    return respond(response, plan.errorStatus, {
      type: "error",
      error: { type: "api_error", message: "scripted error" },
    });
  }
  const call = plan.call && nameToolCall(plan.call, request.offeredTools);
  if (plan.call && !call) throw new Error(`the program offered no such tool: ${JSON.stringify(plan.call)}`);
  if (!streamed) {
    return respond(response, 200, dialect.replyWhole(request.body, plan.say ?? ""));
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for await (const event of dialect.reply(request.body, spokenText(plan, finished), call)) {
    if (response.destroyed) throw new ClientHungUp();
    response.write(event);
  }
  response.end();
}

async function* spokenText(plan: ModelPlan, finished: AbortSignal): AsyncGenerator<string> {
  const words = plan.untilFinished
    ? Number.POSITIVE_INFINITY
    : Math.ceil(((plan.slowSeconds ?? 0) * 1000) / MS_BETWEEN_SLOW_WORDS);
  for (let word = 0; word < words && !finished.aborted; word++) {
    yield word % 10 === 9 ? `word${word}\n` : `word${word} `;
    await sleep(MS_BETWEEN_SLOW_WORDS, undefined, { signal: finished }).catch(() => {});
  }
  yield plan.say ?? "DONE";
}

function sideAnswer(path: string, method: string | undefined): { status: number; body: object } {
  if (path.endsWith("/count_tokens")) return { status: 200, body: { input_tokens: 10 } };
  if (path.endsWith(":countTokens")) return { status: 200, body: { totalTokens: 10 } };
  if (path.endsWith("/models")) {
    const data = [{ id: "scripted-model", object: "model" }];
    return { status: 200, body: { object: "list", data, models: [] } };
  }
  return { status: method === "HEAD" || path === "/" ? 200 : 404, body: {} };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`a request of more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
