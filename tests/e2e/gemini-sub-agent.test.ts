import { afterAll, beforeAll, expect, it } from "vitest";
import type { ModelRequest } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { GeminiDesk, PATIENCE_MS, PERSON } from "./gemini-desk.ts";

const FIRST = "hello there";
const TASK = "look around below";

let desk: GeminiDesk;
let coder: RunningAgent;
let typist: Typist;
let reviewerId: string;

beforeAll(async () => {
  await assertInNamespace();
  desk = await GeminiDesk.open();
  reviewerId = (await desk.seatScripted("reviewer")).id;
  coder = await desk.seat("coder");
  typist = await desk.typist(coder);
  await desk.say(typist, coder, FIRST);
  await desk.untilIdle(coder);
});
afterAll(() => desk?.close());

/** The sub-agent knows nothing of the conversation. */
const isBelow = ({ body }: ModelRequest) => {
  const told = JSON.stringify((body as { contents?: unknown }).contents ?? []);
  return told.includes(TASK) && !told.includes(FIRST);
};

it("gives a sub-agent of Gemini CLI none of its agent's messages: they go when its turn ends", async () => {
  let isFirst = true;
  desk.model.on(isBelow, () => {
    if (!isFirst) return { call: { tool: "complete_task", input: { response: "done below" } } };
    isFirst = false;
    return { untilFinished: true, call: { tool: "list_directory", input: { dir_path: "." } } };
  });
  desk.model.on(({ newPrompts }) => newPrompts.includes("delegate"), {
    call: { tool: "invoke_agent", input: { agent_name: "generalist", prompt: TASK } },
  });
  await desk.say(typist, coder, "delegate");
  const below = await desk.model.waitForRequest(isBelow, { timeoutMs: PATIENCE_MS });
  const sent = await desk.send("coder", "for the agent itself", {
    claims: { user: PERSON, session: reviewerId },
  });
  await desk.isHeld(sent, "busy");
  below.finish();
  expect(await desk.reaches(sent, "read")).toMatchObject({ transport: "hook", evidence: "submitted" });
  const seen = desk.model.requests.filter(({ body }) => JSON.stringify(body).includes(`#${sent.shortId}]`));
  expect(seen.map(isBelow)).toEqual([false]);
});
