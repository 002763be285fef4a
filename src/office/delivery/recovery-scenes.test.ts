import { describe, expect, it } from "vitest";
import { killedAt, restart, type Scene } from "../../../tests/desk/crashes.ts";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import type { Step } from "../base/steps.ts";

describe("killed around a native hand-over", () => {
  async function killedInHandOver(step: Step, hooked: boolean): Promise<Scene> {
    const desk = await openDesk();
    const coder = desk.agent("coder", { program: "stashing" });
    const tester = desk.agent("tester");
    await desk.ready();
    if (hooked) await desk.hooked(coder);
    desk.inbox.offer = { kind: "offered" };
    desk.crashAt(step);
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(10_000);
    expect(desk.crashed).toBe(true);
    return { desk, coder, sent };
  }

  it("hands over again where hooks and transcript would have told", async () => {
    const { desk, coder, sent } = await killedInHandOver("native.before-hand-over", true);
    desk.transcript = () => ({ kind: "absent" });
    desk.inbox.answer = { kind: "handed-over", acknowledged: true };
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({
      state: "delivered",
      possibleDuplicate: false,
      transport: "native",
    });
    expect(desk.inbox.received).toHaveLength(1);
    expect(coder.program.submitted).toEqual([]);
  });

  it("marks the second copy where nothing can tell", async () => {
    const { desk, sent } = await killedInHandOver("native.after-hand-over", false);
    desk.inbox.answer = { kind: "handed-over", acknowledged: true };
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ possibleDuplicate: true });
    expect(desk.inbox.received[1]).toContain("(possible duplicate)");
  });

  it("does not take an untouched screen for proof: an inbox leaves none", async () => {
    const { desk, sent } = await killedInHandOver("native.after-hand-over", false);
    await restart(desk);
    expect(desk.delivery(sent).possibleDuplicate).toBe(true);
  });
});

describe("a program that ended meanwhile", () => {
  it("leaves its message waiting, marked, with the reason", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    desk.ends(coder);
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({
      state: "queued",
      possibleDuplicate: true,
      hold: { reason: "offline" },
    });
  });

  it("has its message given up where it was to go at most once", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys", "plain", { atMostOnce: true });
    desk.ends(coder);
    await restart(desk);
    expect(desk.state(sent)).toBe("failed");
  });

  it("is believed by the hook it left in the spool", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    await desk.store.write((tx) => {
      const session = tx.sessions()[0];
      if (session !== undefined) tx.putSession({ ...session, programSessionId: "conversation" });
    });
    const prompt = coder.program.submitted[0] ?? "";
    const hook = desk.hookEvent(coder, {
      turn: "prompt-submitted",
      prompt,
      programSessionId: "conversation",
    });
    desk.ends(coder);
    await restart(desk, [hook]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("is not the same when it was started again, however alike its screen", async () => {
    const { desk, coder, sent } = await killedAt("paste.before-keys");
    const id = desk.sessionOf(coder);
    desk.ends(coder);
    const again = desk.agent("coder", { environment: { BELLHOP_SESSION_ID: id } });
    await restart(desk);
    expect(desk.sessionOf(again)).toBe(id);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: true });
  });

  it("keeps its mail when another program takes its place", async () => {
    const { desk, coder, sent } = await killedAt("deliver.chosen");
    desk.ends(coder);
    const other = desk.agent("coder", { inPlaceOf: coder, program: "two-step" });
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "offline" } });
    expect(other.program.terminal.received).toHaveLength(0);
    expect((await desk.use.ls({})).sessions).toMatchObject([{ agent: "coder-2" }]);
  });
});

describe("what is answered while its witnesses are given their time", () => {
  it("is not sent again", async () => {
    const { desk, coder } = await oneAgent();
    desk.crashAt("paste.before-keys");
    const sent = await desk.send("coder", "hello");
    for (let passed = 0; !desk.crashed && passed < 15_000; passed += 50) await desk.advance(50);
    coder.program.prints("output of something else");
    await desk.open([]);
    expect(desk.state(sent)).toBe("delivering");
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    await desk.done(desk.use.reply({ id: sent.shortId, body: "yes", claims }));
    await desk.advance(20_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "replied"]);
    expect(coder.program.submitted).toEqual([]);
  });
});

describe("terminals that do not answer at the start", () => {
  it("decide nothing about what was in flight until they do", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys", "plain", { atMostOnce: true });
    desk.scan = "unknown";
    await restart(desk);
    expect(desk.state(sent)).toBe("delivering");
    desk.scan = "scanned";
    await desk.done(desk.office.scan());
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("leave no message without a word on why it waits", async () => {
    const { desk, sent } = await killedAt("deliver.chosen");
    expect(desk.delivery(sent).hold).toBeUndefined();
    desk.scan = "unknown";
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "unknown" } });
    desk.scan = "scanned";
    await desk.done(desk.office.scan());
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("decide it when they answer and the program is gone", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    desk.scan = "unknown";
    await restart(desk);
    desk.ends(coder);
    desk.scan = "scanned";
    await desk.done(desk.office.scan());
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({
      state: "queued",
      possibleDuplicate: true,
      hold: { reason: "offline" },
    });
  });
});

describe("killed with a draft set aside", () => {
  const steps = [
    "draft.persisted",
    "draft.cleared",
    "deliver.marked",
    "paste.before-keys",
    "paste.after-keys",
    "deliver.proven",
    "draft.before-restore",
  ] as const;

  it.each(
    (["plain", "recalling", "stashing"] as const).flatMap((program) =>
      steps.map((step) => [program, step] as const),
    ),
  )(
    "%s at %s: the text stands there again and the message arrives once, or marked",
    async (program, step) => {
      const { desk, coder } = await oneAgent({ program });
      coder.program.types("half a thought");
      await desk.advance(3_000);
      desk.crashAt(step);
      const sent = await desk.send("coder", "hello");
      await desk.advance(140_000);
      // Our keys neither clear a stash nor restore it.
      if (!desk.crashed) return expect(program).toBe("stashing");
      await desk.open();
      await desk.advance(160_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.submitted.length).toBeLessThanOrEqual(
        desk.delivery(sent).possibleDuplicate ? 2 : 1,
      );
      expect(coder.program.draft).toBe("half a thought");
      expect(desk.drafts().map(({ state }) => state)).not.toContain("kept");
    },
  );

  it("finds the text behind a prompt that nobody could prove", async () => {
    const { desk, coder } = await oneAgent({ program: "recalling" });
    coder.program.types("half a thought");
    coder.program.echoes = "otherwise";
    await desk.advance(3_000);
    desk.crashAt("paste.after-keys");
    const sent = await desk.send("coder", "hello", { priority: "interrupt" });
    await desk.advance(20_000);
    expect(desk.crashed).toBe(true);
    await desk.open();
    await desk.advance(30_000);
    expect(desk.delivery(sent).possibleDuplicate).toBe(true);
    expect(coder.program.draft).toBe("half a thought");
  });

  it("restores nothing before it has looked at what was in flight", async () => {
    const { desk, coder } = await oneAgent({ program: "recalling" });
    await desk.hooked(coder);
    coder.program.types("half a thought");
    desk.crashAt("paste.before-keys");
    const sent = await desk.send("coder", "hello", { priority: "interrupt" });
    await desk.advance(20_000);
    expect(desk.crashed).toBe(true);
    await desk.open([desk.hookEvent(coder, { turn: "turn-ended" })]);
    await desk.advance(200_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: false });
    expect(coder.program.draft).toBe("half a thought");
  });
});
