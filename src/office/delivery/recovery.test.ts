import { describe, expect, it } from "vitest";
import { post } from "../../../tests/contract/store-samples.ts";
import { killedAt, restart, type Scene } from "../../../tests/desk/crashes.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";

describe("killed before the keys", () => {
  it.each(["deliver.chosen", "deliver.marked", "paste.before-keys"] as const)(
    "at %s: the screen is untouched, so it goes again with the same id",
    async (step) => {
      const { desk, coder, sent } = await killedAt(step);
      await restart(desk);
      expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
      expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: false });
    },
  );

  it("says what it found", async () => {
    const { desk, sent } = await killedAt("paste.before-keys");
    await desk.open();
    const notes = desk.store.read.receiptsOf(desk.delivery(sent).id).map(({ note }) => note);
    expect(notes.join()).toContain("provably not been submitted");
  });

  it("is marked as a possible duplicate when the screen has moved and nobody can say", async () => {
    const { desk, coder, sent } = await killedAt("paste.before-keys");
    coder.program.prints("output of something else");
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: true });
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.submitted[0]).toContain("(possible duplicate)");
  });

  it("goes again unmarked when hooks and transcript would have told", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    desk.crashAt("paste.before-keys");
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    coder.program.prints("output of something else");
    desk.transcript = () => ({ kind: "absent" });
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: false });
    expect(coder.program.submitted).toHaveLength(1);
  });
});

describe("killed between the text and the submit", () => {
  it.each(["two-step", "stashing"] as const)(
    "presses only the submit, never pastes again (%s)",
    async (program) => {
      const { desk, coder } = await oneAgent({ program });
      coder.program.enterKey = "is-swallowed";
      coder.program.eraseKey = "is-swallowed";
      coder.beforeAnswer = async () => desk.crash();
      const sent = await desk.send("coder", "hello");
      const prompt = `[message from: dev #${sent.shortId}] hello`;
      expect(coder.program.draft).toBe(prompt);
      coder.program.enterKey = "submits";
      coder.program.eraseKey = "erases";
      coder.beforeAnswer = async () => {};
      await restart(desk);
      expect(coder.program.submitted).toEqual([prompt]);
      expect(desk.delivery(sent)).toMatchObject({
        state: "delivered",
        evidence: "screen",
        possibleDuplicate: false,
      });
    },
  );

  it("leaves the text alone while someone types behind it, and says unconfirmed", async () => {
    const { desk, coder } = await oneAgent({ program: "two-step" });
    coder.beforeAnswer = async () => desk.crash();
    const sent = await desk.send("coder", "hello");
    coder.program.types("x");
    await desk.open();
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
    expect(desk.state(sent)).toBe("unconfirmed");
  });
});

describe("killed with our text in the composer and a person's words behind it", () => {
  it("never submits them, however long they have stood there", async () => {
    const { desk, coder } = await oneAgent({ program: "two-step" });
    coder.beforeAnswer = async () => desk.crash();
    const sent = await desk.send("coder", "hello");
    coder.program.types("x");
    await desk.advance(3_600_000);
    coder.beforeAnswer = async () => {};
    await desk.open();
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe(`[message from: dev #${sent.shortId}] hellox`);
    expect(desk.state(sent)).toBe("unconfirmed");
  });
});

