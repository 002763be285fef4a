import { describe, expect, it } from "vitest";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";

async function why(desk: Desk, id: string): Promise<string> {
  const { deliveries } = await desk.use.explain({ id });
  return deliveries.flatMap(({ because }) => because).join(" ");
}

describe("explain", () => {
  it("says of a busy program when its message goes", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(await why(desk, sent.shortId)).toMatch(/held \(busy\).*when the running turn has ended.*is busy/u);
  });

  it("says of a draft how long it must stand still", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(await why(desk, sent.shortId)).toMatch(/held \(typing\).*unchanged for 120 s/u);
  });

  it("says of a dialog that it waits for an answer", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(await why(desk, sent.shortId)).toMatch(/held \(blocked\).*dialog is answered.*is blocked/u);
  });

  it("says of a paused queue how to let it go", async () => {
    const { desk } = await oneAgent();
    await desk.use.pause({ who: "coder", paused: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(await why(desk, sent.shortId)).toMatch(/held \(paused\).*bellhop queue unpause coder\./u);
  });

  it("says of a withheld message who keeps it", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "hold" });
    await desk.advance(1_000);
    const said = await why(desk, sent.shortId);
    expect(said).toContain(`It was held back by hand: release it with "bellhop queue now ${sent.shortId}".`);
    expect(said.match(/queue now/gu)).toHaveLength(1);
    expect(desk.delivery(sent).hold?.release).toBe(
      `when somebody releases it: bellhop queue now ${sent.shortId}`,
    );
  });

  it("says of an agent without a program that nobody runs for it", async () => {
    const { desk } = await oneAgent();
    await desk.use.agent_add({ name: "reviewer" });
    const sent = await desk.send("reviewer", "hello");
    expect(await why(desk, sent.shortId)).toMatch(
      /held \(offline\).*No program is running for agent\/reviewer/u,
    );
  });

  it("says of a screen that cannot be read what is wrong with it", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ composer: "hidden" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(await why(desk, sent.shortId)).toMatch(/held \(unknown\).*is unknown/u);
  });

  it("says of the message behind a full batch what it waits for", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...desk.settings, maxBatch: 1 };
    coder.program.types("half a thought");
    await desk.advance(3_000);
    await desk.send("coder", "first");
    const second = await desk.send("coder", "second");
    await desk.advance(10_000);
    expect(await why(desk, second.shortId)).toContain("when the messages before it are in");
  });

  it("says of a delivered message by what it was proven", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    expect(await why(desk, sent.shortId)).toBe("It was delivered (transport: paste, evidence: screen).");
  });

  it("says of an unconfirmed message what is missing", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(15_000);
    expect(await why(desk, sent.shortId)).toMatch(
      /It is unconfirmed \(transport: paste\): typed and submitted/u,
    );
  });

  it("says of a cancelled message who did it", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "cancel" });
    expect(await why(desk, sent.shortId)).toBe("It was cancelled: by hand.");
  });
});

describe("an id argument", () => {
  it("may be the message id, the short id with or without #, the delivery id, or a beginning", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    const delivery = desk.delivery(sent).id;
    for (const id of [
      sent.messageId,
      sent.shortId,
      `#${sent.shortId}`,
      delivery,
      sent.messageId.slice(0, 20),
    ]) {
      expect((await desk.use.show({ id })).message.id).toBe(sent.messageId);
    }
  });

  it("is refused when nothing or several fit", async () => {
    const { desk } = await oneAgent();
    await desk.send("coder", "one");
    await desk.send("coder", "two");
    await expect(desk.use.show({ id: "zzzzzz" })).rejects.toMatchObject({ code: "message.unknown" });
    await expect(desk.use.show({ id: "" })).rejects.toMatchObject({ code: "message.unknown" });
    await expect(desk.use.show({ id: "0000" })).rejects.toMatchObject({ code: "message.ambiguous" });
  });
});

describe("the queue", () => {
  it("stands in the order in which it goes out: by priority, the newest first where that is the rule, released ones ahead", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await desk.use.agent_add({ name: "reviewer" });
    const sent = new Map<string, string>();
    for (const [text, priority] of [
      ["idle one", "idle"],
      ["newest first one", "idle-first"],
      ["normal one", "normal"],
      ["idle two", "idle"],
      ["newest first two", "idle-first"],
      ["normal two", "normal"],
    ] as const)
      sent.set(text, (await desk.send("coder", text, { priority })).shortId);
    await desk.send("reviewer", "for another", { priority: "interrupt" });
    await desk.advance(1_000);
    const listed = async (who?: string) =>
      (await desk.use.queue(who === undefined ? {} : { who })).deliveries.map(({ preview }) => preview);
    const inOrder = [
      "normal one",
      "normal two",
      "newest first two",
      "newest first one",
      "idle one",
      "idle two",
    ];
    expect(await listed("coder")).toEqual(inOrder);
    // Grouped by owner, not interleaved with what waits for others.
    expect(await listed()).toEqual(["for another", ...inOrder]);
    coder.program.becomes({ dialog: "Allow reading?" });
    await desk.use.queue_change({ id: sent.get("idle two") ?? "", change: "now" });
    expect((await listed("coder"))[0]).toBe("idle two");
    const { deliveries } = await desk.use.session({ who: "coder" });
    expect(deliveries[0]?.preview).toBe("idle two");
  });

  it("lists what waits, in flight or unconfirmed, with holds, and nothing that is over", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const lost = await desk.send("coder", "lost");
    await desk.advance(15_000);
    coder.program.becomes({ busy: true });
    const waiting = await desk.send("coder", "waiting\u001b[31m red");
    const cancelled = await desk.send("coder", "cancelled");
    await desk.use.queue_change({ id: cancelled.shortId, change: "cancel" });
    await desk.advance(1_000);
    const { deliveries } = await desk.use.queue({ who: "coder" });
    expect(deliveries).toMatchObject([
      { messageId: lost.messageId, state: "unconfirmed" },
      { messageId: waiting.messageId, state: "queued", hold: { reason: "busy" }, preview: "waiting red" },
    ]);
    expect(deliveries[0]).not.toHaveProperty("hold");
  });

  it("lists the mail of an agent under each of its names", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await desk.send("coder", "to the agent");
    await desk.send(desk.sessionOf(coder), "to the session");
    expect((await desk.use.queue({ who: "coder" })).deliveries).toHaveLength(2);
    expect((await desk.use.queue({ who: desk.sessionOf(coder) })).deliveries).toHaveLength(2);
    expect((await desk.use.queue({})).deliveries).toHaveLength(2);
  });

  it("refuses to change what does not wait any more", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(3_000);
    for (const change of ["cancel", "now", "hold"] as const) {
      await expect(desk.use.queue_change({ id: sent.shortId, change })).rejects.toMatchObject({
        code: "delivery.not_queued",
      });
    }
  });
});

