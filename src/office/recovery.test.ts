import { describe, expect, it } from "vitest";
import { type Desk, type DeskAgent, oneAgent, openDesk } from "../../tests/office-desk.ts";
import type { DeskProgram } from "../../tests/office-profiles.ts";
import type { SendRequest, SendResponse } from "../wire/shapes/messages.ts";
import type { Step } from "./steps.ts";

interface Scene {
  readonly desk: Desk;
  readonly coder: DeskAgent;
  readonly sent: SendResponse;
}

/** A message was on its way when the daemon was killed at this step. */
async function killedAt(
  step: Step,
  program: DeskProgram = "plain",
  more: Partial<SendRequest> = {},
): Promise<Scene> {
  const { desk, coder } = await oneAgent({ program });
  desk.crashAt(step);
  const sent = await desk.send("coder", "hello", more);
  await desk.advance(15_000);
  expect(desk.crashed).toBe(true);
  return { desk, coder, sent };
}

async function restart(desk: Desk, spooled: Parameters<Desk["open"]>[0] = []): Promise<void> {
  await desk.advance(1_000);
  await desk.open(spooled);
  await desk.advance(20_000);
}

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
    const other = desk.agent("coder", { inPlaceOf: coder });
    await restart(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "offline" } });
    expect(other.program.terminal.received).toHaveLength(0);
    expect((await desk.use.ls({})).sessions).toMatchObject([{ agent: "coder-2" }]);
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
      // A stash is neither cleared nor brought back by keys of ours.
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
