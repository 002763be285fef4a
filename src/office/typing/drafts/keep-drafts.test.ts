import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, oneAgent, openDesk } from "../../../../tests/desk/desk.ts";
import type { DeskProgram } from "../../../../tests/desk/profiles.ts";

const STALE_MS = 120_000;

async function withDraft(program: DeskProgram, draft: string): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent({ program });
  coder.program.types(draft);
  await desk.advance(3_000);
  return { desk, coder };
}

describe("a person's draft", () => {
  it.each([
    ["plain", "fix the bug in 解析器"],
    ["recalling", "first line\n  second line, 日本語\n\nlast 👩‍👩‍👧"],
    ["stashing", "first line\n  second line, 日本語\n\nlast 👩‍👩‍👧"],
    ["unproven", "first line\n  second line, 日本語\n\nlast 👩‍👩‍👧"],
  ] as const)(
    "is set aside by %s once it is stale, and stands there again after the delivery",
    async (program, draft) => {
      const { desk, coder } = await withDraft(program, draft);
      const sent = await desk.send("coder", "hello");
      await desk.advance(STALE_MS - 1_000);
      expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" }, attempts: 0 });
      expect(coder.program.terminal.received).toHaveLength(0);
      await desk.advance(30_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
      expect(coder.program.draft).toBe(draft);
      expect(desk.drafts()).toMatchObject([{ state: "restored", text: draft }]);
      expect(coder.program.terminal.announcements).toHaveLength(1);
    },
  );

  it("starts its clock again with every change", async () => {
    const { desk, coder } = await withDraft("plain", "a");
    const sent = await desk.send("coder", "hello");
    for (let change = 0; change < 5; change += 1) {
      await desk.advance(STALE_MS - 10_000);
      coder.program.types("b");
    }
    await desk.advance(STALE_MS - 10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    expect(coder.program.terminal.received).toHaveLength(0);
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("abbbbb");
  });

  it("is not old because the same words stood there before, while nobody could type", async () => {
    const { desk, coder } = await withDraft("stashing", "continue");
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS - 20_000);
    // They send it; a turn runs; they type the same again.
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(30_000);
    coder.program.types("continue");
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    expect(coder.program.submitted).toEqual(["continue"]);
  });

  it("lets the message in at once when it is sent or removed", async () => {
    const { desk, coder } = await withDraft("plain", "never mind");
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    coder.program.erases();
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.drafts()).toEqual([]);
  });

  it("is kept and given back also for an interrupt, without waiting", async () => {
    const { desk, coder } = await withDraft("plain", "half a thought");
    const sent = await desk.send("coder", "fire!", { priority: "interrupt" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("half a thought");
  });

  it("is kept and given back when a person says now", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "now" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("half a thought");
  });

  it("is shown in the queue while it is set aside", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    coder.program.stashComesBack = "never";
    await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 10_000);
    expect((await desk.use.queue({})).drafts).toMatchObject([{ agent: "coder", text: "half a thought" }]);
    expect((await desk.use.queue({ who: "coder" })).drafts).toHaveLength(1);
    expect((await desk.use.draft_show({ who: "coder" })).drafts).toMatchObject([{ text: "half a thought" }]);
  });

  it("is in the log when it is set aside and when it is back, without its words", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.types("half a thought");
    await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 30_000);
    const about = desk.logged.filter(({ event }) => event.startsWith("draft."));
    expect(about).toMatchObject([
      { event: "draft.kept", how: "stash", characters: 14 },
      { event: "draft.settled", state: "restored" },
      { event: "draft.announced", to: 1 },
    ]);
    expect(JSON.stringify(desk.logged)).not.toContain("half a thought");
  });

  it("is on disk before the first key moves it", async () => {
    for (const program of ["plain", "recalling", "stashing", "unproven"] as const) {
      const { desk, coder } = await withDraft(program, "half a thought");
      desk.crashAt("draft.persisted");
      await desk.send("coder", "hello");
      await desk.advance(STALE_MS + 10_000);
      expect(desk.crashed).toBe(true);
      expect(coder.program.terminal.received).toHaveLength(0);
      expect(desk.drafts()).toMatchObject([{ text: "half a thought", state: "keeping" }]);
    }
  });
});

