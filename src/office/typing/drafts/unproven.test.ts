import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { restart } from "../../../../tests/desk/crashes.ts";
import { type Desk, oneAgent } from "../../../../tests/desk/desk.ts";
import type { Step } from "../../base/steps.ts";

const STALE_MS = 120_000;
const DRAFT = "half a thought";

/** An unproven release, with a person's text in its composer. */
async function withDraft(): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent({ program: "unproven" });
  coder.program.stashKey = "after-its-write";
  coder.program.types(DRAFT);
  await desk.advance(3_000);
  return { desk, coder };
}

describe("a draft in a release whose stash key takes effect after the write it came in", () => {
  it("is never sent together with the message", async () => {
    const { desk, coder } = await withDraft();
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 30_000);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe(DRAFT);
    expect(desk.drafts()).toMatchObject([{ state: "restored", how: "stash" }]);
  });

  it("is mixed where the keys are one write: what the careful way is for", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.stashKey = "after-its-write";
    coder.program.types(DRAFT);
    await desk.advance(3_000);
    await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 30_000);
    expect(coder.program.submitted[0]).toMatch(/^half a thought\[message from/);
  });

  it("is not moved, and the message waits, where the stash key does nothing", async () => {
    const { desk, coder } = await withDraft();
    coder.program.stashKey = "is-swallowed";
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS * 5);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" }, attempts: 0 });
    expect(desk.delivery(sent).hold?.release).toContain("had no effect");
    expect(coder.program.draft).toBe(DRAFT);
    const unmoved = { state: "restored", note: expect.stringContaining("never moved") };
    expect(desk.drafts()).toMatchObject([unmoved, unmoved]);
    // The key is not pressed endlessly for the same text.
    expect(coder.program.terminal.received.toString().split("\x1b[115;5u")).toHaveLength(3);
    coder.program.sends();
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("holds the message where the stash shows no sign, and comes back", async () => {
    const { desk, coder } = await withDraft();
    coder.program.stashSign = "unknown";
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 30_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });
    expect(coder.program.draft).toBe(DRAFT);
    expect(desk.drafts()[0]).toMatchObject({ state: "restored" });
    expect(coder.program.submitted).toEqual([]);
  });

  it("stays apart from what a person types between the stash and the message", async () => {
    const { desk, coder } = await withDraft();
    let typed = false;
    coder.program.onStash = () => {
      if (!typed) queueMicrotask(() => coder.program.types("wait"));
      typed = true;
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 20_000);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe("wait");
    expect(coder.program.stash).toBe(DRAFT);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued" });
    expect((await desk.use.queue({ who: "coder" })).drafts).toMatchObject([{ text: DRAFT }]);
    coder.program.erases();
    await desk.advance(STALE_MS + 60_000);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(coder.program.draft).toBe(DRAFT);
    expect(desk.drafts().map(({ state }) => state)).not.toContain("left-to-person");
  });

  it("is the person's again when they pop it themselves", async () => {
    const { desk, coder } = await withDraft();
    let popped = false;
    coder.program.onStash = () => {
      if (!popped)
        queueMicrotask(() => {
          coder.program.stash = undefined;
          coder.program.types(DRAFT);
        });
      popped = true;
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 10_000);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe(DRAFT);
    await desk.advance(STALE_MS + 60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.draft).toBe(DRAFT);
  });

  it("comes back when the final gate refuses the message", async () => {
    const { desk, coder } = await withDraft();
    const sent = await desk.send("coder", "hello");
    let refusals = 0;
    desk.onStep((step) => {
      if (step !== "draft.cleared" || refusals > 0) return;
      refusals += 1;
      coder.program.terminal.answerGate({ kind: "refused", because: ["typing"] });
    });
    await desk.advance(STALE_MS + 30_000);
    expect(refusals).toBe(1);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe(DRAFT);
    await desk.advance(STALE_MS + 60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe(DRAFT);
  });
});

describe("a daemon that dies while a draft is set aside in the careful way", () => {
  it.each<Step>([
    "draft.persisted",
    "draft.key-pressed",
    "draft.cleared",
    "deliver.marked",
    "paste.before-keys",
    "paste.after-keys",
  ])("at %s: the draft comes back, the message goes in once", async (step) => {
    const { desk, coder } = await withDraft();
    desk.crashAt(step);
    const sent = await desk.send("coder", "hello");
    await desk.advance(STALE_MS + 30_000);
    expect(desk.crashed).toBe(true);
    await restart(desk);
    await desk.advance(2 * STALE_MS);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe(DRAFT);
    expect(desk.drafts().map(({ state }) => state)).not.toContain("left-to-person");
  });
});
