import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../../tests/desk/desk.ts";
import type { DeskProgram } from "../../../../tests/desk/profiles.ts";
import { MOST_COUNTED, restoredLine } from "./announcement.ts";

const STALE_MS = 120_000;
const ONE = "[bellhop] Your text was kept while delivering 1 message, and is back.";
const LEFT = "[bellhop] Your text is kept. To get it back: bellhop draft restore coder";

async function withDraft(program: DeskProgram): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent({ program });
  coder.program.types("half a thought");
  await desk.advance(3_000);
  return { desk, coder };
}

/** Sends, and waits until the draft was set aside and its outcome is known. */
async function deliverOver(desk: Desk, ...bodies: readonly string[]): Promise<void> {
  const before = desk.drafts().length;
  for (const body of bodies) await desk.send("coder", body);
  await desk.advance(STALE_MS + 60_000);
  expect(desk.drafts()).toHaveLength(before + 1);
}

describe("a draft that stands there again", () => {
  it.each(["plain", "recalling", "stashing"] as const)("is announced once (%s)", async (program) => {
    const { desk, coder } = await withDraft(program);
    await deliverOver(desk, "hello");
    await desk.advance(STALE_MS);
    expect(coder.program.draft).toBe("half a thought");
    expect(coder.program.terminal.announcements).toEqual([ONE]);
    expect(desk.warnings).toEqual([]);
  });

  it("is announced with the number of messages, however they were sent", async () => {
    const { desk, coder } = await withDraft("stashing");
    await deliverOver(desk, "one", "two", "three");
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.terminal.announcements).toEqual([
      "[bellhop] Your text was kept while delivering 3 messages, and is back.",
    ]);
  });

  it("is not announced with messages that went in before it was set aside", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.send("coder", "earlier");
    await desk.advance(20_000);
    expect(coder.program.submitted).toHaveLength(1);
    coder.program.types("half a thought");
    await deliverOver(desk, "later");
    expect(coder.program.submitted).toHaveLength(2);
    expect(coder.program.terminal.announcements).toEqual([ONE]);
  });

  it("is announced after a restart, with what went in before it", async () => {
    const { desk, coder } = await withDraft("plain");
    desk.crashAt("draft.before-restore");
    await deliverOver(desk, "hello");
    expect(desk.crashed).toBe(true);
    expect(coder.program.terminal.announcements).toEqual([]);
    await desk.open();
    await desk.advance(60_000);
    expect(coder.program.draft).toBe("half a thought");
    expect(coder.program.terminal.announcements).toEqual([ONE]);
  });

  it("is announced without a number when no message went in after all", async () => {
    const { desk, coder } = await withDraft("plain");
    desk.onStep((step) => {
      if (step === "draft.cleared") desk.disk.refuses = "delivering";
      if (step === "draft.restored") desk.disk.refuses = undefined;
    });
    await desk.send("coder", "hello");
    for (let second = 0; desk.drafts()[0]?.state !== "restored" && second < 200; second += 1)
      await desk.advance(1_000);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.terminal.announcements).toEqual(["[bellhop] Your text was kept, and is back."]);
    desk.expectFailures("courier.round_failed");
  });

  it("is not announced when it never moved", async () => {
    const { desk, coder } = await withDraft("stashing");
    await desk.send("coder", "hello");
    coder.program.terminal.answerGate({ kind: "sent" }, { kind: "refused", because: ["typing"] });
    for (let second = 0; desk.drafts().length === 0 && second < 200; second += 1) await desk.advance(1_000);
    expect(desk.drafts()).toMatchObject([{ state: "restored", note: "never moved" }]);
    expect(coder.program.terminal.announcements).toEqual([]);
  });

  it("is not announced while the owner does not want it, from one draft to the next", async () => {
    const { desk, coder } = await withDraft("stashing");
    desk.settings = { ...desk.settings, announceRestored: false };
    await deliverOver(desk, "hello");
    expect(coder.program.draft).toBe("half a thought");
    expect(coder.program.terminal.announcements).toEqual([]);
    desk.settings = { ...desk.settings, announceRestored: true };
    await deliverOver(desk, "hello again");
    expect(coder.program.terminal.announcements).toEqual([ONE]);
    desk.settings = { ...desk.settings, announceRestored: false };
    await deliverOver(desk, "and again");
    expect(coder.program.terminal.announcements).toEqual([ONE]);
  });

  it.each([
    ["does not answer", { kind: "unknown", cause: "late" }],
    ["is gone", { kind: "gone" }],
    ["breaks", new Error("broken")],
  ] as const)("is back also when the terminal %s, and the log says so", async (_, answer) => {
    const { desk, coder } = await withDraft("plain");
    coder.program.terminal.answerAnnounce(answer);
    await deliverOver(desk, "hello");
    expect(coder.program.draft).toBe("half a thought");
    expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
    expect(desk.warnings).toEqual(["draft.announce_failed"]);
  });

  it("is no trouble when nobody looks", async () => {
    const { desk, coder } = await withDraft("plain");
    coder.program.terminal.people = 0;
    await deliverOver(desk, "hello");
    expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
    expect(desk.warnings).toEqual([]);
  });
});

describe("a draft that is left to the person", () => {
  async function leftToPerson(desk: Desk, coder: DeskAgent): Promise<void> {
    coder.beforeAnswer = async () => {
      if (coder.program.submitted.length > 0 && coder.program.draft === "") coder.program.types("new words");
    };
    await deliverOver(desk, "hello");
    expect(desk.drafts()).toMatchObject([{ state: "left-to-person" }]);
  }

  it("is announced with the command that brings it back, and that does", async () => {
    const { desk, coder } = await withDraft("plain");
    await leftToPerson(desk, coder);
    expect(coder.program.terminal.announcements).toEqual([LEFT]);
    coder.program.erases();
    await desk.advance(3_000);
    await desk.done(desk.use.draft_restore({ who: "coder" }));
    expect(coder.program.draft).toBe("half a thought");
    // They asked for it and see it.
    expect(coder.program.terminal.announcements).toEqual([LEFT]);
  });

  it("is announced by the session's id where the agent's name means another session", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    const id = desk.sessionOf(coder);
    const session = desk.store.read.session(id);
    if (session === undefined) throw new Error("no session");
    await desk.store.write((tx) => tx.putSession({ ...session, main: false }));
    await desk.ready();
    coder.program.types("half a thought");
    await leftToPerson(desk, coder);
    expect(coder.program.terminal.announcements).toEqual([LEFT.replace("coder", id)]);
    coder.program.erases();
    await desk.advance(3_000);
    await desk.done(desk.use.draft_restore({ who: id }));
    expect(coder.program.draft).toBe("half a thought");
  });

  it("is kept without a word while the owner does not want any", async () => {
    const { desk, coder } = await withDraft("plain");
    desk.settings = { ...desk.settings, announceRestored: false };
    await leftToPerson(desk, coder);
    expect(coder.program.terminal.announcements).toEqual([]);
  });

  it("is kept also when it cannot be announced", async () => {
    const { desk, coder } = await withDraft("plain");
    coder.program.terminal.answerAnnounce(new Error("broken"));
    await leftToPerson(desk, coder);
    expect(desk.warnings).toEqual(["draft.announce_failed"]);
  });
});

describe("the line", () => {
  it("counts no further than it looked", () => {
    expect(restoredLine(MOST_COUNTED - 1)).toContain(" 98 messages,");
    expect(restoredLine(MOST_COUNTED)).toContain(" 99 or more messages,");
  });
});
