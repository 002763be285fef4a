import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import type { ModelPlan } from "../rig/model-plan.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { showsOpencodePermissionDialog } from "../rig/opencode.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { type ScriptedAgent, until } from "../rig/scripted-agent.ts";
import { OpencodeDesk, PATIENCE_MS, PERSON } from "./opencode-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const says =
  (text: string) =>
  ({ newPrompts }: ModelRequest) =>
    newPrompts.some((prompt) => prompt.includes(text));

/** What the prompt tells the model to run, word for word, with a text of its own in place of the blank. */
function answer({ newPrompts }: ModelRequest, reply: string): ModelPlan {
  const hint = /To reply: (bellhop (?:send|reply) .*"<your reply>")$/mu.exec(newPrompts.join("\n"))?.[1];
  if (hint === undefined) throw new Error(`There is no hint in ${JSON.stringify(newPrompts)}.`);
  return { call: { shell: hint.replace("<your reply>", reply) } };
}

/** There is nobody at these windows: a permission dialog would stay open, and its test would fail. */
describe.each(PLACES)("OpenCode as it comes, after the hooks were installed, in %s", (terminal) => {
  let desk: OpencodeDesk;
  let asker: RunningAgent;
  let coder: RunningAgent;
  let reviewer: ScriptedAgent & { readonly id: string };

  beforeAll(async () => {
    desk = await OpencodeDesk.open("", terminal);
    reviewer = await desk.seatScripted("reviewer");
    asker = await desk.seat("asker");
    coder = await desk.seat("coder");
  });
  beforeEach(() => Promise.all([desk.untilIdle(asker), desk.untilIdle(coder)]));
  afterEach(async () => {
    for (const window of [asker, coder])
      expect(showsOpencodePermissionDialog(await window.terminal.screen())).toBe(false);
    await desk.allAlive();
  });
  afterAll(() => desk?.close());

  const idOf = async (window: RunningAgent) => (await desk.sessionIn(window))?.id;

  it("answers a message by running its hint, and the answer comes back as its own", async (context) => {
    const question = await desk.send("coder", "How many lights are there?", {
      claims: { user: PERSON, session: reviewer.id },
    });
    desk.model.on(says(`#${question.shortId}]`), (request) => answer(request, "There are four; 四つ 🙂."));
    const isAnswer = (prompt: string) => prompt.includes("There are four");
    await until(() => reviewer.prompts().some(isAnswer), "the answer", PATIENCE_MS);
    expect(reviewer.prompts().find(isAnswer)).toContain(`[message from: coder (${await idOf(coder)}) #`);
    await desk.reaches(question, "replied");
    proves(context, {
      program: "opencode",
      terminal,
      scene: "the agent replies",
      rung: "native",
      outcome: "replied",
    });
  });

  it("asks another OpenCode, which answers: each is known as itself", async () => {
    const order = await desk.send("asker", "Please ask the coder.");
    desk.model.on(says(`#${order.shortId}]`), {
      call: { shell: "bellhop send coder 'What is six times seven?'" },
    });
    desk.model.on(says("What is six times seven?"), (request) => answer(request, "It is 42."));
    const answered = await desk.reads(says("It is 42."));
    const asked = await desk.model.waitForRequest(says("What is six times seven?"));
    expect(asked.newPrompts.join("\n")).toContain(`[message from: asker (${await idOf(asker)}) #`);
    expect(answered.newPrompts.join("\n")).toContain(`[message from: coder (${await idOf(coder)}) #`);
    expect(answered.conversation).toBe((await desk.arrives(order)).request.conversation);
    expect(answered.conversation).not.toBe(asked.conversation);
    await desk.untilIdle(asker);
    const { entries } = await desk.client.call("transcript", { who: "asker" });
    const said = entries.map(({ by, text }) => `${by}: ${text}`).join("\n");
    expect(said).toContain("Please ask the coder.");
    expect(said).toMatch(/^tool: bash: bellhop send coder 'What is six times seven\?'/mu);
    expect(said).toContain("It is 42.");
  });

  it("works with a sub-agent, whose turns are not its own", async () => {
    const order = await desk.send("coder", "Let somebody else look.");
    desk.model.on(says(`#${order.shortId}]`), {
      call: {
        tool: "task",
        input: { description: "look", prompt: "look there [[busy]]", subagent_type: "general" },
      },
    });
    const looking = await desk.model.waitForRequest(says("look there"), { timeoutMs: PATIENCE_MS });
    await desk.untilReadiness(coder, "busy");
    const idle = await desk.send("coder", "when you are done", { priority: "idle" });
    await desk.isHeld(idle, "busy");
    looking.finish();
    expect((await desk.arrives(idle)).request.startedAtMs).toBeGreaterThan(looking.endedAtMs ?? 0);
    expect(await desk.reaches(order, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
    expect(await desk.reaches(idle, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
  });
});

describe("OpenCode whose owner wants to be asked about commands, after the rules were installed", () => {
  let desk: OpencodeDesk;
  let coder: RunningAgent;
  let reviewer: ScriptedAgent & { readonly id: string };

  beforeAll(async () => {
    desk = await OpencodeDesk.open();
    reviewer = await desk.seatScripted("reviewer");
    coder = await desk.seat("coder", { permission: { bash: "ask" } });
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  const runs = async (command: string) => {
    const order = await desk.send("coder", "Do as you are told.");
    desk.model.on(says(`#${order.shortId}]`), { call: { shell: command } });
    return order;
  };

  it("runs a command of ours unasked", async () => {
    await runs("bellhop send reviewer 'four -- of them!'");
    await until(
      () => reviewer.prompts().some((prompt) => prompt.includes("four -- of them!")),
      "it",
      PATIENCE_MS,
    );
  });

  it.each([
    "bellhop send reviewer chained; touch canary",
    "bellhop send reviewer chained && touch canary",
    "bellhop send reviewer chained | tee canary",
    "bellhop send reviewer chained > canary",
    'bellhop send reviewer "$(touch canary)"',
    `bellhop send reviewer \${chained:=$(touch canary)}`,
    "bellhop send reviewer chained < README.md",
    "bellhop send reviewer `touch canary`",
    "bellhop cancel --all",
  ])("still asks about: %s", async (command) => {
    const typist = await desk.typist(coder);
    await runs(command);
    await desk.shows(coder, showsOpencodePermissionDialog);
    typist.press("\x1b");
    await desk.untilIdle(coder);
    expect(existsSync(join(coder.repo, "canary"))).toBe(false);
    expect(reviewer.prompts().join("\n")).not.toContain("chained");
  });
});