describe("ls, show, peek and diagnose", () => {
  it("list a session with its place, its readiness and its first hold", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await desk.send("coder", "hello");
    await desk.advance(1_000);
    const { sessions } = await desk.use.ls({});
    expect(sessions).toMatchObject([
      {
        id: desk.sessionOf(coder),
        agent: "coder",
        label: "work:1.0",
        program: "plain",
        terminal: { kind: "tmux", pane: "%1" },
        readiness: "busy",
        hold: { reason: "busy" },
        queued: 1,
      },
    ]);
  });

  it("show every receipt of a delivery", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello", { command: "note", payload: { n: 1 } });
    await desk.advance(3_000);
    const { message, deliveries } = await desk.use.show({ id: sent.messageId });
    expect(message).toMatchObject({
      from: "person/dev",
      to: "agent/coder",
      command: "note",
      payload: { n: 1 },
    });
    expect(deliveries).toMatchObject([
      { transport: "paste", evidence: "screen", attempts: 1, receipts: [{}, {}, { evidence: "screen" }] },
    ]);
  });

  it("print the screen", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.types("half a thought");
    expect((await desk.use.peek({ who: "coder" })).screen).toContain("> half a thought");
    coder.program.terminal.answerRead({ kind: "unreadable", cause: "timeout" });
    await expect(desk.use.peek({ who: "coder" })).rejects.toMatchObject({ code: "terminal.unreadable" });
  });

  it("wait for no terminal that does not answer: ls shows it as unknown, peek says so", async () => {
    const { desk, coder } = await oneAgent();
    const other = desk.agent("other");
    await desk.use.ls({});
    await desk.advance(5_000);
    coder.program.terminal.read = () => new Promise(() => {});
    const listed = desk.use.ls({});
    await desk.advance(2_000);
    const { sessions } = await listed;
    expect(sessions.map(({ id, readiness }) => [id, readiness])).toEqual([
      [desk.sessionOf(coder), "unknown"],
      [desk.sessionOf(other), "idle"],
    ]);
    const peeked = expect(desk.use.peek({ who: "coder" })).rejects.toMatchObject({
      code: "terminal.unreadable",
      message: 'The screen of "coder" cannot be read now: tmux does not answer.',
    });
    await desk.advance(4_000);
    await peeked;
  });

  it("say which ways in are open and why the others are not", async () => {
    const { desk } = await oneAgent({ program: "stashing" });
    expect((await desk.use.diagnose({})).sessions).toMatchObject([
      {
        transports: ["paste"],
        closed: [
          { transport: "native", why: "not on this desk" },
          { transport: "hook", why: "no hook of this program takes text" },
        ],
      },
    ]);
    desk.settings = { ...desk.settings, transports: () => ["native"] };
    desk.inbox.offer = { kind: "offered" };
    expect((await desk.use.diagnose({})).sessions).toMatchObject([
      {
        transports: ["native"],
        closed: [
          { transport: "hook", why: "not allowed in config.yaml" },
          { transport: "paste", why: "not allowed in config.yaml" },
        ],
      },
    ]);
  });

  it("do not call a composer open into which nothing is typed", async () => {
    const { desk } = await oneAgent({ program: "inbox-only" });
    const [session] = (await desk.use.diagnose({})).sessions;
    expect(session?.transports).toEqual([]);
    expect(session?.closed).toContainEqual({ transport: "paste", why: "nothing is typed into this program" });
  });

  it("count sessions and waiting messages for the status", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await desk.send("coder", "hello");
    expect(await desk.use.status({})).toMatchObject({ sessions: 1, queued: 1 });
  });
});

describe("what waits", () => {
  it("is told with the reason of what goes out by itself, not of what is held back by hand", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const first = await desk.send("coder", "first");
    await desk.send("coder", "second");
    await desk.use.queue_change({ id: first.shortId, change: "hold" });
    await desk.advance(3_000);
    const [session] = (await desk.use.ls({})).sessions;
    expect(session).toMatchObject({ queued: 2, hold: { reason: "busy" } });
    expect((await desk.use.session({ who: "coder" })).hold?.reason).toBe("busy");
  });
});
