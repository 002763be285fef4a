/** The hook rung with every release of the programs whose hooks carry text: whether it takes the text, and in which form. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClaudeWindows } from "../e2e/claude-windows.ts";
import { CodexDesk, PERSON } from "../e2e/codex-desk.ts";
import { PATIENCE_MS, type ProgramDesk } from "../e2e/program-desk.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import type { ModelPlan } from "../rig/model-plan.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { versionsOf } from "../rig/programs.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { INLINE } from "./codex-inline.ts";

beforeAll(assertInNamespace);

/** Nothing is typed, so an older Codex that draws inline is reached too. */
const CONFIG = "transports: [hook]";

for (const version of versionsOf("claude")) {
  describeHooks(`Claude Code ${version}`, async () => {
    const desk = await ClaudeWindows.open(CONFIG);
    return { desk, coder: await desk.seat("coder", { version }) };
  });
}

for (const version of versionsOf("codex")) {
  describeHooks(`Codex ${version}`, async () => {
    const desk = await CodexDesk.open(CONFIG);
    const readiness = INLINE.includes(version) ? "unknown" : "idle";
    return { desk, coder: await desk.seat("coder", { version }, readiness) };
  });
}

function describeHooks(
  name: string,
  open: () => Promise<{ readonly desk: ProgramDesk; readonly coder: RunningAgent }>,
): void {
  describe(`${name} by its hooks`, () => {
    let desk: ProgramDesk;
    let coder: RunningAgent;
    let typist: Typist;
    let reviewer: string;

    beforeAll(async () => {
      ({ desk, coder } = await open());
      reviewer = (await desk.seatScripted("reviewer")).id;
      typist = await desk.typist(coder);
      (await desk.say(typist, coder, "hello [[busy]]")).finish();
    });
    afterAll(() => desk?.close());

    const send = (body: string) => desk.send("coder", body, { claims: { user: PERSON, session: reviewer } });
    const carrying = (shortId: string) =>
      desk.model.waitForRequest(({ body }: ModelRequest) => JSON.stringify(body).includes(`#${shortId}]`), {
        timeoutMs: PATIENCE_MS,
      });

    it.each([
      ["with the result of a tool", "first [[busy]] [[bash echo hi]]"],
      ["at the end of a turn", "second [[busy]]"],
    ])("takes a message %s, once, and shows it in its session file", async (when, prompt) => {
      const turn = await desk.say(typist, coder, prompt);
      const sent = await send(`a message ${when}`);
      turn.finish();
      const { body } = await carrying(sent.shortId);
      expect(JSON.stringify(body)).toContain(`a message ${when}`);
      expect(await desk.reaches(sent, "read")).toMatchObject({ transport: "hook", evidence: "transcript" });
    });

    if (name.startsWith("Codex")) return;
    it("keeps the mail of an agent from its sub-agent's tools", async () => {
      const says =
        (text: string) =>
        ({ body }: ModelRequest) =>
          JSON.stringify(body).includes(text);
      const isOfSubAgent = (request: ModelRequest) =>
        says("look into it")(request) && !says("job 4711")(request);
      const input = { description: "look", prompt: "look into it", subagent_type: "general-purpose" };
      // Each once: its requests carry the prompts of the agent and of the sub-agent by turns.
      const once = (matches: (request: ModelRequest) => boolean, plan: ModelPlan) => {
        const remove = desk.model.on(matches, () => {
          remove();
          return plan;
        });
      };
      once(({ newPrompts }) => newPrompts.includes("job 4711"), { call: { tool: "Agent", input } });
      once(isOfSubAgent, { untilFinished: true, call: { shell: "echo from the sub-agent" } });
      await desk.say(typist, coder, "job 4711");
      const turn = await desk.model.waitForRequest(isOfSubAgent, { timeoutMs: PATIENCE_MS });
      const sent = await send("for the agent itself");
      turn.finish();
      const carries = says(`#${sent.shortId}]`);
      await desk.model.waitForRequest(
        (request) => isOfSubAgent(request) && request.toolResults.join().includes("from the sub-agent"),
        { timeoutMs: PATIENCE_MS },
      );
      await desk.model.waitForRequest((request) => carries(request), { timeoutMs: PATIENCE_MS });
      expect(desk.model.requests.filter(isOfSubAgent).filter(carries)).toEqual([]);
      expect(await desk.reaches(sent, "delivered")).toMatchObject({
        transport: "hook",
        evidence: "transcript",
      });
    });
  });
}
