import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Claude Code by its own inbox, in %s", (where) => {
  let stage: Stage;
  let coder: RunningAgent;
  let typist: Typist;
  let reviewerId: string;

  beforeAll(async () => {
    stage = await Stage.set({ config: `${SCRIPTED_PROFILE}delivery: { input_poll_interval: 0.5 }`, where });
    await startScriptedAgent({ tmux: stage.tmux, name: "reviewer" });
    coder = await stage.enter("coder", { settings: { permissions: { allow: ["Bash(sleep:*)"] } } });
    typist = await stage.typist(coder);
    reviewerId = (await stage.session("reviewer"))?.id ?? "";
  });
  beforeEach(() => stage.untilIdle("coder"));
  afterAll(() => stage?.strike());

  const sendAsReviewer = (body: string, more = {}) =>
    stage.send("coder", body, { claims: { user: PERSON, session: reviewerId }, ...more });

  const whole = (shortId: string, body: string) =>
    `[message from: reviewer (${reviewerId}) #${shortId}]\n${body}\n— from session ${reviewerId}. To reply: bellhop send ${reviewerId} "<your reply>"`;

  const shows = (text: string) =>
    coder.terminal.waitForScreen((seen) => seen.includes(text), { timeoutMs: PATIENCE_MS });

  const say = async (prompt: string) => {
    await typist.type(prompt);
    await shows(prompt.slice(-20));
    typist.press("\r");
    return stage.model.waitForPrompt(prompt, { timeoutMs: PATIENCE_MS });
  };

  it("hands a message of another agent to an idle one", async (test) => {
    const body = "The tests are green; 四つ 🙂.\nTwo lines\n\n# and a head";
    const sent = await sendAsReviewer(body);
    expect(await stage.arrives(sent)).toContain(`\n${whole(sent.shortId, body)}\n`);
    const read = await stage.reaches(sent, "read");
    expect(read).toMatchObject({ transport: "native", evidence: "submitted", attempts: 1 });
    expect(read.receipts.map(({ state }) => state)).toEqual(["queued", "delivering", "delivered", "read"]);
    proves(test, { program: "claude", terminal: where, scene: "idle", rung: "native", outcome: "delivered" });
  });

  it("hands a normal message to a busy one, and keeps an idle one back", async (test) => {
    const turn = await say("work on it [[busy]]");
    const idle = await sendAsReviewer("idle while it works", { priority: "idle" });
    const normal = await sendAsReviewer("normal while it works");
    const handed = await stage.reaches(normal, "delivered");
    expect(handed).toMatchObject({ transport: "native", evidence: "queued-in-agent" });
    expect(turn.endedAtMs).toBeUndefined();
    await stage.held(idle, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    expect(await stage.arrives(normal)).toContain(whole(normal.shortId, "normal while it works"));
    expect(turn.aborted).toBe(false);
    const read = await stage.reaches(normal, "read");
    expect(read.receipts.flatMap(({ evidence }) => evidence ?? [])).toEqual(["queued-in-agent", "submitted"]);
    expect(await stage.arrives(idle)).toContain(whole(idle.shortId, "idle while it works"));
    const [first, second] = [normal, idle].map(({ shortId }) =>
      stage.readings().findIndex((text) => text.includes(`#${shortId}]`)),
    );
    expect(first).toBeLessThan(second ?? -1);
    expect(await stage.reaches(idle, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
    proves(test, { program: "claude", terminal: where, scene: "busy", rung: "native", outcome: "delivered" });
  });

  it("stops, for an urgent message, also the turn that begins with what lies in its inbox", async (test) => {
    const turn = await say("work until you are stopped [[busy]]");
    const normal = await sendAsReviewer("a long task of another agent [[busy]]");
    expect(await stage.reaches(normal, "delivered")).toMatchObject({ evidence: "queued-in-agent" });
    const urgent = await sendAsReviewer("stop and look", { priority: "interrupt" });
    expect(await stage.arrives(urgent)).toContain(whole(urgent.shortId, "stop and look"));
    const task = stage.model.requests.find(({ newPrompts }) =>
      newPrompts.some((prompt) => prompt.includes(`#${normal.shortId}]`)),
    );
    expect([turn.aborted, task?.aborted]).toEqual([true, true]);
    expect(await stage.reaches(urgent, "read")).toMatchObject({ interrupted: true, attempts: 1 });
    expect(stage.bellhop.log().match(/interrupt\.pressed/gu)).toHaveLength(2);
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "urgent",
      rung: "native",
      outcome: "stops the turn",
    });
  });

  it("is read in the middle of a turn, with the result of a tool", async () => {
    await say("first a command [[bash sleep 4]]");
    await shows("sleep 4");
    const sent = await sendAsReviewer("read me in the middle");
    const carries = ({ body }: { readonly body: unknown }) =>
      JSON.stringify(body).includes(`#${sent.shortId}]`);
    const request = await stage.model.waitForRequest(carries, { timeoutMs: PATIENCE_MS });
    expect(request.toolResults).toHaveLength(1);
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
  });

  it("leaves a draft alone, and does not wait for it", async (test) => {
    await typist.type("my own unsent thought");
    await shows("my own unsent thought");
    const sent = await sendAsReviewer("past the draft");
    expect(await stage.arrives(sent)).toContain(whole(sent.shortId, "past the draft"));
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
    const { drafts } = await stage.client.call("draft_show", { who: "coder" });
    expect(drafts).toEqual([]);
    await stage.untilIdle("coder");
    typist.press("\r");
    await stage.model.waitForPrompt("my own unsent thought", { timeoutMs: PATIENCE_MS });
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "draft",
      rung: "native",
      outcome: "not touched",
    });
  });

  it("hands over 100 KB exactly", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await sendAsReviewer(body);
    expect(await stage.arrives(sent)).toContain(`\n${whole(sent.shortId, body)}\n`);
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
  });

  it("hands over ten messages at once, none mixed, none lost", async (test) => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(400)}`,
    );
    const all = await Promise.all(bodies.map((body) => sendAsReviewer(body)));
    for (const [index, sent] of all.entries()) {
      expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "native", evidence: "submitted" });
      const text = await stage.arrives(sent);
      expect(text).toContain(whole(sent.shortId, bodies[index] ?? ""));
      expect(stage.copiesOf(sent)).toBe(1);
    }
    proves(test, {
      program: "claude",
      terminal: where,
      scene: "ten at once",
      rung: "native",
      outcome: "each once",
    });
  });

  it("types what a person says to an idle one: its inbox would say that its user did not", async () => {
    await coder.terminal.untilQuiet();
    const sent = await stage.send("coder", "from me to you");
    expect(await stage.arrives(sent)).toBe(`[message from: ${PERSON} #${sent.shortId}] from me to you`);
    expect(await stage.reaches(sent, "read")).toMatchObject({ transport: "paste", evidence: "submitted" });
  });
});
