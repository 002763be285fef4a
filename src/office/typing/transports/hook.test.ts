import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../../tests/desk/desk.ts";
import { type HookFate, startHooks, toolEnds, turnEnds, works } from "../../../../tests/desk/hook-script.ts";
import type { SendResponse } from "../../../wire/shapes/messages.ts";
import { NOT_PRINTED, PRINTED_ONLY } from "./hook.ts";

interface Scene {
  readonly desk: Desk;
  readonly coder: DeskAgent;
  readonly reviewer: DeskAgent;
}

/** A program at work whose hooks take text, and another agent that writes to it. */
async function atWork(): Promise<Scene> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "answering" });
  const reviewer = desk.agent("reviewer");
  await desk.ready();
  await startHooks(desk, coder);
  await works(desk, coder);
  return { desk, coder, reviewer };
}

/** Its session file shows whatever a hook printed. */
function withSessionFile({ desk }: Scene, shows: (token: string) => boolean = () => true): void {
  desk.transcript = (token) => (shows(token) ? { kind: "found", as: "turn" } : { kind: "absent" });
}

const settled = async ({ desk }: Scene, sent: SendResponse) => {
  await desk.advance(20_000);
  return desk.delivery(sent);
};

describe("a text in the answer to a hook", () => {
  it("goes with the result of a tool, and is read when the turn ends", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    await desk.advance(1_000);
    expect(desk.delivery(sent).hold).toMatchObject({
      reason: "busy",
      release: "when its next tool has run, or the running turn has ended",
    });
    withSessionFile(scene);
    const { text } = await toolEnds(desk, coder);
    expect(text).toMatch(/^\[message from: reviewer \(\w+\) #\w{6}\]\nlook here\n/u);
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({
      state: "delivered",
      transport: "hook",
      evidence: "transcript",
    });
    await turnEnds(desk, coder);
    expect(desk.state(sent)).toBe("read");
    expect(coder.program.submitted).toEqual([]);
  });

  it("starts the next turn when one ends, and is read at the end of that", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const idle = await desk.sendAs(reviewer, "coder", "when you have time", { priority: "idle" });
    const normal = await desk.sendAs(reviewer, "coder", "look here");
    withSessionFile(scene);
    const { text } = await turnEnds(desk, coder);
    expect(text?.match(/\[message from:/gu)).toHaveLength(2);
    await desk.advance(30_000);
    for (const sent of [idle, normal]) expect(desk.state(sent)).toBe("delivered");
    expect((await desk.use.ls({})).sessions.find(({ agent }) => agent === "coder")?.readiness).toBe("busy");
    await turnEnds(desk, coder, {}, { continued: true });
    for (const sent of [idle, normal]) expect(desk.state(sent)).toBe("read");
  });

  it("is read although the end of its turn was reported before its proof was found", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    await turnEnds(desk, coder);
    await desk.advance(50);
    await turnEnds(desk, coder, {}, { continued: true });
    expect(desk.state(sent)).toBe("delivering");
    withSessionFile(scene);
    expect((await settled(scene, sent)).state).toBe("read");
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered", "read"]);
  });

  it("is written down before it leaves, and again when it is proven", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    const states: string[] = [];
    desk.onStep((step) => {
      if (step === "hook.before-hand-over") states.push(desk.state(sent));
    });
    const offered = await desk.done(
      desk.hook(coder, { name: "tool", ofTool: true, takes: true, programSessionId: "c-1" }),
    );
    expect(desk.state(sent)).toBe("queued");
    expect(offered.take).toBeDefined();
    expect(states).toEqual([]);
    withSessionFile(scene);
    desk.onStep((step) => {
      if (step === "hook.before-hand-over") states.push(desk.state(sent));
    });
    const code = offered.take ?? "";
    const hook = { pid: 1, startedAt: "7", parentPid: 1, argv: [code], command: "curl" };
    const { agentPid, agentStartedAt } = coder.sighting.identity;
    desk.tree = () => [hook];
    desk.lineage = () => [hook, { pid: agentPid, startedAt: agentStartedAt }];
    expect(await desk.done(desk.use.hook_take({ code, pid: 1 }))).toHaveProperty("output");
    expect(states).toEqual(["delivering"]);
  });

  it("names a file if it is longer than the program takes", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "word ".repeat(1_000));
    withSessionFile(scene);
    const { text } = await toolEnds(desk, coder);
    expect(text).toMatch(/^\[message from: [^\]]+\] Read \/\S+/u);
    expect(Buffer.byteLength(text ?? "")).toBeLessThan(2_000);
    await desk.advance(1_000);
    await turnEnds(desk, coder);
    // Nothing has shown that the file was opened.
    expect(desk.state(sent)).toBe("delivered");
  });
});

