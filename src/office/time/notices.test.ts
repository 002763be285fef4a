import { describe, expect, it } from "vitest";
import { after, notices, onDelivery, pair, said, typedInto } from "../../../tests/desk/notified-pair.ts";

describe("a sender who asked for it", () => {
  it("is told that the message was delivered, in these words", async () => {
    const { desk, coder, tester } = await pair();
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(typedInto(tester)).toEqual([
      `[bellhop] Message delivered to coder (${desk.sessionOf(coder)})\nOriginal: "do task X"`,
    ]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
  });

  it("is told a while after the delivery, in these words and not earlier", async () => {
    const { desk, coder, tester } = await pair();
    const sent = await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(1_000);
    expect(desk.state(sent)).toBe("delivered");
    await desk.advance(298_500);
    expect(said(desk)).toEqual([]);
    await desk.advance(10_000);
    expect(typedInto(tester)).toEqual([
      [
        "[bellhop] Reminder: 5m since your message to coder was delivered",
        'Original: "do task X"',
        `You can check status with: bellhop output ${desk.sessionOf(coder)}`,
      ].join("\n"),
    ]);
    await desk.advance(600_000);
    expect(tester.program.submitted).toHaveLength(1);
  });

  it("is told both, each once", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
    expect(typedInto(tester).map((text) => text.split("\n")[0])).toEqual([
      expect.stringContaining("Message delivered to coder"),
      "[bellhop] Reminder: 5m since your message to coder was delivered",
    ]);
  });

  it("counts the while from the delivery, however long it waited before", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "do task X", after);
    await desk.advance(400_000);
    expect(said(desk)).toEqual([]);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    const receipts = desk.store.read.receiptsOf(desk.delivery(sent).id);
    const deliveredAt = receipts.find(({ state }) => state === "delivered")?.at ?? 0;
    expect(desk.store.read.nextTimer()).toBe(deliveredAt + 300_000);
  });

  it("is told through its inbox, the whole text", async () => {
    const { desk, coder, tester } = await pair();
    desk.inbox.offer = { kind: "offered" };
    await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(10_000);
    expect(tester.program.submitted).toEqual([]);
    expect(desk.inbox.received).toEqual([
      expect.stringMatching(
        new RegExp(
          `^\\[message from: bellhop #\\w{6}\\]\\n\\[bellhop\\] Message delivered to coder \\(${desk.sessionOf(coder)}\\)\\nOriginal: "do task X"$`,
          "u",
        ),
      ),
    ]);
  });

  it("is told nothing when it did not ask", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do task X");
    await desk.send("coder", "and this", { notifyOnDelivery: false });
    await desk.advance(60_000);
    expect(said(desk)).toEqual([]);
  });

  it("is told of an answer that came before the proof", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.echoes = "no";
    const sent = await desk.sendAs(tester, "coder", "do task X", onDelivery);
    await desk.advance(1_500);
    expect(desk.state(sent)).toBe("delivering");
    const { server, pane } = coder.sighting.identity;
    await desk.done(
      desk.use.reply({
        id: sent.messageId,
        body: "done",
        claims: { user: "dev", tmux: { socket: server, pane } },
      }),
    );
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("replied");
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
  });

  it("is told that it expired, and that it failed", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "too late", { ...onDelivery, ...after, timeoutMs: 30_000 });
    await desk.advance(40_000);
    expect(typedInto(tester)).toEqual([
      `[bellhop] Message to coder (${desk.sessionOf(coder)}) expired: nobody took it within 30s\nOriginal: "too late"`,
    ]);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    coder.beforeAnswer = async () => {
      desk.crash();
      desk.ends(coder);
    };
    const once = await desk.sendAs(tester, "coder", "only once", {
      ...onDelivery,
      ...after,
      atMostOnce: true,
    });
    await desk.advance(3_000);
    await desk.open();
    await desk.advance(20_000);
    expect(desk.state(once)).toBe("failed");
    expect(typedInto(tester).at(-1)).toBe(
      `[bellhop] Message to coder (${desk.delivery(once).attempt?.sessionId}) could not be delivered: it may have been delivered before the restart, and the sender asked for at most once\nOriginal: "only once"`,
    );
    await desk.advance(600_000);
    expect(said(desk).map(([command]) => command)).toEqual(["expiry-notice", "failure-notice"]);
  });

  it("is named the agent of a session that is written to and not there", async () => {
    const { desk, coder, tester } = await pair();
    const session = desk.sessionOf(coder);
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.sendAs(tester, session, "too late", { ...onDelivery, timeoutMs: 30_000 });
    await desk.advance(40_000);
    expect(typedInto(tester)[0]).toMatch(
      new RegExp(`^\\[bellhop\\] Message to coder \\(${session}\\) expired`, "u"),
    );
  });

  it("is told nothing of what a person took back", async () => {
    const { desk, coder, tester } = await pair();
    coder.program.becomes({ busy: true });
    const sent = await desk.sendAs(tester, "coder", "never mind", { ...onDelivery, ...after });
    await desk.use.queue_change({ id: sent.messageId, change: "cancel" });
    await desk.advance(600_000);
    expect(said(desk)).toEqual([]);
    expect(desk.delivery(sent)).not.toHaveProperty("owes");
  });

  it("is told when late evidence comes, once", async () => {
    const { desk, coder, tester } = await pair();
    await desk.hooked(coder);
    coder.program.onSubmit = () => {};
    coder.program.echoes = "no";
    const sent = await desk.sendAs(tester, "coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(said(desk)).toEqual([]);
    for (let times = 0; times < 2; times += 1)
      await desk.done(
        desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted[0] ?? "" }),
      );
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice"]);
    await desk.advance(300_000);
    expect(said(desk).map(([command]) => command)).toEqual(["delivery-notice", "follow-up"]);
  });
});

