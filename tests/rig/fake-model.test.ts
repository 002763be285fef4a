import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeModel, startFakeModel } from "./fake-model.ts";

let model: FakeModel;

beforeEach(async () => {
  model = await startFakeModel();
});

afterEach(() => model.close());

const BASH = { name: "Bash" };

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(model.url + path, { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) });
}

function askClaude(messages: object[], signal?: AbortSignal): Promise<Response> {
  return post("/v1/messages", { stream: true, tools: [BASH], messages }, signal);
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });

it("does what the directives in the prompt say", async () => {
  const reply = await (await askClaude([user("go [[say hello]] [[bash touch x]]")])).text();
  expect(reply).toContain('"text":"hello"');
  expect(reply).toContain(
    JSON.stringify(JSON.stringify({ command: "touch x", description: "Run a command" })),
  );
  expect((await askClaude([user("[[error 529]]")])).status).toBe(529);
});

it("lets a rule decide over the directives until it is removed", async () => {
  const remove = model.on(
    (request) => request.userText.includes("To reply:"),
    (request) => ({ call: { shell: request.userText.replace(/^.*To reply: /, "") } }),
  );
  const prompt = "[[say directive]] To reply: bellhop send 08bc57cf yes";
  expect(await (await askClaude([user(prompt)])).text()).toContain("bellhop send 08bc57cf yes");
  remove();
  expect(await (await askClaude([user(prompt)])).text()).toContain("directive");
});

it("tells apart prompts, tool results and errands", async () => {
  const toolResult = { role: "user", content: [{ type: "tool_result", content: "a file" }] };
  await askClaude([user("look")]);
  await askClaude([user("look"), assistant("I look"), toolResult]);
  await post("/v1/messages", { messages: [user("a title, please")] });
  await askClaude([user("look"), assistant("DONE"), user("[SUGGESTION MODE: guess]")]);
  expect(model.requests.map(({ kind }) => kind)).toEqual(["main", "tool_result", "aux", "suggestion"]);
  expect(model.requests[1]?.toolResults).toEqual(["a file"]);
  expect(model.prompts()).toEqual(["look"]);
});

it("counts a prompt once, also when the turn was aborted or tried again", async () => {
  await askClaude([user("first")]);
  await askClaude([user("first")]);
  await askClaude([user("first"), user("second")]);
  await askClaude([user("first"), user("second"), assistant("ACK"), user("second")]);
  expect(model.prompts()).toEqual(["first", "second", "second"]);
});

it("counts the prompts of an agent once, also between those of its sub-agent", async () => {
  const ask = (messages: object[]) =>
    post("/v1/messages", { tools: [BASH], messages, metadata: { user_id: "one" } });
  await ask([user("go")]);
  await ask([user("look into it")]);
  await ask([user("go"), assistant("DONE"), user("<system-reminder>It is over.")]);
  expect(model.prompts()).toEqual(["go", "look into it"]);
});

it("finds what the user said in the middle of a turn", async () => {
  const wrapped =
    "The user sent a new message while you were working:\nstop that\n\nThis is how Claude Code surfaces messages.";
  const results = {
    role: "user",
    content: [
      { type: "tool_result", content: "ok" },
      { type: "text", text: wrapped },
    ],
  };
  await askClaude([user("go")]);
  await askClaude([user("go"), assistant("I go"), results]);
  expect(model.prompts()).toEqual(["go", "stop that"]);
  expect(model.requests[1]).toMatchObject({ kind: "main", userText: "stop that", toolResults: ["ok"] });
});

it("speaks until it is told to finish", async () => {
  const reply = await askClaude([user("[[busy]]")]);
  const [request] = model.requests;
  expect(request?.endedAtMs).toBeUndefined();
  request?.finish();
  expect(await reply.text()).toContain("ACK 8 characters");
  await model.waitForRequest(({ endedAtMs, aborted }) => endedAtMs !== undefined && !aborted);
});

it("notices that the program hung up", async () => {
  const hangUp = new AbortController();
  const reply = await askClaude([user("[[busy]]")], hangUp.signal);
  hangUp.abort();
  await expect(reply.text()).rejects.toThrow();
  await model.waitForRequest((request) => request.aborted);
});

it("says what it saw when a request does not come", async () => {
  await askClaude([user("something else")]);
  await expect(model.waitForPrompt("expected", { timeoutMs: 10 })).rejects.toThrow(/main: "something else"/);
});

it("reads the Responses dialect without what Codex adds", async () => {
  const said = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  const reply = await post("/v1/responses", {
    stream: true,
    tools: [{ type: "function", name: "exec_command" }],
    prompt_cache_key: "thread",
    input: [said("<environment_context>…</environment_context>"), said("run it [[escalate touch x]]")],
  });
  expect(await reply.text()).toContain("require_escalated");
  expect(model.prompts()).toEqual(["run it [[escalate touch x]]"]);
});

it("speaks to Gemini CLI, and tells its prompts from what it adds to them", async () => {
  const contents = (...texts: string[]) => [{ role: "user", parts: texts.map((text) => ({ text })) }];
  const ask = (method: string, body: object) => post(`/v1beta/models/some-model:${method}`, body);
  const tools = [{ functionDeclarations: [{ name: "run_shell_command" }] }];
  const first = contents("<session_context>a folder</session_context>", "go [[bash touch x]]");
  const reply = await (await ask("streamGenerateContent", { contents: first, tools })).text();
  expect(reply).toMatch(/^data: .*"text":"ACK 19 characters"/);
  expect(reply).toContain('"functionCall":{"name":"run_shell_command","args":{"command":"touch x"');
  const result = { role: "user", parts: [{ functionResponse: { response: { output: "made" } } }] };
  const answer = { role: "model", parts: [{ text: "ACK" }] };
  await ask("streamGenerateContent", { contents: [...first, answer, result], tools });
  await ask("generateContent", { contents: contents("which model?") });
  expect(model.requests.map(({ kind }) => kind)).toEqual(["main", "tool_result", "aux"]);
  expect(model.requests[1]?.toolResults).toEqual(['{"output":"made"}']);
  expect(model.requests[1]?.conversation).toBe(model.requests[0]?.conversation);
  expect(model.prompts()).toEqual(["go [[bash touch x]]"]);
});
