import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { LIMITS } from "../../core/message.ts";

function stored(desk: Desk): number {
  return desk.store.read.deliveries({}).length;
}

describe("accept: what is taken in", () => {
  it("has committed the message before it answers", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    desk.crashAt("accept.committed");
    await expect(desk.send("coder", "hello")).rejects.toThrow("killed at accept.committed");
    expect(desk.store.read.deliveries({ states: ["queued"] })).toMatchObject([
      { message: { body: "hello" } },
    ]);
  });

  it("has stored nothing when it dies inside the transaction", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    desk.crashAt("accept.in-transaction");
    await expect(desk.send("coder", "hello")).rejects.toThrow();
    expect(stored(desk)).toBe(0);
  });

  it("refuses when the disk is full and stores nothing", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    desk.disk.state = "full";
    await expect(desk.send("coder", "hello")).rejects.toMatchObject({ code: "store.disk_full" });
    expect(stored(desk)).toBe(0);
  });

  it("writes the body to a file that only the owner may read", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    const sent = await desk.send("coder", "first line\nsecond line");
    const { message } = await desk.use.show({ id: sent.messageId });
    expect(readFileSync(message.file, "utf8")).toBe("first line\nsecond line\n");
    expect(statSync(message.file).mode & 0o777).toBe(0o600);
    expect(message.file).toContain(`${desk.folder}/coder/`);
  });

  it.each(["", "   ", "\n\t"])("refuses a message without text: %j", async (body) => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await expect(desk.send("coder", body)).rejects.toMatchObject({ code: "message.empty" });
    expect(stored(desk)).toBe(0);
  });

  it("takes a raw message of keys alone", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    const sent = await desk.send("coder", "", { raw: true, keys: ["Up"] });
    expect(desk.store.read.message(sent.messageId)?.form).toEqual({ kind: "raw", keys: ["Up"] });
  });

  it("takes a body of exactly 256 KiB and refuses one byte more", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await desk.send("coder", "x".repeat(LIMITS.bodyBytes));
    await expect(desk.send("coder", `${"x".repeat(LIMITS.bodyBytes - 1)}é`)).rejects.toMatchObject({
      code: "message.too_large",
    });
    expect(stored(desk)).toBe(1);
  });

  it("refuses a lone surrogate", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await expect(desk.send("coder", "a\ud800b")).rejects.toMatchObject({ code: "message.invalid_utf8" });
    expect(stored(desk)).toBe(0);
  });

  it("refuses a priority it does not know", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await expect(desk.send("coder", "x", { priority: "soon" })).rejects.toMatchObject({
      code: "usage.invalid",
    });
  });
});

describe("accept: who is meant", () => {
  it("stores nothing for a bare name that nobody has", async () => {
    const desk = await openDesk();
    await desk.ready();
    await expect(desk.send("nobody", "hello")).rejects.toMatchObject({
      code: "recipient.unknown",
      exitCode: 3,
    });
    expect(desk.store.read.findMessages("0000", 5)).toEqual([]);
  });

  it("keeps a message to a path that nobody has as a dead letter", async () => {
    const desk = await openDesk();
    await desk.ready();
    const sent = await desk.send("agent/nobody", "hello");
    expect(sent).toMatchObject({ unmatched: true, deliveries: [] });
    expect(desk.store.read.isUnmatched(sent.messageId)).toBe(true);
    expect(desk.store.read.message(sent.messageId)?.body).toBe("hello");
  });

  it("looks once more for a program that started a moment ago", async () => {
    const desk = await openDesk();
    await desk.ready();
    desk.agent("late");
    const sent = await desk.send("late", "hello");
    expect(sent.deliveries).toMatchObject([{ to: "agent/late", state: "queued" }]);
  });

  it("refuses a name that fits two, and lists both", async () => {
    const desk = await openDesk();
    desk.agent("my-app");
    await desk.ready();
    await desk.use.agent_add({ name: "my_app" });
    await expect(desk.send("My App", "hello")).rejects.toMatchObject({
      code: "recipient.ambiguous",
      candidates: expect.arrayContaining(["agent/my-app", "agent/my_app"]),
    });
  });

  it("leaves a message to a person in their mailbox until they read it", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.sendAs(coder, "person/dev", "done");
    expect(sent.deliveries).toMatchObject([
      { to: "person/dev", state: "queued", hold: { reason: "offline" } },
    ]);
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("queued");
    expect((await desk.use.read({ id: sent.shortId, claims: { user: "dev" } })).message.body).toBe("done");
    expect(desk.delivery(sent)).toMatchObject({ state: "read", transport: "receive", evidence: "accepted" });
  });

  it("waits for an agent without a program, and says so", async () => {
    const desk = await openDesk();
    await desk.ready();
    await desk.use.agent_add({ name: "reviewer" });
    const sent = await desk.send("reviewer", "hello");
    expect(sent.deliveries).toMatchObject([
      {
        to: "agent/reviewer",
        state: "queued",
        hold: {
          reason: "offline",
          release: expect.stringMatching(
            /^when a program runs for agent\/reviewer \(or another agent takes/u,
          ),
        },
      },
    ]);
  });
});

