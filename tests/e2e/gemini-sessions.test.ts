import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { showsGeminiComposer } from "../rig/gemini.ts";
import type { HostedTerminal } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { GeminiDesk, PATIENCE_MS, PERSON } from "./gemini-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const STEPS = ["paste.before-keys", "paste.after-keys"] as const;
const pasted = (shortId: string, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;

describe.each(PLACES)("Gemini CLI when the daemon is killed during a delivery, in %s", (where) => {
  let desk: GeminiDesk;
  let coder: RunningAgent;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]", where);
    coder = await desk.seat("coder");
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  it.each(STEPS)("at %s, the next one finds it, and the message arrives once", async (step) => {
    const sent = await desk.sendInto(step, "coder", `at ${step}`);
    await desk.reaches(sent, "delivered");
    expect((await desk.arrives(sent)).prompt).toBe(pasted(sent.shortId, `at ${step}`));
    expect(desk.copiesOf(sent), JSON.stringify(await desk.delivery(sent))).toBe(1);
    expect((await desk.delivery(sent)).possibleDuplicate).toBeUndefined();
  });
});

describe("Gemini CLI, hosted", () => {
  let desk: GeminiDesk;
  let coder: RunningAgent;
  let terminal: HostedTerminal;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]", "hosted");
    coder = await desk.seat("coder");
    terminal = desk.hosted.opened(coder.pane);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  it("goes on with its conversation after stop and resume, and begins a new one after restart", async (context) => {
    const before = await desk.send("coder", "remember the number seven");
    await desk.reaches(before, "read");
    expect(await desk.bellhop.run(["stop", "coder"])).toMatchObject({ code: 0 });
    expect(await terminal.program()).toBe("ended");
    const away = await desk.send("coder", "while you were out");
    await desk.isHeld(away, "offline");

    expect(await desk.hosted.again("resume", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    const { request: resumed } = await desk.arrives(away);
    expect(JSON.stringify(resumed.body)).toContain("remember the number seven");
    await desk.reaches(away, "read");
    await desk.untilIdle(coder);

    expect(await desk.hosted.again("restart", terminal)).toMatchObject({
      agent: "coder",
      sessionId: coder.pane,
    });
    await terminal.waitForScreen(showsGeminiComposer, { timeoutMs: PATIENCE_MS });
    const anew = await desk.send("coder", "who are you now?");
    expect(JSON.stringify((await desk.arrives(anew)).request.body)).not.toContain("the number seven");
    await desk.reaches(anew, "read");
    proves(context, {
      program: "gemini",
      terminal: "hosted",
      scene: "resume",
      rung: "paste",
      outcome: "delivered",
    });
  });
});

describe.each(PLACES)("Gemini CLI without hooks, in %s", (where) => {
  let desk: GeminiDesk;
  let coder: RunningAgent;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]", where);
    coder = await desk.seat("coder", { beforeStart: () => {} });
  });
  beforeEach(() => desk.untilIdle(coder));
  afterAll(() => desk?.close());

  it("goes by the screen, waits for the end of a turn, and never claims more", async () => {
    const sent = await desk.send("coder", "think about it [[busy]]");
    const { request: turn } = await desk.arrives(sent);
    expect((await desk.reaches(sent, "delivered")).evidence).toBe("screen");
    const next = await desk.send("coder", "while it works");
    await desk.isHeld(next, "busy");
    turn.finish();
    expect((await desk.arrives(next)).prompt).toBe(pasted(next.shortId, "while it works"));
    expect(turn).toMatchObject({ aborted: false, endedAtMs: expect.any(Number) });
    expect((await desk.reaches(sent, "read")).receipts.at(-1)).toMatchObject({ evidence: "screen" });
    expect(desk.copiesOf(sent)).toBe(1);
  });
});

describe("Gemini CLI in tmux, started again by its user", () => {
  let desk: GeminiDesk;

  beforeAll(async () => {
    desk = await GeminiDesk.open("transports: [paste]");
  });
  afterAll(() => desk?.close());

  it("gets what was sent meanwhile, in the conversation that it resumes", async (context) => {
    const first = await desk.seat("coder");
    const before = await desk.send("coder", "remember the number nine");
    await desk.reaches(before, "read");
    const typist = await desk.typist(first);
    // It ends at the second within a second.
    const hasQuit = async () => {
      typist.press("\x04");
      return (await desk.sessionIn(first)) === undefined;
    };
    await until(hasQuit, "it to quit", PATIENCE_MS);
    const away = await desk.send("coder", "while you were out");
    await desk.isHeld(away, "offline");
    const again = await desk.seat("coder-again", {
      repo: first.repo,
      args: ["--resume", "latest"],
      beforeStart: () => {},
    });
    const { request } = await desk.arrives(away);
    expect(JSON.stringify(request.body)).toContain("remember the number nine");
    expect((await desk.sessionIn(again))?.agent).toBe("coder");
    proves(context, {
      program: "gemini",
      terminal: "tmux",
      scene: "resume",
      rung: "paste",
      outcome: "delivered",
    });
  });

  it("gives up its name with its window, though it goes on without one", async () => {
    const first = await desk.seat("leaver");
    const { id } = (await desk.sessionIn(first)) ?? {};
    await desk.tmux.run("kill-session", "-t", first.session);
    const listed = async () => (await desk.client.call("ls", {})).sessions.map((session) => session.id);
    await until(async () => !(await listed()).includes(id ?? ""), "its session to end", PATIENCE_MS);
    const again = await desk.seat("leaver-again", { repo: first.repo, beforeStart: () => {} });
    expect((await desk.sessionIn(again))?.agent).toBe("leaver");
  });
});