describe("what follows a hook's answer decides what is proven", () => {
  const handed = async (fate: HookFate, transcript: Desk["transcript"]) => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    desk.transcript = transcript;
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    const run = await toolEnds(desk, coder, fate);
    return { ...scene, sent, run, delivery: await settled(scene, sent) };
  };

  it("printed, and no session file to read: accepted", async () => {
    const { delivery } = await handed({}, () => ({ kind: "unreadable", why: "no file" }));
    expect(delivery).toMatchObject({ state: "delivered", transport: "hook", evidence: "accepted" });
  });

  it("printed, and the session file does not show it: unconfirmed, and hooks are not used again", async () => {
    const { delivery, desk, coder, reviewer, sent } = await handed({}, () => ({ kind: "absent" }));
    expect(delivery.state).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(PRINTED_ONLY);
    await desk.sendAs(reviewer, "coder", "and this");
    expect(await toolEnds(desk, coder)).toEqual({ text: undefined, code: undefined });
  });

  it("printed, not shown, and reported once more by the spool: still unconfirmed", async () => {
    const { desk, coder, sent, run } = await handed({}, () => ({ kind: "absent" }));
    expect(desk.lastNote(sent)).toBe(PRINTED_ONLY);
    await desk.done(
      desk.hook(coder, { name: "AnswerPrinted", printed: run.code ?? "", programSessionId: "c-1" }),
    );
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("not printed, and the session file does not show it: it waits for the next way in", async () => {
    const { delivery, desk, coder, sent } = await handed({ ends: "dies-unprinted" }, () => ({
      kind: "absent",
    }));
    expect(delivery).toMatchObject({ state: "queued", attempts: 0, possibleDuplicate: false });
    desk.transcript = () => ({ kind: "found", as: "turn" });
    expect((await toolEnds(desk, coder)).text).toContain("look here");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", attempts: 1 });
  });

  it("not printed, and nobody can tell: unconfirmed; a late report proves it", async () => {
    const { delivery, desk, coder, sent, run } = await handed({ ends: "mute" }, () => ({
      kind: "unreadable",
      why: "no file",
    }));
    expect(delivery.state).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(NOT_PRINTED);
    await desk.done(
      desk.hook(coder, { name: "AnswerPrinted", printed: run.code ?? "", programSessionId: "c-1" }),
    );
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "accepted" });
  });

  it("a hook that reports our text as a prompt proves that it was submitted", async () => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    const { text } = await turnEnds(desk, coder, { ends: "mute" });
    await desk.done(
      desk.hook(coder, { turn: "prompt-submitted", prompt: text ?? "", programSessionId: "c-1" }),
    );
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });
});

describe("killed while a hook waits", () => {
  const killed = async (step: "hook.before-hand-over" | "hook.after-hand-over", more = {}) => {
    const scene = await atWork();
    const { desk, coder, reviewer } = scene;
    const sent = await desk.sendAs(reviewer, "coder", "look here", more);
    desk.transcript = () => ({ kind: "absent" });
    desk.crashAt(step);
    expect((await toolEnds(desk, coder)).text).toBeUndefined();
    desk.crashAt(undefined);
    expect(desk.state(sent)).toBe("delivering");
    return { ...scene, sent };
  };

  it.each(["hook.before-hand-over", "hook.after-hand-over"] as const)(
    "at %s: goes again if the session file does not show it",
    async (step) => {
      const { desk, sent } = await killed(step);
      await desk.open();
      await desk.advance(15_000);
      expect(desk.delivery(sent)).toMatchObject({ state: "queued", possibleDuplicate: false });
    },
  );

  it("is delivered if the session file shows it", async () => {
    const scene = await killed("hook.after-hand-over");
    withSessionFile(scene);
    await scene.desk.open();
    await scene.desk.advance(15_000);
    expect(scene.desk.delivery(scene.sent)).toMatchObject({ state: "delivered", evidence: "transcript" });
  });

  it("goes again as a possible duplicate if nobody can tell", async () => {
    const { desk, sent } = await killed("hook.after-hand-over");
    desk.transcript = () => ({ kind: "unreadable", why: "no file" });
    await desk.open();
    await desk.advance(15_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", possibleDuplicate: true });
  });

  it("does not go again if it was to go at most once", async () => {
    const { desk, sent } = await killed("hook.after-hand-over", { atMostOnce: true });
    desk.transcript = () => ({ kind: "unreadable", why: "no file" });
    await desk.open();
    await desk.advance(15_000);
    expect(desk.state(sent)).toBe("failed");
  });

  it("counts the report that it was printed, which came by the spool", async () => {
    const { desk, coder, sent } = await killed("hook.after-hand-over");
    desk.transcript = () => ({ kind: "unreadable", why: "no file" });
    const printed = desk.delivery(sent).attempt?.answer ?? "";
    await desk.open([desk.hookEvent(coder, { name: "AnswerPrinted", printed, programSessionId: "c-1" })]);
    await desk.advance(15_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "accepted" });
  });
});
