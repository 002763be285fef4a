import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { PLACES } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { showsOpencodePermissionDialog } from "../rig/opencode.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { courseOf, OpencodeDesk, PATIENCE_MS, PERSON, WHOLE_COURSE } from "./opencode-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

const SEEN = { program: "opencode", rung: "native" } as const;

describe.each(PLACES)("OpenCode by its own server, in %s", (terminal) => {
  let desk: OpencodeDesk;
  let coder: RunningAgent;
  let typist: Typist;
  let reviewerId: string;

  beforeAll(async () => {
    desk = await OpencodeDesk.open("", terminal);
    reviewerId = (await desk.seatScripted("reviewer")).id;
    coder = await desk.seat("coder", { permission: { bash: { "*": "allow", "touch *": "ask" } } });
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

  it("leaves a draft on the start page alone: the message waits until nothing is written there", async () => {
    await typist.type("not yet");
    await desk.shows(coder, "not yet");
    const sent = await sendAsReviewer("behind the first draft");
    await desk.isHeld(sent, "typing");
    expect(desk.model.prompts()).toEqual([]);
    typist.press("\x15");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "behind the first draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it.each(["/exit is text; 四つ 🙂\n\n!ls too\n# and a head", "the second"])(
    "takes a message of another agent when idle: %j",
    async (body) => {
      const sent = await sendAsReviewer(body);
      expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, body));
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject(PROVEN);
      expect(courseOf(read)).toEqual(WHOLE_COURSE);
    },
  );

  it("takes a person's message the same way: the model takes it for its user's words", async (context) => {
    const sent = await desk.send("coder", "I am your user");
    expect((await desk.arrives(sent)).prompt).toContain("I am your user");
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    proves(context, { ...SEEN, terminal, scene: "idle", outcome: "delivered" });
  });

  it("queues normal behind a running turn without touching it; idle waits with us", async (context) => {
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
    proves(context, { ...SEEN, terminal, scene: "busy", outcome: "delivered" });
  });

  it("leaves a draft where it is", async (context) => {
    const draft = "私の下書き stays here 🙂";
    await typist.type(draft);
    await desk.shows(coder, "stays here");
    const sent = await sendAsReviewer("past the draft");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "past the draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    await desk.untilIdle(coder);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
    proves(context, { ...SEEN, terminal, scene: "draft", outcome: "not touched" });
  });

  it("never answers a permission dialog with a message", async (context) => {
    await say("go on [[bash touch allowed]]");
    await desk.shows(coder, showsOpencodePermissionDialog);
    const sent = await sendAsReviewer("y");
    await desk.isHeld(sent, "blocked");
    expect(showsOpencodePermissionDialog(await coder.terminal.screen())).toBe(true);
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "y"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    proves(context, { ...SEEN, terminal, scene: "dialog", outcome: "never answered" });
  });

  it("gives a message its turn that was queued in front of a dialog which is then rejected", async () => {
    desk.model.on(
      ({ kind, userText }) => kind === "main" && userText.endsWith("then ask"),
      (request) => ({
        untilFinished: request.toolResults.length === 0,
        call: { shell: "touch rejected" },
      }),
    );
    const turn = await say("think, then ask");
    const sent = await sendAsReviewer("queued before the question");
    expect(await desk.reaches(sent, "delivered")).toMatchObject({ evidence: "queued-in-agent" });
    turn.finish();
    await desk.shows(coder, showsOpencodePermissionDialog);
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "queued before the question"));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(desk.copiesOf(sent)).toBe(1);
    expect(existsSync(join(coder.repo, "rejected"))).toBe(false);
  });

  it("interrupts a turn at once, and what OpenCode had queued before is read too", async (context) => {
    const turn = await say("a long story [[busy]]");
    await desk.shows(coder, "word3");
    const normal = await sendAsReviewer("queued before the interrupt");
    const urgent = await sendAsReviewer("stop and look", { priority: "interrupt" });
    expect((await desk.arrives(urgent)).prompt).toBe(whole(urgent.shortId, "stop and look"));
    expect(turn.aborted).toBe(true);
    expect((await desk.arrives(normal)).prompt).toBe(whole(normal.shortId, "queued before the interrupt"));
    for (const sent of [urgent, normal]) expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    for (const sent of [urgent, normal]) expect(desk.copiesOf(sent)).toBe(1);
    proves(context, { ...SEEN, terminal, scene: "urgent", outcome: "stops the turn" });
  });

  it("takes 100 KB whole", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await sendAsReviewer(body);
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, body));
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
  });

  it("delivers ten messages of ten processes, none mixed, none lost", async (context) => {
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
    for (const [index, body] of bodies.entries())
      expect(read.split(whole(sent[index]?.shortId ?? "", body))).toHaveLength(2);
    proves(context, { ...SEEN, terminal, scene: "ten at once", outcome: "each once" });
  });
});