describe("killed after the submit, before the receipt", () => {
  it("finds the hook in the spool", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    const prompt = coder.program.submitted[0] ?? "";
    await restart(desk, [desk.hookEvent(coder, { turn: "prompt-submitted", prompt })]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("finds the hook that was recorded before", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    desk.crashAt("deliver.proven");
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivering");
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("has it read, where the turn ended while nobody listened", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    const prompt = coder.program.submitted[0] ?? "";
    const submitted = desk.hookEvent(coder, { turn: "prompt-submitted", prompt });
    await desk.advance(500);
    await restart(desk, [submitted, desk.hookEvent(coder, { turn: "turn-ended" })]);
    expect(desk.delivery(sent)).toMatchObject({ state: "read", evidence: "submitted" });
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered", "read"]);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("does not take the end of a turn before it for its own", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    const before = desk.hookEvent(coder, { turn: "turn-ended" });
    await desk.advance(500);
    const prompt = coder.program.submitted[0] ?? "";
    await restart(desk, [before, desk.hookEvent(coder, { turn: "prompt-submitted", prompt })]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("does not take the end of another conversation's turn for its own", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    const prompt = coder.program.submitted[0] ?? "";
    const submitted = desk.hookEvent(coder, { turn: "prompt-submitted", prompt, conversation: "ses_mine" });
    await desk.advance(500);
    const ended = desk.hookEvent(coder, { turn: "turn-ended", conversation: "ses_other" });
    await restart(desk, [submitted, ended]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("finds the turn in the transcript", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    desk.transcript = () => ({ kind: "found", as: "turn" });
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "transcript" });
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("finds the text above the composer", async () => {
    const { desk, coder, sent } = await killedAt("paste.after-keys");
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({
      state: "delivered",
      evidence: "screen",
      possibleDuplicate: false,
    });
    expect(coder.program.submitted).toHaveLength(1);
  });

  async function withoutTrace(more: Partial<SendRequest> = {}): Promise<Scene> {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    coder.program.onSubmit = () => coder.program.prints("thinking");
    desk.crashAt("paste.after-keys");
    const sent = await desk.send("coder", "hello", more);
    expect(desk.crashed).toBe(true);
    return { desk, coder, sent };
  }

  it("sends it again as a possible duplicate when nothing can tell", async () => {
    const { desk, coder, sent } = await withoutTrace();
    coder.program.echoes = "yes";
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: true });
    expect(coder.program.submitted).toEqual([
      `[message from: dev #${sent.shortId}] hello`,
      `[message from: dev #${sent.shortId}] (possible duplicate) hello`,
    ]);
    expect((await desk.use.show({ id: sent.messageId })).deliveries).toMatchObject([
      { possibleDuplicate: true },
    ]);
  });

  it("gives up instead, where the sender wants it at most once", async () => {
    const { desk, coder, sent } = await withoutTrace({ atMostOnce: true });
    await restart(desk);
    expect(desk.state(sent)).toBe("failed");
    expect(desk.lastNote(sent)).toContain("at most once");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("brings a whole batch to the same end", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.pause({ who: "coder", paused: true });
    const one = await desk.send("coder", "one");
    const two = await desk.send("coder", "two");
    desk.crashAt("paste.after-keys");
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(5_000);
    expect(desk.crashed).toBe(true);
    await restart(desk);
    expect([one, two].map((sent) => desk.delivery(sent))).toMatchObject([
      { state: "delivered", evidence: "screen" },
      { state: "delivered", evidence: "screen" },
    ]);
    expect(coder.program.submitted).toHaveLength(1);
  });
});

describe("killed with a batch whose senders differ", () => {
  it("sends again only to those who take a second copy", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "otherwise";
    await desk.use.pause({ who: "coder", paused: true });
    const more = [{ atMostOnce: false }, { atMostOnce: true }, { atMostOnce: false }];
    const sent: SendResponse[] = [];
    for (const [at, one] of more.entries()) sent.push(await desk.send("coder", `message ${at}`, one));
    desk.crashAt("paste.after-keys");
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(5_000);
    expect(desk.crashed).toBe(true);
    await restart(desk);
    expect(sent.map((one) => desk.delivery(one))).toMatchObject([
      { state: "unconfirmed", possibleDuplicate: true },
      { state: "failed", possibleDuplicate: false },
      { state: "unconfirmed", possibleDuplicate: true },
    ]);
  });
});

describe("what another host has", () => {
  it("stays with it, however much it is, and hides nothing of ours", async () => {
    const { desk, sent } = await killedAt("deliver.marked");
    const { position } = desk.delivery(sent);
    await desk.store.write((tx) => {
      // An older Bellhop left it without an attempt; those of the other host are older.
      tx.updateDelivery(desk.delivery(sent).id, { attempt: null, position: position + 1e9 });
      for (let count = 0; count < 1_001; count += 1)
        post(tx, { delivery: { to: "host/laptop", state: "delivering", transport: "host" } });
    });
    await desk.open();
    const states = new Set(
      desk.store.read.deliveries({ mailboxes: ["host/laptop"] }).map(({ delivery }) => delivery.state),
    );
    expect([...states]).toEqual(["delivering"]);
    expect(desk.state(sent)).not.toBe("delivering");
  });
});
