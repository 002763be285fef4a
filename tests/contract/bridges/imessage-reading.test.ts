import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/system/clock.ts";
import { OLD_SCHEMA } from "../../rig/imessage/old-schema.ts";
import { until } from "../../rig/scripted-agent.ts";
import { FRIEND, IMessageStage, MAIL, PATIENT_CLOCK, PHONE } from "./imessage-stage.ts";

let stage: IMessageStage;

beforeEach(async () => {
  stage = await IMessageStage.open();
});

afterEach(async () => {
  await stage.close();
});

describe("what iMessage brings in", () => {
  it("begins with what is written after the first start, and says where it was written", async () => {
    const { messages, inbox } = stage;
    await messages.writes({ text: "years ago", from: PHONE });
    await stage.connected();
    const guid = await messages.writes({ text: "now", from: PHONE });
    const [arrival] = await inbox.has(1);
    expect(arrival).toEqual({
      ...{ externalId: guid, path: `imessage/${PHONE}`, from: PHONE, text: "now", mayBeEcho: "inbound" },
    });
    expect(inbox.kept("inbound")).toBe("2");
    expect(inbox.kept("self")).toBe("1");
  });

  it("leaves out history that the Mac gets later, with new ids", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const anHourAgo = Date.now() - 3_600_000;
    await messages.writes({ text: "rm -rf, as of last year", from: PHONE, atMs: anHourAgo });
    await messages.writes({ text: "the same", from: PHONE, isFromMe: true, atMs: anHourAgo });
    await messages.writes({ text: "from a clock that is slow", from: PHONE, atMs: Date.now() - 300_000 });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["from a clock that is slow"]);
  });

  it("includes what was written while Bellhop was away for long", async () => {
    const { messages, inbox } = stage;
    const days = 86_400_000;
    const past = { ...systemClock, now: () => Date.now() - 10 * days };
    const first = await stage.connected({}, { clock: past });
    await first.close();
    await messages.writes({ text: "a week ago", from: PHONE, atMs: Date.now() - 7 * days });
    await stage.connected();
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["a week ago"]);
  });

  it("includes what the owner writes on another device, with a cursor of its own", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    await messages.writes({ text: "from my phone", from: PHONE, isFromMe: true });
    await messages.writes({ text: "from outside", from: MAIL });
    const arrivals = await inbox.has(2);
    expect(arrivals.map(({ path, mayBeEcho }) => [path, mayBeEcho])).toEqual([
      [`imessage/${PHONE}`, "self"],
      [`imessage/${MAIL}`, "inbound"],
    ]);
    expect([inbox.kept("self"), inbox.kept("inbound")]).toEqual(["1", "2"]);
  });

  it("knows a person by all their handles, also by one that appears later, however it is spelled", async () => {
    const { messages, inbox } = stage;
    await stage.connected({ sms: true });
    await messages.writes({ text: "1", from: PHONE });
    await messages.writes({ text: "2", from: PHONE, service: "SMS" });
    await messages.writes({ text: "3", from: "Me@iCloud.com" });
    await inbox.has(3);
    expect(inbox.texts()).toEqual(["1", "2", "3"]);
    expect(await messages.query("SELECT id FROM handle WHERE id LIKE '+1%'")).toHaveLength(2);
  });

  it("leaves out strangers, groups, reactions, events, SMS, and attachments without words", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const columns = (more: Readonly<Record<string, number>>) => ({ text: "no", from: PHONE, columns: more });
    await messages.writes({ text: "no", from: FRIEND });
    await messages.writes({ text: "no", from: PHONE, group: "chat123" });
    await messages.writes({ text: "no", from: PHONE, service: "SMS" });
    await messages.writes({ text: "no", from: PHONE, service: "RCS" });
    for (const type of [2_000, 2_005, 2_007, 3_000, 3_007])
      await messages.writes(columns({ associated_message_type: type }));
    await messages.writes(columns({ item_type: 2 }));
    await messages.writes({ text: "\ufffc", from: PHONE, columns: { cache_has_attachments: 1 } });
    await messages.writes({ from: PHONE, columns: { cache_has_attachments: 1 } });
    await messages.writes({ text: "\ufffca picture", from: PHONE, columns: { cache_has_attachments: 1 } });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["a picture"]);
    expect(stage.lines.filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("reads bodies of all sizes, and texts as older versions of macOS wrote them", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const texts = [127, 128, 9_000, 70_000].map((length) =>
      "冄".repeat(length / 3).padEnd(length / 3 + 2, "é"),
    );
    for (const text of texts) await messages.writes({ text, from: PHONE });
    await messages.writes({ text: "plain", from: PHONE, isPlain: true });
    await inbox.has(5);
    expect(inbox.texts()).toEqual([...texts, "plain"]);
  });

  it("passes over what it cannot read, and says so in the log without its words", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const broken = Buffer.from("\u0004\u000bstreamtyped secret words").toString("base64");
    await messages.writes({ from: PHONE, bodyBase64: broken });
    await messages.writes({ text: "x".repeat(1_200_000), from: PHONE });
    await messages.writes({ text: "after", from: PHONE });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["after"]);
    expect(stage.events("imessage.unreadable").map(({ fields }) => fields.rowid)).toEqual(["1", "2"]);
    expect(JSON.stringify(stage.lines)).not.toContain("secret");
  });

  it("waits for a message that is not yet joined to its chat, and keeps the order", async () => {
    const { messages, inbox } = stage;
    await stage.connected({}, { clock: PATIENT_CLOCK });
    await messages.writes({ text: "first", from: PHONE, joins: { afterMs: 700 } });
    await messages.writes({ text: "second", from: PHONE });
    await inbox.has(2);
    expect(inbox.texts()).toEqual(["first", "second"]);
  });

  it("waits three seconds, and not for ever", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const startedAt = performance.now();
    await messages.writes({ text: "nowhere", from: PHONE, joins: "never" });
    await messages.writes({ text: "not held up", from: PHONE, isFromMe: true });
    await messages.writes({ text: "next", from: PHONE });
    await inbox.has(2);
    expect(inbox.texts()).toEqual(["not held up", "next"]);
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    expect(stage.events("imessage.incomplete")).toHaveLength(1);
  });

  it("names what a message answers", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    const guid = await messages.writes({ text: "question", from: PHONE, isFromMe: true });
    await messages.writes({ text: "answer", from: PHONE, answers: guid });
    const [, answer] = await inbox.has(2);
    expect(answer?.answers).toEqual([guid]);
  });

  it("reads a database without the columns that came later", async () => {
    const old = await IMessageStage.open(OLD_SCHEMA);
    await old.connected();
    await old.messages.writes({ text: "from High Sierra", from: PHONE, isPlain: true });
    await old.inbox.has(1);
    expect(old.inbox.texts()).toEqual(["from High Sierra"]);
    await old.close();
  });

  it("takes a flood in its order, each once, in little time", async () => {
    const { messages, inbox } = stage;
    const bridge = await stage.connected();
    const texts = Array.from({ length: 10_000 }, (_, index) => `line ${index}`);
    await messages.writesMany(texts.map((text) => ({ text, from: PHONE })));
    await inbox.has(10_000);
    expect(inbox.texts()).toEqual(texts);
    expect(inbox.repeated).toEqual([]);
    expect(bridge.health().state).toBe("connected");
  });

  it("moves over other people's messages without writing for each of them", async () => {
    const { messages, inbox } = stage;
    const bridge = await stage.connected();
    await messages.writesMany(Array.from({ length: 400 }, () => ({ text: "no", from: FRIEND })));
    await messages.writes({ text: "ours", from: PHONE });
    await inbox.has(1);
    expect(inbox.kept("self")).toBe("0");
    await messages.writesMany(Array.from({ length: 400 }, () => ({ text: "no", from: FRIEND })));
    await until(() => inbox.kept("self") === "801", "the cursor to be written");
    await bridge.close();
    await stage.connected();
    await messages.writes({ text: "later", from: PHONE });
    await inbox.has(2);
    expect(inbox.repeated).toEqual([]);
  });

  it("looks every few seconds where no watcher notices", async () => {
    const { messages, inbox } = stage;
    await stage.connected({ pollMs: 200 });
    // The watcher stays with a folder that is no longer the one of the database.
    await messages.isAway(true);
    await until(() => stage.lines.some(({ fields }) => fields.state === "down"), "the bridge to notice");
    await messages.isAway(false);
    await messages.writes({ text: "found", from: PHONE });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["found"]);
  });
});

