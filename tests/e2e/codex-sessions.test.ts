import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import { PLACES } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { CodexDesk, PERSON } from "./codex-desk.ts";
import { proves } from "./proving.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("several windows of Codex, which share one server, in %s", (where) => {
  let desk: CodexDesk;
  let coder: RunningAgent;
  let reviewerId: string;

  beforeAll(async () => {
    desk = await CodexDesk.open("", where);
    reviewerId = (await desk.seatScripted("reviewer")).id;
    coder = await desk.seat("coder");
  });
  afterEach(() => desk.allAlive());
  afterAll(() => desk?.close());

  const PROVEN = { transport: "native", evidence: "submitted", attempts: 1 };
  const sendAsReviewer = (to: string, body: string, more: Partial<SendRequest> = {}): Promise<SendResponse> =>
    desk.send(to, body, { claims: { user: PERSON, session: reviewerId }, ...more });

  it("each get their own messages, in other folders and in the same one", async () => {
    const left = await desk.seat("left");
    const right = await desk.seat("right", { repo: left.repo });
    const sent = await Promise.all(
      [coder, left, right].map(async (window) => {
        const { id } = (await desk.sessionIn(window)) ?? { id: "" };
        const bodies = ["first", "second"].map((word) => `the ${word} for ${window.session}`);
        return { window, messages: await Promise.all(bodies.map((body) => sendAsReviewer(id, body))) };
      }),
    );
    const conversations = new Set<string>();
    for (const { window, messages } of sent) {
      for (const message of messages) {
        const { request } = await desk.arrives(message);
        expect(await desk.reaches(message, "read")).toMatchObject(PROVEN);
        conversations.add(`${window.session} ${request.conversation}`);
      }
    }
    expect(conversations.size).toBe(3);
    for (const { window, messages } of sent) {
      const foreign = sent.filter((other) => other.window !== window).flatMap((other) => other.messages);
      const screen = await desk.shows(window, (seen) =>
        messages.every(({ shortId }) => seen.includes(shortId)),
      );
      for (const { shortId } of foreign) expect(screen).not.toContain(shortId);
    }
  });

  it("keep their messages when the daemon is killed during a turn", async () => {
    await desk.untilIdle(coder);
    const typist = await desk.typist(coder);
    const turn = await desk.say(typist, coder, "work on it [[busy]]");
    const normal = await sendAsReviewer("coder", "in the queue of Codex");
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

  // A hosted terminal has no shell under its program.
  if (where === "tmux")
    it("leave their messages waiting when they quit, and nothing reaches the shell; who resumes gets them", async (test) => {
      const leaver = await desk.seat("leaver", { under: "shell" });
      const typist = await desk.typist(leaver);
      await desk.say(typist, leaver, "remember me");
      await desk.untilIdle(leaver);
      await typist.type("/quit");
      await desk.shows(leaver, "/quit");
      typist.press("\r");
      const farewell = await desk.shows(leaver, (screen) => /codex resume \S+[\s\S]*[$#]\s*$/u.test(screen));
      const sent = await sendAsReviewer("leaver", "touch canary");
      await desk.isHeld(sent, "offline");

      const thread = /codex resume (\S+)/u.exec(farewell)?.[1] ?? "";
      const again = await desk.seat("again", { repo: leaver.repo, args: ["resume", thread] });
      await desk.arrives(sent);
      expect(await desk.reaches(sent, "read")).toMatchObject(PROVEN);
      expect((await desk.sessionIn(again))?.agent).toBe("leaver");
      expect(await leaver.terminal.screen()).not.toContain("canary");
      expect(existsSync(join(leaver.repo, "canary"))).toBe(false);
      proves(test, {
        program: "codex",
        terminal: where,
        scene: "resume",
        rung: "native",
        outcome: "delivered",
      });
    });

  it("may run without the server", async () => {
    const hermit = await desk.seat("hermit", { sharedServer: false });
    const first = await sendAsReviewer("hermit", "before the first prompt");
    await desk.arrives(first);
    expect(await desk.reaches(first, "read")).toMatchObject({ ...PROVEN, transport: "paste" });
    await desk.untilIdle(hermit);
    const question = await sendAsReviewer("hermit", "who are you?");
    desk.model.on(({ newPrompts }) => newPrompts.some((prompt) => prompt.includes(`#${question.shortId}]`)), {
      call: { shell: "bellhop send reviewer 'the hermit'" },
    });
    await desk.reaches(question, "replied");
  });
});