describe("a draft that cannot be kept", () => {
  it("holds the message and says why", async () => {
    const { desk, coder } = await withDraft("keepless", "half a thought");
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS * 2);
    const { hold } = desk.delivery(sent);
    expect(hold).toMatchObject({ reason: "typing" });
    expect(hold?.release).toContain("no key that clears its composer is configured");
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("holds where the screen does not show the text exactly", async () => {
    const { desk, coder } = await withDraft("plain", "family 👩‍👩‍👧");
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS * 2);
    expect(desk.delivery(sent).hold?.release).toContain("the screen does not show exactly what was typed");
    expect(coder.program.draft).toBe("family 👩‍👩‍👧");
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("holds while another draft lies in the program's stash", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    coder.program.stash = "an older one";
    coder.program.draw();
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS * 2);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("never moves when someone types in the very moment", async () => {
    for (const program of ["plain", "recalling", "stashing", "unproven"] as const) {
      const { desk, coder } = await withDraft(program, "half a thought");
      const sent = await desk.send("coder", "hello");
      // The dry run finds the gate open, but the key that would move the text is refused.
      coder.program.terminal.answerGate({ kind: "sent" }, { kind: "refused", because: ["typing"] });
      for (let second = 0; desk.drafts().length === 0 && second < 200; second += 1) await desk.advance(1_000);
      expect(coder.program.draft).toBe("half a thought");
      expect(desk.drafts()[0]).toMatchObject({
        state: "restored",
        note: expect.stringContaining("never moved"),
      });
      await desk.advance(STALE_MS + 20_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.draft).toBe("half a thought");
    }
  });
});

describe("bringing a draft back", () => {
  it.each(["plain", "recalling", "stashing", "unproven"] as const)(
    "happens also when the message was not typed after all (%s)",
    async (program) => {
      const { desk, coder } = await withDraft(program, "half a thought");
      desk.disk.refuses = "delivering";
      const sent = await desk.send("coder", "hello");
      await desk.advance(STALE_MS + 60_000);
      expect(desk.state(sent)).toBe("queued");
      expect(coder.program.submitted).toEqual([]);
      expect(coder.program.draft).toBe("half a thought");
      desk.disk.refuses = undefined;
      await desk.advance(STALE_MS + 60_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.draft).toBe("half a thought");
      desk.expectFailures("courier.round_failed");
    },
  );

  it("happens also when the message was cancelled in that moment", async () => {
    const { desk, coder } = await withDraft("plain", "half a thought");
    const sent = await desk.send("coder", "hello");
    desk.onStep((step) => {
      if (step === "draft.cleared")
        void desk.work.follow(desk.use.queue_change({ id: sent.messageId, change: "cancel" }));
    });
    await desk.advance(STALE_MS + 60_000);
    expect(desk.state(sent)).toBe("cancelled");
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe("half a thought");
    desk.expectFailures("courier.round_failed");
  });

  it.each(["plain", "recalling"] as const)(
    "leaves a composer alone that is not empty any more, and keeps the text (%s)",
    async (program) => {
      const { desk, coder } = await withDraft(program, "half a thought");
      coder.beforeAnswer = async () => {
        if (coder.program.submitted.length > 0 && coder.program.draft === "")
          coder.program.types("new words");
      };
      const sent = await desk.send("coder", "hello");
      await desk.advance(STALE_MS + 60_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.draft).toBe("new words");
      expect(desk.drafts()).toMatchObject([{ state: "left-to-person", text: "half a thought" }]);
      const restore = desk.done(desk.use.draft_restore({ who: "coder" }));
      await expect(restore).rejects.toMatchObject({ code: "draft.blocked" });
      expect(coder.program.draft).toBe("new words");
      coder.program.erases();
      await desk.advance(3_000);
      const { draft } = await desk.done(desk.use.draft_restore({ who: "coder" }));
      expect(draft).toMatchObject({ state: "restored", text: "half a thought" });
      expect(coder.program.draft).toBe("half a thought");
      expect(coder.program.submitted).toHaveLength(1);
    },
  );

  it("waits for the end of the turn where no composer shows before", async () => {
    for (const program of ["plain", "recalling"] as const) {
      const { desk, coder } = await oneAgent({ program });
      await desk.hooked(coder);
      coder.program.types("half a thought");
      const told = coder.program.onSubmit;
      coder.program.onSubmit = (prompt) => {
        coder.program.becomes({ composer: "hidden" });
        told(prompt);
      };
      const sent = await desk.send("coder", "hello");
      await desk.advance(STALE_MS + 60_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(desk.drafts()).not.toMatchObject([{ state: "restored" }]);
      coder.program.becomes({ composer: "shown" });
      await desk.turnEnds(coder);
      await desk.advance(10_000);
      expect(coder.program.draft).toBe("half a thought");
      expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
    }
  });

  it("happens by itself where no hook tells of the turn's end", async () => {
    const { desk, coder } = await withDraft("plain", "half a thought");
    coder.program.onSubmit = () => coder.program.becomes({ composer: "hidden" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 60_000);
    expect(desk.state(sent)).not.toBe("queued");
    coder.program.becomes({ composer: "shown" });
    await desk.advance(30_000);
    expect(coder.program.draft).toBe("half a thought");
    expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
  });

  it("pops a stash that did not come back by itself", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    coder.program.stashComesBack = "when-popped";
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("half a thought");
    expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
  });

  it("leaves a stash to the person that the program lost, and shows what could be read of it", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    coder.program.stashComesBack = "never";
    coder.program.onSubmit = () => {
      coder.program.stash = undefined;
    };
    await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 60_000);
    expect(desk.drafts()).toMatchObject([{ state: "left-to-person" }]);
    expect((await desk.use.queue({ who: "coder" })).drafts).toMatchObject([{ text: "half a thought" }]);
    await desk.done(desk.use.draft_restore({ who: "coder" }));
    expect(coder.program.draft).toBe("half a thought");
  });

  it("gives up a text that was left to the person, if they say so, and nothing else", async () => {
    const { desk, coder } = await withDraft("stashing", "half a thought");
    coder.program.stashComesBack = "never";
    coder.program.onSubmit = () => {
      coder.program.stash = undefined;
    };
    await expect(desk.use.draft_discard({ who: "coder" })).rejects.toMatchObject({ code: "draft.none" });
    await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 60_000);
    const { drafts } = await desk.use.draft_show({ who: "coder" });
    const [draft] = drafts;
    expect(draft).toMatchObject({ state: "left-to-person" });
    await expect(desk.use.draft_discard({ who: "coder", id: "other" })).rejects.toMatchObject({
      code: "draft.none",
    });
    const id = draft?.id ?? "";
    expect((await desk.use.draft_discard({ who: "coder", id })).drafts).toMatchObject([
      { id, state: "discarded" },
    ]);
    expect((await desk.use.draft_show({ who: "coder" })).drafts).toEqual([]);
    expect((await desk.use.queue({ who: "coder" })).drafts).toEqual([]);
    await expect(desk.use.draft_restore({ who: "coder" })).rejects.toMatchObject({ code: "draft.none" });
    expect(coder.program.draft).toBe("");
  });

  it("does not delay the receipt, nor miss the end of a short turn", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    coder.program.types("half a thought");
    coder.program.stashComesBack = "when-popped";
    const sent = await desk.send("coder", "hello", { priority: "interrupt" });
    for (let passed = 0; coder.program.submitted.length === 0 && passed < 200; passed += 1)
      await desk.advance(100);
    await desk.advance(200);
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { turn: "turn-ended" }));
    expect(desk.state(sent)).toBe("read");
    await desk.advance(30_000);
    expect(coder.program.draft).toBe("half a thought");
  });

  it("says that there is none when nothing was set aside", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await expect(desk.done(desk.use.draft_restore({ who: "coder" }))).rejects.toMatchObject({
      code: "draft.none",
    });
  });

  it("presses no Enter, ever", async () => {
    for (const program of ["plain", "recalling", "stashing", "unproven"] as const) {
      const { desk, coder } = await withDraft(program, "half a thought");
      await desk.send("coder", "hello");
      await desk.advance(STALE_MS + 60_000);
      expect(coder.program.submitted).toHaveLength(1);
      expect(coder.program.pressed).not.toContain("Enter");
    }
  });
});