describe("a notice", () => {
  it("is an ordinary message: it waits for a busy reader and comes with what else waits", async () => {
    const { desk, coder, tester } = await pair();
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "one", onDelivery);
    await desk.sendAs(coder, "tester", "from an agent");
    await desk.advance(20_000);
    expect(said(desk)).toEqual([["delivery-notice", `session/${desk.sessionOf(tester)}`, "queued"]]);
    tester.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(tester.program.submitted).toEqual([
      expect.stringMatching(/^\[2 messages\] \(1\) from bellhop #\w{6}: \[bellhop\] .* \(2\) from coder \(/u),
    ]);
    expect(said(desk)).toEqual([["delivery-notice", expect.anything(), "delivered"]]);
  });

  it("never causes a notice, and never expires", async () => {
    const { desk, tester } = await pair();
    desk.settings = { ...desk.settings, defaultTimeoutMs: 60_000 };
    tester.program.becomes({ busy: true });
    await desk.sendAs(tester, "coder", "one", { ...onDelivery, ...after });
    await desk.advance(600_000);
    expect(said(desk).map(([command, , state]) => [command, state])).toEqual([
      ["delivery-notice", "queued"],
      ["follow-up", "queued"],
    ]);
    for (const { delivery } of notices(desk)) {
      expect(delivery).not.toHaveProperty("owes");
      expect(delivery).not.toHaveProperty("timeoutAt");
    }
    tester.program.becomes({ busy: false });
    await desk.advance(600_000);
    expect(notices(desk)).toHaveLength(2);
    expect(said(desk).map(([, , state]) => state)).toEqual(["delivered", "delivered"]);
  });

  it("goes to a person's inbox, and counts as delivered when it is read there", async () => {
    const { desk, coder } = await pair();
    const sent = await desk.send("coder", "do task X", { ...onDelivery, ...after });
    await desk.advance(10_000);
    expect(said(desk)).toEqual([["delivery-notice", "person/dev", "queued"]]);
    const [notice] = notices(desk);
    const { message } = await desk.done(
      desk.use.read({ id: notice?.message.shortId ?? "", claims: { user: "dev" } }),
    );
    expect(message.body).toBe(
      `[bellhop] Message delivered to coder (${desk.sessionOf(coder)})\nOriginal: "do task X"`,
    );
    expect(said(desk)).toEqual([["delivery-notice", "person/dev", "read"]]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("tells an agent when a person has read its message", async () => {
    const { desk, tester } = await pair();
    const sent = await desk.sendAs(tester, "person/dev", "look at this", onDelivery);
    await desk.advance(10_000);
    expect(said(desk)).toEqual([]);
    await desk.done(desk.use.read({ id: sent.messageId, claims: { user: "dev" } }));
    await desk.advance(10_000);
    expect(typedInto(tester)).toEqual(['[bellhop] Message delivered to dev\nOriginal: "look at this"']);
  });

  it("is not written for a script that no mailbox belongs to", async () => {
    const { desk } = await pair();
    const claims = { user: "dev", programSessions: { CLAUDE_CODE_SESSION_ID: "nobody-knows" } };
    const sent = await desk.send("coder", "do task X", { ...onDelivery, ...after, claims });
    await desk.advance(600_000);
    expect(desk.store.read.message(sent.messageId)?.from).toBe("program/claude");
    expect(said(desk)).toEqual([]);
    expect(desk.store.read.nextTimer()).toBeUndefined();
  });
});
