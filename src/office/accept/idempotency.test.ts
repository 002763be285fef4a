import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aMessage } from "../../../tests/contract/store-samples.ts";
import { deskWith, OWNER, route } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { pair } from "../../../tests/desk/reminders.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import { contentText } from "./idempotency.ts";
import type { Submission } from "./submission.ts";

function stored(desk: Desk): number {
  return desk.store.read.deliveries({}).length;
}

describe("the same message twice", () => {
  it("answers with the same message for the same key and body, and delivers it once", async () => {
    const { desk, coder } = await oneAgent();
    const first = await desk.send("coder", "hello", { idempotencyKey: "k" });
    await desk.advance(3_000);
    const second = await desk.send("coder", "hello", { idempotencyKey: "k" });
    await desk.advance(10_000);
    expect(second.messageId).toBe(first.messageId);
    expect(second.deliveries).toMatchObject([{ id: first.deliveries[0]?.id, state: "delivered" }]);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("keeps one of two that come in the same moment", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    const request = { to: "coder", body: "hello", idempotencyKey: "k", claims: { user: "dev" } };
    const [first, second] = await desk.done(Promise.all([desk.use.send(request), desk.use.send(request)]));
    expect(first.messageId).toBe(second.messageId);
    expect(stored(desk)).toBe(1);
  });

  it("says conflict for the same key and another body or recipient; a key is its sender's own", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    desk.agent("tester");
    await desk.ready();
    await desk.send("coder", "hello", { idempotencyKey: "k" });
    const others = [
      desk.send("coder", "other", { idempotencyKey: "k" }),
      desk.send("tester", "hello", { idempotencyKey: "k" }),
    ];
    for (const other of others)
      await expect(other).rejects.toMatchObject({ code: "message.conflict", exitCode: 1 });
    expect(stored(desk)).toBe(1);
    await desk.send("coder", "hello", { idempotencyKey: "k", from: "tester" });
    expect(stored(desk)).toBe(2);
  });

  it.each<readonly [string, Partial<SendRequest>, Partial<SendRequest>]>([
    ["another timeout", { timeoutMs: 60_000 }, { timeoutMs: 61_000 }],
    ["a timeout where there was none", {}, { timeoutMs: 60_000 }],
    ["a notice where there was none", {}, { notifyOnDelivery: true }],
    ["another kind of notice", { notifyOnDelivery: true }, { notifyAfterMs: 5_000 }],
    ["a later notice", { notifyAfterMs: 4_000 }, { notifyAfterMs: 5_000 }],
    ["another source", { channel: "slack", from: "bridge" }, { channel: "telegram", from: "bridge" }],
    [
      "another id there",
      { channel: "slack", from: "bridge", externalId: "1" },
      { channel: "slack", from: "bridge", externalId: "2" },
    ],
    ["another wish for proof", { require: "accepted" }, {}],
    ["another wish for doubt", {}, { atMostOnce: true }],
  ])("says conflict for the same key and %s, and not for the same again", async (_, one, other) => {
    const desk = await deskWith("coder");
    const first = await desk.send("agent/coder", "hello", { ...one, idempotencyKey: "k" });
    await expect(desk.send("agent/coder", "hello", { ...other, idempotencyKey: "k" })).rejects.toMatchObject({
      code: "message.conflict",
    });
    const again = await desk.send("agent/coder", "hello", { ...one, idempotencyKey: "k" });
    expect(again.messageId).toBe(first.messageId);
    expect(stored(desk)).toBe(1);
  });

  it("knows the same again whatever timeout the settings say by then", async () => {
    const desk = await deskWith("coder");
    const first = await desk.send("coder", "hello", { idempotencyKey: "k" });
    desk.settings = { ...desk.settings, defaultTimeoutMs: 60_000 };
    const again = await desk.send("coder", "hello", { idempotencyKey: "k" });
    expect(again.messageId).toBe(first.messageId);
  });

  it("knows the same again whatever priority the settings say by then", async () => {
    const desk = await deskWith("coder");
    const first = await desk.send("coder", "hello", { idempotencyKey: "k" });
    desk.settings = { ...desk.settings, defaultPriority: "idle" };
    const again = await desk.send("coder", "hello", { idempotencyKey: "k" });
    expect(again.messageId).toBe(first.messageId);
    const other = desk.send("coder", "hello", { idempotencyKey: "k", priority: "idle" });
    await expect(other).rejects.toMatchObject({ code: "message.conflict" });
  });

  it("tells keys of senders apart that differ only in where the name ends", async () => {
    const desk = await deskWith("coder");
    const sent = { body: "hello", channel: "slack" };
    const first = await route(desk, "agent/coder", { ...sent, from: "a b", idempotencyKey: "c" });
    const second = await route(desk, "agent/coder", { ...sent, from: "a", idempotencyKey: "b c" });
    expect(second.messageId).not.toBe(first.messageId);
    await expect(
      route(desk, "agent/coder", { ...sent, body: "other", from: "a", idempotencyKey: "b c" }),
    ).rejects.toMatchObject({ message: expect.stringContaining('"b c"') });
  });

  it("knows the same again of a sender that has another name, and not of one that has its old name", async () => {
    const { desk } = await pair();
    const sends = (from: string, body = "hello") => desk.send("coder", body, { from, idempotencyKey: "k" });
    const first = await sends("tester");
    await desk.done(desk.use.name({ who: "tester", name: "web", claims: OWNER }));
    expect((await sends("web")).messageId).toBe(first.messageId);
    await expect(sends("web", "other")).rejects.toMatchObject({
      message: expect.stringContaining('"k"'),
    });
    await desk.use.agent_add({ name: "tester" });
    expect((await sends("tester")).messageId).not.toBe(first.messageId);
  });

  it("knows the same again that it wrote to itself under another name", async () => {
    const { desk } = await pair();
    const first = await desk.send("tester", "hello", { from: "tester", idempotencyKey: "k" });
    await desk.done(desk.use.name({ who: "tester", name: "web", claims: OWNER }));
    const again = await desk.send("web", "hello", { from: "web", idempotencyKey: "k" });
    expect(again.messageId).toBe(first.messageId);
  });

  it.each([
    [
      "all wishes",
      '["agent/coder","hello",null,"normal","person/dev",null,null,null,null,null,null,false,null,null]',
    ],
    ["no wishes", '["agent/coder","hello",{"kind":"text"},"normal","person/dev",null,null,null]'],
  ])("knows the same again of a time when a digest held %s", async (_, content) => {
    const desk = await deskWith("coder");
    const before = aMessage({
      from: "person/dev",
      to: "agent/coder",
      idempotencyKey: "person/dev\nk",
      contentDigest: createHash("sha256").update(content).digest("hex"),
    });
    await desk.store.write((tx) => tx.insertMessage(before));
    const again = await desk.send("coder", "hello", { idempotencyKey: "k" });
    expect(again.messageId).toBe(before.id);
    await expect(desk.send("coder", "other", { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "message.conflict",
    });
  });

  it("knows the same keys again when the dialog that they answered is closed", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ dialog: "Allow reading?" });
    const answer = { raw: true, keys: ["Enter"], idempotencyKey: "k" };
    const first = await desk.send("coder", "1", answer);
    coder.program.becomes({ dialog: undefined });
    const again = await desk.send("coder", "1", answer);
    expect(again.messageId).toBe(first.messageId);
    await expect(desk.send("coder", "1", { ...answer, keys: ["Tab"] })).rejects.toMatchObject({
      code: "message.conflict",
    });
  });

  it("answers a repeated dead letter as a dead letter", async () => {
    const desk = await openDesk();
    await desk.ready();
    const first = await desk.send("agent/nobody", "hello", { idempotencyKey: "k" });
    const second = await desk.send("agent/nobody", "hello", { idempotencyKey: "k" });
    expect(second).toMatchObject({ messageId: first.messageId, unmatched: true, deliveries: [] });
    expect([first.reason, second.reason]).toEqual(["nobody has this address", "nobody has this address"]);
  });
});

