import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../../tests/desk/desk.ts";

/** A program with its own inbox and hooks, and another agent that writes to it. */
async function withInbox(): Promise<{ desk: Desk; coder: DeskAgent; tester: DeskAgent }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "stashing" });
  const tester = desk.agent("tester");
  await desk.ready();
  await desk.hooked(coder);
  desk.inbox.offer = { kind: "offered" };
  desk.inbox.onReceived = (prompt) => {
    void desk.work.follow(desk.hook(coder, { turn: "prompt-submitted", prompt }));
  };
  return { desk, coder, tester };
}

function keysTyped({ program }: DeskAgent): number {
  return program.terminal.received.length;
}

describe("the native rung", () => {
  it("hands an agent's message to an idle program, whole, without a key", async () => {
    const { desk, coder, tester } = await withInbox();
    const sent = await desk.sendAs(tester, "coder", "one\ntwo\nthree");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({
      state: "delivered",
      transport: "native",
      evidence: "submitted",
    });
    const id = desk.sessionOf(tester);
    expect(desk.inbox.received).toEqual([
      `[message from: tester (${id}) #${sent.shortId}]\none\ntwo\nthree\n— from session ${id}. To reply: bellhop send ${id} "<your reply>"`,
    ]);
    expect(keysTyped(coder)).toBe(0);
  });

  it("is read also if its turn is over before the delivery is written down", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.onReceived = (prompt) => {
      for (const told of [{ turn: "prompt-submitted", prompt }, { turn: "turn-ended" }] as const)
        void desk.work.follow(desk.hook(coder, told));
    };
    const sent = await desk.sendAs(tester, "coder", "quick");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "read", evidence: "submitted" });
  });

  it("is not called read if another prompt came before the end of a turn", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.onReceived = (prompt) => {
      for (const told of [
        { turn: "prompt-submitted", prompt },
        { turn: "prompt-submitted", prompt: "something else" },
        { turn: "turn-ended", turnOf: "last-prompt" },
      ] as const)
        void desk.work.follow(desk.hook(coder, told));
    };
    const sent = await desk.sendAs(tester, "coder", "quick");
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is not called read when another conversation in its window ends a turn, before or after it is written down", async () => {
    const { desk, coder, tester } = await withInbox();
    const [mine, other] = [{ conversation: "ses_mine" }, { conversation: "ses_other" }];
    desk.inbox.onReceived = (prompt) => {
      for (const told of [
        { turn: "prompt-submitted", prompt, ...mine },
        { turn: "turn-ended", ...other },
      ] as const)
        void desk.work.follow(desk.hook(coder, told));
    };
    const sent = await desk.sendAs(tester, "coder", "quick");
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { turn: "turn-ended", ...other }));
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { turn: "turn-ended", ...mine }));
    expect(desk.state(sent)).toBe("read");
  });

  it("is proven and read in a conversation that its window has left, which says nothing of the one that it shows", async () => {
    const { desk, coder, tester } = await withInbox();
    const left = { conversation: "ses_left", programSessionId: "ses_left", hidden: true } as const;
    const shown = { conversation: "ses_shown", programSessionId: "ses_shown" } as const;
    desk.inbox.onReceived = (prompt) => {
      void desk.work.follow(desk.hook(coder, { turn: "prompt-submitted", prompt, ...left }));
    };
    const session = () => desk.store.read.session(desk.sessionOf(coder));
    const readiness = async () => (await desk.use.session({ who: "coder" })).readiness;
    for (const told of [{ turn: "prompt-submitted", prompt: "by hand" }, { turn: "turn-ended" }] as const) {
      await desk.done(desk.hook(coder, { ...told, ...shown }));
      await desk.advance(1_000);
    }
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "queued by hand", ...left }));
    expect([session()?.programSessionId, await readiness()]).toEqual(["ses_shown", "idle"]);
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "by hand", ...shown }));
    await desk.done(desk.hook(coder, { turn: "turn-ended", ...left, conversation: "ses_third" }));
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { turn: "turn-ended", ...left }));
    expect(desk.state(sent)).toBe("read");
    expect([session()?.programSessionId, await readiness()]).toEqual(["ses_shown", "busy"]);
  });

  it("is not read by the end of a hidden turn that nobody knows a prompt of", async () => {
    const { desk, coder, tester } = await withInbox();
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(2_000);
    await desk.done(desk.hook(coder, { turn: "turn-ended", hidden: true, conversation: "ses_left" }));
    expect(desk.state(sent)).toBe("delivered");
  });

  it("reaches a busy program, and past a draft", async () => {
    const { desk, coder, tester } = await withInbox();
    coder.program.types("half a thought");
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "native" });
    expect(coder.program.draft).toBe("half a thought");
    expect(keysTyped(coder)).toBe(0);
  });

  it("keeps idle priorities back while the program is busy", async () => {
    const { desk, coder, tester } = await withInbox();
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "hello", { priority: "idle" });
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    expect(desk.inbox.received).toEqual([]);
  });

  it("puts several messages into one hand-over", async () => {
    const { desk, tester } = await withInbox();
    await desk.use.pause({ who: "coder", paused: true });
    const one = await desk.sendAs(tester, "coder", "one");
    const two = await desk.sendAs(tester, "coder", "two");
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(2_000);
    expect(desk.inbox.received).toHaveLength(1);
    expect([desk.state(one), desk.state(two)]).toEqual(["delivered", "delivered"]);
  });

  it("holds a refused hand-over, types nothing, and tries again", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.answer = { kind: "refused", why: "nobody answers" };
    desk.inbox.onReceived = () => {};
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "unknown" } });
    expect(desk.delivery(sent).hold?.release).toContain("nobody answers");
    expect(keysTyped(coder)).toBe(0);
    desk.inbox.answer = { kind: "handed-over", acknowledged: true };
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "accepted" });
    expect(keysTyped(coder)).toBe(0);
  });

  it("says unconfirmed when the hand-over is not answered, and never falls to keys", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.answer = { kind: "unknown", why: "cut off" };
    desk.inbox.onReceived = () => {};
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(60_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "unconfirmed"]);
    expect(desk.inbox.received).toHaveLength(1);
    expect(keysTyped(coder)).toBe(0);
  });

  it("says unconfirmed when silence follows a hand-over, and never falls to keys", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.onReceived = () => {};
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(keysTyped(coder)).toBe(0);
  });

  it("does not lose a message whose hand-over fails", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.inbox.onReceived = () => {
      throw new Error("socket");
    };
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(keysTyped(coder)).toBe(0);
    desk.expectFailures("courier.delivery_failed");
  });
});

