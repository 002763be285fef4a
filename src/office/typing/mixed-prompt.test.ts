import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { restart } from "../../../tests/desk/crashes.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

const STALE_MS = 120_000;
const DRAFT = "my half-typed idea";
const REASON = "sent together with other text";

/** A release that was believed to be proven, but appends our text to the draft. */
async function gluing(hooks: "hooked" | "none"): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent({ program: "stashing" });
  if (hooks === "hooked") await desk.hooked(coder);
  coder.program.stashKey = "after-its-write";
  return { desk, coder };
}

async function overDraft(desk: Desk, coder: DeskAgent): Promise<SendResponse> {
  coder.program.types(DRAFT);
  await desk.advance(3_000);
  return desk.send("coder", "hello");
}

const toldTo = async (desk: Desk, who: string) =>
  (await desk.done(desk.use.inbox({ who, claims: { user: "dev" } }))).entries
    .map(({ message }) => message.body)
    .filter((body) => body.includes("together with other text"));

describe("a prompt that was submitted with other text around ours", () => {
  it("is unconfirmed with that reason, and the screen is not believed instead", async () => {
    const { desk, coder } = await gluing("hooked");
    const sent = await overDraft(desk, coder);
    await desk.advance(STALE_MS + 30_000);
    expect(coder.program.submitted[0]).toMatch(/^my half-typed idea\[message from/u);
    expect(desk.delivery(sent)).toMatchObject({ state: "unconfirmed", attempts: 1 });
    expect(desk.lastNote(sent)).toBe(REASON);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("is told to the person, in their mailbox and at the terminal", async () => {
    const { desk, coder } = await gluing("hooked");
    const sent = await overDraft(desk, coder);
    await desk.advance(STALE_MS + 30_000);
    const told = await toldTo(desk, "person/dev");
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`bellhop show ${sent.shortId}`);
    expect(coder.program.terminal.announcements.join()).toContain("sent together with a message");
  });

  it("is told to the agent that sent it, and to the owner", async () => {
    const { desk, coder } = await gluing("hooked");
    const peer = desk.agent("peer");
    await desk.done(desk.use.ls({}));
    await desk.advance(5_000);
    coder.program.types(DRAFT);
    await desk.advance(3_000);
    await desk.sendAs(peer, "coder", "hello");
    await desk.advance(STALE_MS + 60_000);
    expect(await toldTo(desk, "person/dev")).toHaveLength(1);
    expect(peer.program.submitted.filter((text) => text.includes("together with other text"))).toHaveLength(
      1,
    );
  });

  it("is known by its screen alone where no hook and no session file tells", async () => {
    const { desk, coder } = await gluing("none");
    const sent = await overDraft(desk, coder);
    await desk.advance(STALE_MS + 30_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(REASON);
  });

  it("is known by the session file", async () => {
    const { desk, coder } = await gluing("none");
    coder.program.echoes = "no";
    desk.transcript = () => ({ kind: "mixed" });
    const sent = await overDraft(desk, coder);
    await desk.advance(STALE_MS + 30_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(REASON);
  });

  it.each([
    ["in lines before it", (prompt: string) => `${DRAFT}\n${prompt}`],
    ["behind it", (prompt: string) => `${prompt} ${DRAFT}`],
    ["in lines behind it", (prompt: string) => `${prompt}\n${DRAFT}`],
  ])("is no proof with text %s, though the header opens a line", async (_, arrived) => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    coder.program.onSubmit = (prompt) =>
      desk.tell(coder, { turn: "prompt-submitted", prompt: arrived(prompt) });
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(REASON);
  });

  it("is ours alone with other white space", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    coder.program.onSubmit = (prompt) =>
      desk.tell(coder, { turn: "prompt-submitted", prompt: `${prompt.replaceAll("\n", "\u2028")}  ` });
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("gives the reason also when its hook comes late, and says so once", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    coder.program.echoes = "no";
    let late = "";
    coder.program.onSubmit = (prompt) => {
      late = `${prompt} ${DRAFT}`;
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    for (let times = 0; times < 2; times += 1)
      await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: late }));
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(desk.lastNote(sent)).toBe(REASON);
    expect(await toldTo(desk, "person/dev")).toHaveLength(1);
  });

  it("does not stop a person who quotes a message that arrived before", async () => {
    const { desk, coder } = await oneAgent();
    await desk.hooked(coder);
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    await desk.turnEnds(coder);
    const quoted = `[message from: dev #${sent.shortId}] hello\nwhat is this?`;
    const answer = await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: quoted }));
    expect(answer).toEqual({});
    expect(desk.state(sent)).toBe("read");
  });
});

describe("a daemon that dies around such a prompt", () => {
  it.each(["paste.after-keys", "hook.recorded", "deliver.proven"] as const)(
    "at %s: the next one judges it the same, types nothing again, and tells the person",
    async (step) => {
      const { desk, coder } = await gluing("hooked");
      desk.crashAt(step);
      const sent = await overDraft(desk, coder);
      await desk.advance(STALE_MS + 30_000);
      expect(desk.crashed).toBe(true);
      await restart(desk);
      expect(desk.state(sent)).toBe("unconfirmed");
      expect(desk.lastNote(sent)).toBe(REASON);
      expect(coder.program.submitted).toHaveLength(1);
      expect((await toldTo(desk, "person/dev")).length).toBeGreaterThan(0);
    },
  );
});