it("is digested as the same JSON whether it was put together or not: keys stay valid for months", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a/b", '"', "\\", "\u2028"));
  const wishes = fc.record(
    {
      askedPriority: fc.constantFrom("normal", "next"),
      command: fc.string(),
      payload: fc.constantFrom<object>({ text: "x" }, {}),
      timeoutMs: fc.nat(),
      owes: fc.constant({ onDelivery: true }),
      require: fc.constant("accepted"),
      atMostOnce: fc.boolean(),
      anyWayIn: fc.boolean(),
      channel: fc.string(),
      externalId: fc.string(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(text, text, fc.oneof(fc.constant({}), wishes), fc.boolean(), (to, body, wished, toItself) => {
      const sender = { address: toItself ? to : "person/dev", source: "person" } as const;
      const asked = { to, sender, body, form: { kind: "text" }, priority: "normal", ...wished };
      const { askedPriority, command, payload, timeoutMs, owes, require, channel, externalId } =
        asked as unknown as Submission;
      const list = [
        to === sender.address ? null : to,
        body,
        null,
        askedPriority ?? null,
        command ?? null,
        payload ?? null,
        null,
        timeoutMs ?? null,
        owes === undefined ? null : [true, null],
        require ?? null,
        (asked as Partial<Submission>).atMostOnce ?? false,
        channel ?? null,
        externalId ?? null,
        ...((asked as Partial<Submission>).anyWayIn === true ? ["any-way-in"] : []),
      ];
      expect(contentText(asked as unknown as Submission)).toBe(JSON.stringify(list));
    }),
  );
});