describe("a person's message to an idle program with an inbox", () => {
  it("is typed", async () => {
    const { desk, coder } = await withInbox();
    const sent = await desk.send("coder", "hello");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste" });
    expect(coder.program.submitted).toHaveLength(1);
    expect(desk.inbox.received).toEqual([]);
  });

  it("waits behind a draft: the inbox would say that its user did not write it", async () => {
    const { desk, coder, tester } = await withInbox();
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    expect(desk.inbox.received).toEqual([]);
    const others = await desk.sendAs(tester, "coder", "I do not wait with it");
    await desk.advance(5_000);
    expect(desk.delivery(others)).toMatchObject({ state: "delivered", transport: "native" });
    expect(desk.state(sent)).toBe("queued");
    expect(coder.program.draft).toBe("half a thought");
    expect(keysTyped(coder)).toBe(0);
  });

  it("waits for the end of a turn, and says what would let it go", async () => {
    const { desk, coder } = await withInbox();
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    expect(desk.delivery(sent).hold?.release).toContain("--any-way-in");
    expect(desk.inbox.received).toEqual([]);
    await desk.turnEnds(coder);
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste" });
  });

  it.each(["its sender", "the configuration"])("goes to the inbox where %s lets it", async (who) => {
    const { desk, coder } = await withInbox();
    if (who === "the configuration") desk.settings = { ...desk.settings, personBy: "any" };
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello", who === "its sender" ? { anyWayIn: true } : {});
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "native" });
    expect(coder.program.draft).toBe("half a thought");
    expect(keysTyped(coder)).toBe(0);
  });

  it("waits where typing is not allowed, and says so", async () => {
    const { desk } = await withInbox();
    desk.settings = { ...desk.settings, transports: () => ["native"] };
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("queued");
    expect(desk.delivery(sent).hold?.release).toContain("--any-way-in");
  });

  it("is queued again, and not handed to the inbox as well, when its keys are refused at the last moment", async () => {
    const { desk, coder } = await withInbox();
    coder.program.terminal.answerGate({ kind: "sent" }, { kind: "refused", because: ["typing"] });
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued", "delivering", "delivered"]);
    expect(coder.program.submitted.length + desk.inbox.received.length).toBe(1);
  });

  it("is typed where the owner allows keys only, and waits while the program is busy", async () => {
    const { desk, coder, tester } = await withInbox();
    desk.settings = { ...desk.settings, transports: () => ["paste"] };
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    await desk.turnEnds(coder);
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste" });
  });

  it("waits and says so where the owner allows no way in", async () => {
    const { desk } = await withInbox();
    desk.settings = { ...desk.settings, transports: () => [] };
    const sent = await desk.send("coder", "hello");
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued" });
    expect(desk.delivery(sent).hold?.release).toContain("when a way in is open");
  });
});
