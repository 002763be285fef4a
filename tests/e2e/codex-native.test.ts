import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showsCodexPermissionDialog } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { CodexDesk, courseOf, millisecondsTo, PATIENCE_MS, PERSON } from "./codex-desk.ts";

beforeAll(assertInNamespace);

describe("Codex by its own queue", () => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let typist: Typist;
  let reviewerId: string;

  beforeAll(async () => {
    desk = await CodexDesk.open(
      `${SCRIPTED_PROFILE}delivery: { input_poll_interval: 0.5, input_stale_timeout: 2 }`,
    );
    const reviewer = await startScriptedAgent({ tmux: desk.tmux, name: "reviewer" });
    coder = await desk.seat("coder");
    typist = await desk.typist(coder);
    const { sessions } = await desk.client.call("ls", {});
    reviewerId = sessions.find(({ terminal }) => terminal?.pane === reviewer.pane)?.id ?? "";
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const say = (prompt: string) => desk.say(typist, coder, prompt);
  const sendAsReviewer = (to: string, body: string, more = {}) =>
    desk.send(to, body, { claims: { user: PERSON, session: reviewerId }, ...more });
  const whole = (shortId: string, body: string) =>
    `[message from: reviewer (${reviewerId}) #${shortId}]\n${body}\n— from session ${reviewerId}. To reply: bellhop send ${reviewerId} "<your reply>"`;

  it("takes a message of another agent when idle, also before its first prompt", async () => {
    for (const body of ["/quit is text; 四つ 🙂\n\n!ls too\n# and a head", "the second"]) {
      await desk.untilIdle(coder);
      const sentAt = Date.now();
      const sent = await sendAsReviewer("coder", body);
      const { prompt, request } = await desk.arrives(sent);
      expect(prompt).toBe(whole(sent.shortId, body));
      const read = await desk.reaches(sent, "read");
      expect(read).toMatchObject({ transport: "native", evidence: "submitted", attempts: 1 });
      expect(courseOf(read)).toEqual(["queued", "delivering", "delivered", "read"]);
      console.log(
        "idle, native: the model saw it after",
        request.startedAtMs - sentAt,
        "ms; delivered",
        millisecondsTo(read, "delivered"),
      );
    }
  });

  it("queues normal behind a running turn without touching it; idle waits with us", async () => {
    const turn = await say("work on it [[slow 6]]");
    const normal = await sendAsReviewer("coder", "normal while it works");
    const idle = await sendAsReviewer("coder", "idle while it works", { priority: "idle" });
    await desk.isHeld(idle, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    const { prompt, request } = await desk.arrives(normal);
    expect(prompt).toBe(whole(normal.shortId, "normal while it works"));
    expect(turn.aborted).toBe(false);
    expect(request.startedAtMs).toBeGreaterThanOrEqual(turn.endedAtMs ?? Number.POSITIVE_INFINITY);
    console.log(
      "queued in Codex: taken",
      request.startedAtMs - (turn.endedAtMs ?? 0),
      "ms after the turn's end",
    );
    expect(await desk.reaches(normal, "read")).toMatchObject({
      transport: "native",
      evidence: "submitted",
      attempts: 1,
    });
    expect((await desk.arrives(idle)).prompt).toBe(whole(idle.shortId, "idle while it works"));
    expect(await desk.reaches(idle, "read")).toMatchObject({
      transport: "native",
      evidence: "submitted",
      attempts: 1,
    });
  });

  it("leaves a draft where it is", async () => {
    const draft = "私の下書き\n  stays here 🙂";
    await typist.type(draft);
    await desk.shows(coder, "stays here");
    const sent = await sendAsReviewer("coder", "past the draft");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "past the draft"));
    expect(await desk.reaches(sent, "read")).toMatchObject({
      transport: "native",
      evidence: "submitted",
      attempts: 1,
    });
    await desk.untilIdle(coder);
    typist.press("\r");
    await desk.model.waitForPrompt(draft, { timeoutMs: PATIENCE_MS });
  });

  it("waits behind a permission dialog", async () => {
    await say("go on [[escalate touch allowed]]");
    await desk.tmux.waitForScreen(coder.pane, showsCodexPermissionDialog, { timeoutMs: PATIENCE_MS });
    const sent = await sendAsReviewer("coder", "y");
    await desk.isHeld(sent, "blocked");
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
    typist.press("\x1b");
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, "y"));
    expect(existsSync(join(coder.repo, "allowed"))).toBe(false);
  });

  it("interrupts, and what Codex had queued before still runs", async () => {
    const turn = await say("a long story [[slow 40]]");
    await desk.shows(coder, "word3");
    const normal = await sendAsReviewer("coder", "queued before the interrupt");
    const sentAt = Date.now();
    const urgent = await sendAsReviewer("coder", "stop and look", { priority: "interrupt" });
    const { request } = await desk.arrives(urgent);
    console.log("interrupt:", request.startedAtMs - sentAt, "ms");
    expect(turn.aborted).toBe(true);
    await desk.arrives(normal);
    for (const sent of [urgent, normal]) console.log(await desk.reaches(sent, "delivered"));
  });

  it("takes 100 KB whole", async () => {
    const body = Array.from({ length: 1000 }, (_, line) => `${line} ${"-".repeat(90)} 四つ 🙂`).join("\n");
    const sent = await sendAsReviewer("coder", body);
    expect((await desk.arrives(sent)).prompt).toBe(whole(sent.shortId, body));
    expect(await desk.reaches(sent, "read")).toMatchObject({
      transport: "native",
      evidence: "submitted",
      attempts: 1,
    });
  });

  it("gets a person's message by paste: an inbox would tell the model that its user did not write it", async () => {
    const sent = await desk.send("coder", "I am your user");
    expect((await desk.arrives(sent)).prompt).toBe(
      `[message from: ${PERSON} #${sent.shortId}] I am your user`,
    );
    expect(await desk.reaches(sent, "read")).toMatchObject({
      transport: "paste",
      evidence: "submitted",
      attempts: 1,
    });
  });

  it("gives each window its own messages, in other folders and in the same one", async () => {
    const left = await desk.seat("left");
    const right = await desk.seat("right", { repo: left.repo });
    const windows = [coder, left, right];
    const sent = await Promise.all(
      windows.map(async (window, index) => {
        const { id } = (await desk.sessionAt(window)) ?? { id: "" };
        return {
          window,
          messages: await Promise.all(
            [1, 2].map((round) => sendAsReviewer(id, `round ${round} for window ${index}`)),
          ),
        };
      }),
    );
    const conversations = new Set<string>();
    for (const { window, messages } of sent) {
      for (const message of messages) {
        const { request } = await desk.arrives(message);
        expect(await desk.reaches(message, "read")).toMatchObject({
          transport: "native",
          evidence: "submitted",
          attempts: 1,
        });
        conversations.add(`${window.session} ${request.conversation}`);
      }
    }
    expect(conversations.size).toBe(3);
    for (const { window, messages } of sent) {
      const screen = await desk.tmux.capture(window.pane);
      for (const { shortId } of messages) expect(screen).toContain(shortId);
      const foreign = sent.filter((other) => other.window !== window).flatMap((other) => other.messages);
      for (const { shortId } of foreign) expect(screen).not.toContain(shortId);
    }
  });
});