describe("accept: who is speaking", () => {
  it("takes the session of the terminal it was sent from", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    desk.agent("tester");
    await desk.ready();
    const sent = await desk.sendAs(coder, "tester", "hello");
    expect(desk.store.read.message(sent.messageId)).toMatchObject({
      from: "agent/coder",
      fromSession: desk.sessionOf(coder),
      source: "agent",
    });
  });

  it("takes the person at the machine where there is no session", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    const sent = await desk.send("coder", "hello");
    expect(desk.store.read.message(sent.messageId)).toMatchObject({ from: "person/dev", source: "person" });
  });

  it.each([
    ["coder", "agent/coder", "agent"],
    ["agent/coder", "agent/coder", "agent"],
    ["person/boss", "person/boss", "person"],
    ["ci/nightly", "ci/nightly", "script"],
  ])("lets the owner name %s as the sender", async (from, address, source) => {
    const desk = await openDesk();
    desk.agent("coder");
    desk.agent("tester");
    await desk.ready();
    const sent = await desk.send("tester", "hello", { from });
    expect(desk.store.read.message(sent.messageId)).toMatchObject({ from: address, source });
  });

  it("refuses a sender that nobody is", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await expect(desk.send("coder", "hello", { from: "ghost" })).rejects.toMatchObject({
      code: "recipient.unknown",
    });
    expect(stored(desk)).toBe(0);
  });
});

describe("accept: answers", () => {
  async function twoAgents() {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    const tester = desk.agent("tester");
    await desk.ready();
    return { desk, coder, tester };
  }

  it("binds a plain send to the newest delivered message of the other side, and says that it guessed", async () => {
    const { desk, coder, tester } = await twoAgents();
    const older = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    const newer = await desk.sendAs(coder, "tester", "two");
    await desk.advance(5_000);
    const answer = await desk.sendAs(tester, "coder", "yes");
    expect(answer).toMatchObject({ replyTo: newer.messageId, bound: "implicit" });
    expect(desk.state(newer)).toBe("replied");
    expect(desk.state(older)).toBe("delivered");
    const next = await desk.sendAs(tester, "coder", "and yes");
    expect(next).toMatchObject({ replyTo: older.messageId });
  });

  it("binds nothing once everything is answered", async () => {
    const { desk, coder, tester } = await twoAgents();
    await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    await desk.sendAs(tester, "coder", "yes");
    expect(await desk.sendAs(tester, "coder", "more")).not.toHaveProperty("replyTo");
  });

  it("does not bind to what was not delivered yet, nor to messages of the same direction", async () => {
    const { desk, coder, tester } = await twoAgents();
    tester.program.becomes({ busy: true });
    const waiting = await desk.sendAs(coder, "tester", "one");
    await desk.advance(1_000);
    expect(desk.state(waiting)).toBe("queued");
    expect(await desk.sendAs(tester, "coder", "hello")).not.toHaveProperty("replyTo");
    expect(await desk.sendAs(coder, "tester", "two")).not.toHaveProperty("bound", "explicit");
  });

  it("binds also when one side writes to the session and the other to the agent", async () => {
    const { desk, coder, tester } = await twoAgents();
    const question = await desk.sendAs(coder, desk.sessionOf(tester), "one");
    await desk.advance(5_000);
    const answer = await desk.sendAs(tester, desk.sessionOf(coder), "yes");
    expect(answer).toMatchObject({ replyTo: question.messageId, bound: "implicit" });
  });

  it("answers the message that was named, with its writer as the recipient", async () => {
    const { desk, coder, tester } = await twoAgents();
    const first = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    await desk.sendAs(coder, "tester", "two");
    await desk.advance(5_000);
    const { server, pane } = tester.sighting.identity;
    const answer = await desk.done(
      desk.use.reply({
        id: first.shortId,
        body: "to the first",
        claims: { user: "dev", tmux: { socket: server, pane } },
      }),
    );
    expect(answer).toMatchObject({ replyTo: first.messageId, bound: "explicit" });
    expect(answer.deliveries).toMatchObject([{ to: `session/${desk.sessionOf(coder)}`, agent: "coder" }]);
    expect(desk.state(first)).toBe("replied");
    expect(desk.history(first)).toEqual(["queued", "delivering", "delivered", "replied"]);
  });

  it("answers an agent whose session has ended through its mailbox", async () => {
    const { desk, coder, tester } = await twoAgents();
    const first = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    desk.ends(coder);
    await desk.office.scan();
    const answer = await desk.done(
      desk.use.reply({ id: first.shortId, body: "yes", from: "tester", claims: { user: "dev" } }),
    );
    expect(answer.deliveries).toMatchObject([{ to: "agent/coder", hold: { reason: "offline" } }]);
    expect(tester.program.submitted).toHaveLength(1);
  });

  it("names the message but changes no state when a stranger answers it", async () => {
    const { desk, coder } = await twoAgents();
    const first = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    const answer = await desk.send("coder", "I saw that", { re: first.shortId });
    expect(answer).toMatchObject({ replyTo: first.messageId, bound: "explicit" });
    expect(desk.state(first)).toBe("delivered");
  });

  it("counts the hops of answers between agents, and of nobody else", async () => {
    const { desk, coder, tester } = await twoAgents();
    const hops = (sent: { messageId: string }) => desk.store.read.message(sent.messageId)?.hops;
    const first = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    const second = await desk.sendAs(tester, "coder", "two");
    await desk.advance(5_000);
    const third = await desk.sendAs(coder, "tester", "three");
    await desk.advance(5_000);
    const person = await desk.send("coder", "stop", { re: third.shortId });
    expect([first, second, third, person].map(hops)).toEqual([0, 1, 2, 0]);
  });

  it("tells those who wait for the answer that it came", async () => {
    const { desk, coder, tester } = await twoAgents();
    const first = await desk.sendAs(coder, "tester", "one");
    await desk.advance(5_000);
    const waiting = desk.use.wait({ id: first.messageId, state: "replied" });
    await desk.sendAs(tester, "coder", "yes");
    await expect(desk.done(waiting, 1_000)).resolves.toEqual({ state: "replied", reached: true });
  });
});