describe("a chat with oneself", () => {
  const write = async (text: string, atMs: number, isFromMe: boolean) =>
    stage.messages.writes({ text, from: PHONE, isFromMe, atMs });

  it("says everything twice, and means it once", async () => {
    await stage.connected();
    const now = Date.now();
    const first = await write("deploy", now, true);
    await write("deploy", now + 400, false);
    await write("deploy", now + 60_000, false);
    await write("deploy", now + 60_500, true);
    await until(() => stage.inbox.taken.length + stage.inbox.repeated.length === 4, "all four");
    expect(stage.inbox.texts()).toEqual(["deploy", "deploy"]);
    expect(stage.inbox.taken[0]?.externalId).toBe(first);
    expect([stage.inbox.kept("self"), stage.inbox.kept("inbound")]).toEqual(["4", "3"]);
  });

  it("means it twice if the person writes it twice", async () => {
    await stage.connected();
    const now = Date.now();
    for (const [after, isFromMe] of [
      [0, true],
      [100, false],
      [4_000, true],
      [4_100, false],
    ] as const)
      await write("yes", now + after, isFromMe);
    await until(() => stage.inbox.taken.length + stage.inbox.repeated.length === 4, "all four");
    expect(stage.inbox.texts()).toEqual(["yes", "yes"]);
  });

  it("is the same after a restart between the two", async () => {
    const first = await stage.connected();
    const now = Date.now();
    await write("once", now, false);
    await stage.inbox.has(1);
    await first.close();
    await write("once", now + 900, true);
    await stage.connected();
    await until(() => stage.inbox.repeated.length === 1, "the twin");
    expect(stage.inbox.texts()).toEqual(["once"]);
  });

  it("finds both ids of what is answered", async () => {
    await stage.connected();
    const now = Date.now();
    const sent = await write("Shall I?", now, true);
    const received = await write("Shall I?", now + 300, false);
    await stage.messages.writes({ text: "Do", from: PHONE, isFromMe: true, answers: received });
    await until(() => stage.inbox.texts().includes("Do"), "the answer");
    expect(stage.inbox.taken.at(-1)?.answers).toEqual([received, sent]);
  });
});
