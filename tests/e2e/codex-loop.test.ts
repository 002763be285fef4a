import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import type { ModelPlan } from "../rig/model-plan.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { type ScriptedAgent, until } from "../rig/scripted-agent.ts";
import { CodexDesk, PATIENCE_MS, PERSON } from "./codex-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

/** There is nobody at these windows: a permission dialog would stay open, and its test would fail. */
describe.each(PLACES)("Codex under its default sandbox, after the hooks were installed, in %s", (where) => {
  let desk: CodexDesk;
  let asker: RunningAgent;
  let coder: RunningAgent;
  let reviewer: ScriptedAgent & { readonly id: string };

  beforeAll(async () => {
    desk = await CodexDesk.open("", where);
    reviewer = await desk.seatScripted("reviewer");
    // The first one starts the server that runs the commands of both, with its own environment.
    asker = await desk.seat("asker");
    coder = await desk.seat("coder");
  });
  beforeEach(() => Promise.all([desk.untilIdle(asker), desk.untilIdle(coder)]));
  afterEach(async () => {
    for (const { terminal } of [asker, coder])
      expect(showsCodexPermissionDialog(await terminal.screen())).toBe(false);
    await desk.allAlive();
  });
  afterAll(() => desk?.close());

  const says =
    (text: string) =>
    ({ newPrompts }: ModelRequest) =>
      newPrompts.some((prompt) => prompt.includes(text));

  /** What the prompt tells the model to run, word for word, with a text of its own in place of the blank. */
  const answer = (prompts: readonly string[], reply: string): ModelPlan => {
    const hint = /To reply: (bellhop (?:send|reply) .*"<your reply>")$/mu.exec(prompts.join("\n"))?.[1];
    if (hint === undefined) throw new Error(`There is no hint in ${JSON.stringify(prompts)}.`);
    return { call: { shell: hint.replace("<your reply>", reply) } };
  };

  const whenItReads = (shortId: string, command: (prompts: string) => string) =>
    desk.model.on(says(`#${shortId}]`), ({ newPrompts }) => ({
      call: { shell: command(newPrompts.join("\n")) },
    }));

  const headerOf = ({ newPrompts }: ModelRequest) => {
    const [, from, id, shortId = ""] =
      /^\[message from: (\S+) \((\w{8})\) #(\w{6})\]/u.exec(newPrompts.join("\n")) ?? [];
    return { from, id, shortId };
  };

  const idOf = async (window: RunningAgent) => (await desk.sessionIn(window))?.id;

  /** The result that the model got for the command that contained this text. */
  const resultOf = async (text: string): Promise<string> => {
    const ran = ({ kind, body }: ModelRequest) =>
      kind === "tool_result" && JSON.stringify(body).includes(text);
    return (await desk.model.waitForRequest(ran, { timeoutMs: PATIENCE_MS })).toolResults.join("\n");
  };

  it("answers a message by running its hint, and the answer comes back as its own", async (test) => {
    const question = await desk.send("coder", "How many lights are there?", {
      claims: { user: PERSON, session: reviewer.id },
    });
    desk.model.on(says(`#${question.shortId}]`), ({ newPrompts }) =>
      answer(newPrompts, "There are four; 四つ 🙂."),
    );
    await until(
      () => reviewer.prompts().some((prompt) => prompt.includes("There are four")),
      "the answer",
      PATIENCE_MS,
    );
    const header = `[message from: coder (${await idOf(coder)}) #`;
    const [told = ""] = reviewer.prompts().filter((prompt) => prompt.includes("There are four"));
    expect(told.slice(0, header.length)).toBe(header);
    expect(told.slice(header.length)).toMatch(/^\w{6}\] There are four; 四つ 🙂\./u);
    await desk.reaches(question, "replied");
    expect(await resultOf("There are four")).toMatch(/^(?:queued|deliver\w+) #\w{6} for /mu);
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "the agent replies",
      rung: "native",
      outcome: "replied",
    });
  });

  it("asks another Codex, which answers: each is known by its own conversation", async () => {
    const order = await desk.send("asker", "Please ask the coder.");
    whenItReads(order.shortId, () => "bellhop send coder 'What is six times seven?'");
    desk.model.on(says("What is six times seven?"), ({ newPrompts }) => answer(newPrompts, "It is 42."));
    const answered = await desk.model.waitForRequest(says("It is 42."), { timeoutMs: PATIENCE_MS });

    const asked = await desk.model.waitForRequest(says("What is six times seven?"));
    const [askerId, coderId] = [await idOf(asker), await idOf(coder)];
    expect(headerOf(asked)).toMatchObject({ from: "asker", id: askerId });
    expect(headerOf(answered)).toMatchObject({ from: "coder", id: coderId });
    expect(answered.conversation).toBe((await desk.arrives(order)).request.conversation);
    expect(answered.conversation).not.toBe(asked.conversation);
    const question = await desk.client.call("show", { id: headerOf(asked).shortId });
    expect(question.message).toMatchObject({ from: "agent/asker", to: "agent/coder", source: "agent" });
    expect(question.deliveries).toMatchObject([
      { state: "replied", transport: "native", evidence: "submitted" },
    ]);
    const reply = await desk.client.call("show", { id: headerOf(answered).shortId });
    expect(reply.message).toMatchObject({
      from: "agent/coder",
      replyTo: question.message.id,
      bound: "implicit",
    });
  });

  it("asks another Codex in one command, out of its sandbox, and its conversation can be read", async () => {
    const order = await desk.send("asker", "Please ask the coder for its port.");
    whenItReads(order.shortId, () => "bellhop ask coder 'Which port is it?' --within 60s");
    desk.model.on(says("Which port is it?"), ({ newPrompts }) => answer(newPrompts, "It is 2355."));
    const asks = ({ kind, body, toolResults }: ModelRequest) =>
      kind === "tool_result" &&
      JSON.stringify(body).includes("bellhop ask coder") &&
      toolResults.join().includes("It is 2355.");
    await desk.model.waitForRequest(asks, { timeoutMs: PATIENCE_MS });
    await desk.untilIdle(asker);
    expect((await desk.client.call("queue", { who: "asker" })).deliveries).toEqual([]);
    const { entries } = await desk.client.call("transcript", { who: "asker" });
    const said = entries.map(({ by, text }) => `${by}: ${text}`).join("\n");
    expect(said).toContain("Please ask the coder for its port.");
    expect(said).toMatch(/^tool: .*bellhop ask coder 'Which port is it\?'/mu);
  });

  it("reads a long message from its file", async () => {
    const body = `begin ${"lorem ipsum ".repeat(60)}end`;
    const sent = await desk.send("coder", body);
    whenItReads(sent.shortId, (prompt) => `cat ${/Read (\/\S+)/u.exec(prompt)?.[1]} # ${sent.shortId}`);
    expect(await resultOf(`# ${sent.shortId}`)).toContain(body);
    expect((await desk.reaches(sent, "read")).receipts.at(-1)?.note).toContain("session file");
  });

  it("is told what to do when its sandbox keeps it from Bellhop", async () => {
    const sent = await desk.send("coder", "Send it through a pipe.");
    whenItReads(sent.shortId, () => "echo 'through a pipe' | bellhop send reviewer - --json; echo status $?");
    const result = await resultOf("status $?");
    expect(result).toContain("status 5");
    const { error } = JSON.parse(/^\{.*"error".*$/mu.exec(result)?.[0] ?? "{}");
    expect(error).toMatchObject({ code: "daemon.blocked", message: expect.stringContaining("sandbox") });
    expect(error.next).toMatch(/one plain command.*single quotes/u);
    expect(reviewer.prompts().join()).not.toContain("through a pipe");
  });
});
