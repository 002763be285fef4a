import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { NATIVE_STEPS } from "../crash/native-steps.ts";
import { PLACES } from "../rig/agent-terminal.ts";
import type { HostedTerminal } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { showsOpencodeComposer } from "../rig/opencode.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { OpencodeDesk, PATIENCE_MS, PERSON } from "./opencode-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("windows of OpenCode, in %s", (terminal) => {
  let desk: OpencodeDesk;
  let coder: RunningAgent;
  let reviewerId: string;

  beforeAll(async () => {
    desk = await OpencodeDesk.open("", terminal);
    reviewerId = (await desk.seatScripted("reviewer")).id;
    coder = await desk.seat("coder");
  });
  beforeEach(() => desk.untilIdle(coder));
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const PROVEN = { transport: "native", evidence: "submitted", attempts: 1 };
  const sendAsReviewer = (to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> =>
    desk.send(to, body, { claims: { user: PERSON, session: reviewerId }, ...more });

  it("each get their own messages, also in the same folder", async () => {
    const other = await desk.seat("other", { repo: coder.repo });
    const sent = await Promise.all(
      [coder, other].map(async (window) => {
        const { id } = (await desk.sessionIn(window)) ?? { id: "" };
        return { window, message: await sendAsReviewer(id, `for ${window.session}`) };
      }),
    );
    const conversations = new Set<string>();
    for (const { window, message } of sent) {
      conversations.add((await desk.arrives(message)).request.conversation);
      expect(await desk.reaches(message, "read")).toMatchObject(PROVEN);
      const screen = await desk.shows(window, message.shortId);
      for (const { window: foreign, message: theirs } of sent)
        if (foreign !== window) expect(screen).not.toContain(theirs.shortId);
    }
    expect(conversations.size).toBe(2);
  });

  it("get messages into the conversation that they show, after /new too", async () => {
    const typist = await desk.typist(coder);
    const before = await desk.say(typist, coder, "the old conversation");
    await desk.untilIdle(coder);
    await desk.order(typist, coder, "/new");
    await desk.shows(coder, "Ask anything");
    const sent = await sendAsReviewer("coder", "into the new one");
    const { request } = await desk.arrives(sent);
    expect(request.conversation).not.toBe(before.conversation);
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    expect(await desk.shows(coder, sent.shortId)).not.toContain("the old conversation");
  });

  it("do not call a message read when another conversation in the window ends its turn", async () => {
    const typist = await desk.typist(coder);
    const sent = await sendAsReviewer("coder", "still at it [[busy]]");
    const { request } = await desk.arrives(sent);
    await desk.reaches(sent, "delivered");
    await desk.order(typist, coder, "/new");
    await desk.shows(coder, "Ask anything");
    await desk.say(typist, coder, "a quick one");
    await desk.untilIdle(coder);
    expect(request.endedAtMs).toBeUndefined();
    expect(await desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    request.finish();
    // Its own turn ends unseen; what comes next goes to the conversation that is shown.
    expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
    const next = await sendAsReviewer("coder", "where you are now");
    expect((await desk.arrives(next)).request.conversation).not.toBe(request.conversation);
    expect(await desk.reaches(next, "read")).toMatchObject(PROVEN);
  });

  it("keep their messages when the daemon is killed during a turn", async () => {
    const typist = await desk.typist(coder);
    const turn = await desk.say(typist, coder, "work on it [[busy]]");
    const normal = await sendAsReviewer("coder", "in the queue of OpenCode");
    const idle = await sendAsReviewer("coder", "in our own", { priority: "idle" });
    await desk.reaches(normal, "delivered");
    await desk.crashDaemon();
    await desk.isHeld(idle, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    for (const sent of [normal, idle]) {
      await desk.arrives(sent);
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect(desk.copiesOf(sent)).toBe(1);
    }
    expect(turn.aborted).toBe(false);
  });

  it.each(NATIVE_STEPS)("get a message once if the daemon is killed at %s", async (step) => {
    const sent = await desk.sendInto(step, "coder", `at ${step}`);
    await desk.reaches(sent, "delivered");
    await desk.arrives(sent);
    await desk.reaches(sent, "read");
    expect(desk.copiesOf(sent)).toBe(1);
    expect((await desk.delivery(sent)).possibleDuplicate).toBeUndefined();
  });

  if (terminal === "tmux")
    it("leave their messages waiting when they quit, and nothing reaches the shell; who resumes gets them", async (context) => {
      const leaver = await desk.seat("leaver", { under: "shell" });
      const typist = await desk.typist(leaver);
      await desk.say(typist, leaver, "remember me");
      await desk.untilIdle(leaver);
      const conversation = (await desk.client.call("transcript", { who: "leaver" })).file.split("#")[1] ?? "";
      await desk.order(typist, leaver, "/exit");
      await desk.shows(leaver, (screen) => /[$#]\s*$/u.test(screen));
      const sent = await sendAsReviewer("leaver", "touch canary");
      await desk.isHeld(sent, "offline");

      const again = await desk.seat("again", { repo: leaver.repo, args: ["--session", conversation] });
      const { request } = await desk.arrives(sent);
      expect(JSON.stringify(request.body)).toContain("remember me");
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect((await desk.sessionIn(again))?.agent).toBe("leaver");
      expect(await leaver.terminal.screen()).not.toContain("canary");
      expect(existsSync(join(leaver.repo, "canary"))).toBe(false);
      proves(context, {
        program: "opencode",
        terminal,
        scene: "resume",
        rung: "native",
        outcome: "delivered",
      });
    });
});

describe("OpenCode, hosted, without anybody at it", () => {
  let desk: OpencodeDesk;

  beforeAll(async () => {
    desk = await OpencodeDesk.open("", "hosted");
  });
  afterAll(() => desk?.close());

  it("waits while it is stopped, goes on with its conversation, and begins anew if it is told to", async (context) => {
    const coder = await desk.seat("coder");
    const window = coder.terminal as HostedTerminal;
    const before = await desk.send("coder", "remember the number seven");
    const { request: first } = await desk.arrives(before);
    await desk.reaches(before, "read");
    expect(await desk.bellhop.run(["stop", "coder"])).toMatchObject({ code: 0 });
    const away = await desk.send("coder", "while you were out");
    await desk.isHeld(away, "offline");

    const isBack = () => window.waitForScreen(showsOpencodeComposer, { timeoutMs: 2 * PATIENCE_MS });
    await desk.hosted.again("resume", window);
    await isBack();
    await desk.reaches(away, "delivered");
    const { request: resumed } = await desk.arrives(away);
    expect(resumed.conversation).toBe(first.conversation);
    expect(JSON.stringify(resumed.body)).toContain("remember the number seven");
    await desk.reaches(away, "read");
    await desk.untilIdle(coder);

    await desk.hosted.again("restart", window);
    await isBack();
    const anew = await desk.send("coder", "who are you now?");
    expect(JSON.stringify((await desk.arrives(anew)).request.body)).not.toContain("the number seven");
    await desk.reaches(anew, "read");
    proves(context, {
      program: "opencode",
      terminal: "hosted",
      scene: "resume",
      rung: "native",
      outcome: "delivered",
    });
  });

  it("keeps messages waiting without our plugin, and says what to do: nothing is typed", async () => {
    const bare = await desk.seat("bare", {
      home: join(desk.tmux.folder, "bare-home"),
      beforeStart: () => {},
    });
    const sent = await desk.send("bare", "is anybody there?");
    await desk.isHeld(sent, "unknown");
    expect((await desk.delivery(sent)).hold?.release).toContain("bellhop hooks install opencode");
    expect(await bare.terminal.screen()).not.toContain("is anybody there?");
  });
});
