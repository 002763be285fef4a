import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { PLACES } from "../rig/agent-terminal.ts";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { CodexDesk, courseOf, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./codex-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Codex by its own queue, in %s", (where) => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let typist: Typist;
  let reviewerId: string;

  beforeAll(async () => {
    desk = await CodexDesk.open("", where);
    reviewerId = (await desk.seatScripted("reviewer")).id;
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const PROVEN = { transport: "native", evidence: "submitted", attempts: 1 };
  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const sendAsReviewer = (body: string, more: Partial<SendRequest> = {}) =>
    desk.send("coder", body, { claims: { user: PERSON, session: reviewerId }, ...more });
  const whole = (shortId: string, body: string) =>
    `[message from: reviewer (${reviewerId}) #${shortId}]\n${body}\n— from session ${reviewerId}. To reply: bellhop send ${reviewerId} "<your reply>"`;

  it.for([
    ["before its first prompt", "/quit is text; 四つ 🙂\n\n!ls too\n# and a head"],
    ["later", "the second"],
  ])("takes a message of another agent when idle, %s", async ([, body = ""], test) => {
    const sent = await sendAsReviewer(body);
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, body));
    const read = await desk.reaches(sent, "read");
    expect(read).toMatchObject(PROVEN);
    expect(courseOf(read)).toEqual(WHOLE_COURSE);
    proves(test, { program: "codex", terminal: where, scene: "idle", rung: "native", outcome: "delivered" });
  });

  it("queues normal behind a running turn without touching it; idle waits with us", async (test) => {
    const turn = await say("work on it [[busy]]");
    const normal = await sendAsReviewer("normal while it works");
    const idle = await sendAsReviewer("idle while it works", { priority: "idle" });
    await desk.isHeld(idle, "busy");
    expect(await desk.reaches(normal, "delivered")).toMatchObject({
      transport: "native",
      evidence: "queued-in-agent",
    });
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    const { prompt, request } = await desk.arrives(normal);
    expect(prompt).toBe(whole(normal.shortId, "normal while it works"));
    expect(turn.aborted).toBe(false);
    expect(request.startedAtMs).toBeGreaterThanOrEqual(turn.endedAtMs ?? Number.POSITIVE_INFINITY);
    expect(await desk.reaches(normal, "read")).toMatchObject(PROVEN);
    expect((await desk.arrives(idle)).prompt).toBe(whole(idle.shortId, "idle while it works"));
    expect(await desk.reaches(idle, "read")).toMatchObject(PROVEN);
    proves(test, { program: "codex", terminal: where, scene: "busy", rung: "native", outcome: "delivered" });
  });

  it("leaves a draft where it is", async (test) => {
    const draft = "私の下書き\n  stays here 🙂";
    await typist.type(draft);
    await desk.shows(coder, "stays here");
    const sent = await sendAsReviewer("past the draft");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "past the draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    await desk.untilIdle(coder);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "draft",
      rung: "native",
      outcome: "not touched",
    });
  });

  it("never answers a permission dialog with a message", async (test) => {
    await say("go on [[escalate touch allowed]]");
    await desk.shows(coder, showsCodexPermissionDialog);
    const sent = await sendAsReviewer("y");
    await desk.isHeld(sent, "blocked");
    expect(showsCodexPermissionDialog(await coder.terminal.screen())).toBe(true);
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "y"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "dialog",
      rung: "native",
      outcome: "never answered",
    });
  });

  it("interrupts a turn at once, and what Codex had queued before still runs", async (test) => {
    const turn = await say("a long story [[busy]]");
    await desk.shows(coder, "word3");
    const normal = await sendAsReviewer("queued before the interrupt");
    const urgent = await sendAsReviewer("stop and look", { priority: "interrupt" });
    const first = await desk.arrives(urgent);
    expect(first.prompt).toBe(whole(urgent.shortId, "stop and look"));
    expect(turn.aborted).toBe(true);
    const second = await desk.arrives(normal);
    expect(second.prompt).toBe(whole(normal.shortId, "queued before the interrupt"));
    expect(second.request.startedAtMs).toBeGreaterThan(first.request.startedAtMs);
    for (const sent of [urgent, normal]) expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "urgent",
      rung: "native",
      outcome: "stops the turn",
    });
  });

  it("takes 100 KB whole", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await sendAsReviewer(body);
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, body));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async (test) => {
    const bodies = Array.from(
      { length: 10 },
      (_, index) => `number ${index} of ten: ${String(index).repeat(40)}`,
    );
    const sent = await Promise.all(
      bodies.map((body) =>
        desk.bellhop.json<{ messageId: string; shortId: string }>([
          "send",
          "coder",
          body,
          "--from",
          "reviewer",
        ]),
      ),
    );
    for (const each of sent) expect(await desk.reaches(each, "read")).toMatchObject(PROVEN);
    const read = desk.readings().join("\n\n");
    for (const [index, body] of bodies.entries()) {
      expect(read.split(whole(sent[index]?.shortId ?? "", body))).toHaveLength(2);
    }
    proves(test, {
      program: "codex",
      terminal: where,
      scene: "ten at once",
      rung: "native",
      outcome: "each once",
    });
  });

  it("gets a person's message by paste: an inbox would tell the model that its user did not write it", async () => {
    const sent = await desk.send("coder", "I am your user");
    expect((await desk.arrives(sent)).prompt).toBe(
      `[message from: ${PERSON} #${sent.shortId}] I am your user`,
    );
    expect(await desk.reaches(sent, "read")).toMatchObject({ ...PROVEN, transport: "paste" });
  });
});
