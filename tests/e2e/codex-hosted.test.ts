import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showsCodexComposer } from "../rig/codex.ts";
import { untilDraftIsBack } from "../rig/draft-back.ts";
import type { ModelRequest } from "../rig/fake-model.ts";
import { type HostedTerminal, NO_SESSION, PARENTS_VARIABLES } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { CodexDesk, PATIENCE_MS, PERSON } from "./codex-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const PASTE_STEPS = ["paste.before-keys", "paste.after-keys"] as const;
const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;

/** What tmux panes do not have; tests for both kinds of terminal are in the other lists. */
describe("Codex, hosted", () => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let terminal: HostedTerminal;

  beforeAll(async () => {
    desk = await CodexDesk.open("transports: [paste]", "hosted");
    coder = await desk.seat("coder");
    terminal = desk.hosted.opened(coder.pane);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  const requestWith = (text: string): Promise<ModelRequest> =>
    desk.model.waitForRequest(({ newPrompts }) => newPrompts.some((prompt) => prompt.includes(text)), {
      timeoutMs: PATIENCE_MS,
    });

  it("has nothing of the session in which it was started", async () => {
    const environ = readFileSync(`/proc/${await terminal.program()}/environ`, "utf8").split("\0");
    for (const [name, value] of Object.entries(PARENTS_VARIABLES)) {
      expect(environ).not.toContain(`${name}=${value}`);
    }
    expect(environ).toContain(`BELLHOP_SESSION_ID=${coder.pane}`);
    expect(environ).toContain("BELLHOP_AGENT=coder");
  });

  describe("when the daemon is killed", () => {
    const killedAt = async (step: string) => {
      const { hostPid } = terminal.record;
      const sent = await desk.sendInto(step, "coder", `at ${step}`);
      await desk.reaches(sent, "delivered");
      expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, `at ${step}`));
      expect(desk.copiesOf(sent), JSON.stringify(await desk.delivery(sent))).toBe(1);
      expect((await desk.delivery(sent)).possibleDuplicate).toBeUndefined();
      expect(terminal.record.hostPid).toBe(hostPid);
    };

    it.each(PASTE_STEPS)(
      "at %s, the next one finds the same terminal, and the message arrives once",
      killedAt,
    );

    it("after a draft was set aside, the message arrives and the draft comes back", async () => {
      const draft = "my draft 四つ 🙂\n  of two lines";
      const typist = await desk.typist(coder);
      await typist.type(draft);
      await desk.shows(coder, "of two lines");
      await killedAt("draft.cleared");
      const kept = async () => (await desk.client.call("draft_show", { who: "coder" })).drafts;
      await untilDraftIsBack(kept, coder.terminal, PATIENCE_MS);
      await desk.untilIdle(coder);
      typist.press("\r");
      await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    });
  });

  it("goes on with its conversation after stop and resume, and begins a new one after restart", async (test) => {
    const before = await desk.send("coder", "remember the number seven");
    const { request: first } = await desk.arrives(before);
    await desk.reaches(before, "read");
    expect(await desk.bellhop.run(["stop", "coder"])).toMatchObject({ code: 0 });
    expect(await terminal.program()).toBe("ended");
    const away = await desk.send("coder", "while you were out");
    await desk.isHeld(away, "offline");

    expect(await desk.hosted.again("resume", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    const resumed = await requestWith(`#${away.shortId}]`);
    expect(resumed.conversation).toBe(first.conversation);
    expect(JSON.stringify(resumed.body)).toContain("remember the number seven");
    await desk.reaches(away, "read");
    await desk.untilIdle(coder);

    expect(await desk.hosted.again("restart", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    await terminal.waitForScreen(showsCodexComposer, { timeoutMs: PATIENCE_MS });
    const anew = await desk.send("coder", "who are you now?");
    const fresh = await requestWith(`#${anew.shortId}]`);
    await desk.reaches(anew, "read");
    expect(fresh.conversation).not.toBe(first.conversation);
    expect(JSON.stringify(fresh.body)).not.toContain("remember the number seven");
    proves(test, {
      program: "codex",
      terminal: "hosted",
      scene: "resume",
      rung: "paste",
      outcome: "delivered",
    });
  });
});

describe("Codex, hosted, without hooks", () => {
  let desk: CodexDesk;
  let coder: RunningAgent;

  beforeAll(async () => {
    desk = await CodexDesk.open("transports: [paste]", "hosted");
    coder = await desk.seat("coder", { beforeStart: () => {} });
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  it("goes by the transcript or the screen, and never claims more", async () => {
    const sent = await desk.send("coder", "nobody reports here");
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "nobody reports here"));
    const delivered = await desk.reaches(sent, "delivered");
    expect(delivered.transport).toBe("paste");
    expect(delivered.evidence).toMatch(/^(?:transcript|screen)$/u);
    expect(desk.copiesOf(sent)).toBe(1);
  });

  it("says that it is read when the turn that was seen has ended, and not before", async () => {
    const sent = await desk.send("coder", "think about it [[slow 6]]");
    const read = await desk.reaches(sent, "read");
    expect(read.receipts.at(-1)).toMatchObject({ state: "read", evidence: "screen" });
    const turn = desk.model.requests.find(({ newPrompts }) =>
      newPrompts.join().includes(`#${sent.shortId}]`),
    );
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
  });

  it("waits for the end of a running turn, and behind a draft, by the screen alone", async () => {
    const typist = await desk.typist(coder);
    const turn = await desk.say(typist, coder, "work on it [[busy]]");
    const sent = await desk.send("coder", "while it works");
    await desk.isHeld(sent, "busy");
    await typist.type("my own thought");
    await desk.shows(coder, "› my own thought");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, "while it works"));
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
    await desk.reaches(sent, "delivered");
    const kept = async () => (await desk.client.call("draft_show", { who: "coder" })).drafts;
    await untilDraftIsBack(kept, coder.terminal, PATIENCE_MS);
    // Only a hook could say that it is idle, because there is text in its composer. Codex shows what a person submits
    // while it ends a turn, but does not send it to the model, so this person waits for the line that ends the turn.
    await desk.shows(coder, (screen) =>
      /\bWorked for\b[^›]*› my own thought/u.test(screen.slice(screen.indexOf(`#${sent.shortId}]`))),
    );
    typist.press("\r");
    await desk.model.waitForPrompt("my own thought", { timeoutMs: PATIENCE_MS });
  });

  it("is told when a child of its kind has ended its first turn, which nobody reports", async () => {
    const { command } = desk.hosted.opened(coder.pane).record;
    const words = [
      "spawn",
      "count the lights [[slow 3]]",
      "--name",
      "child",
      "--cwd",
      coder.repo,
      "--wait",
      "--json",
    ];
    const spawned = await desk.hosted.typed<{ sessionId: string; shortId: string; state: string }>(
      [...words, "--", ...command],
      { ...desk.hosted.opened(coder.pane).environment, ...NO_SESSION, BELLHOP_SESSION_ID: coder.pane },
    );
    expect(spawned.state).toBe("read");
    const turn = desk.model.requests.find(({ newPrompts }) =>
      newPrompts.join().includes(`#${spawned.shortId}]`),
    );
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
    const notice = `[bellhop] child (${spawned.sessionId}) has ended its first turn`;
    const told = await desk.model.waitForRequest(({ newPrompts }) => newPrompts.join().includes(notice), {
      timeoutMs: PATIENCE_MS,
    });
    expect(told.conversation).not.toBe(turn?.conversation);
  });
});
