import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readUpdate } from "./updates.ts";

const CHAT = { id: 42, type: "private", first_name: "Ada" };
const FROM = { id: 42, is_bot: false, first_name: "Ada", last_name: "Lovelace" };
const nobody = () => undefined;

const update = (message: object) => ({
  update_id: 7,
  message: { message_id: 3, date: 1, chat: CHAT, from: FROM, ...message },
});
const arrivalOf = (message: object) => {
  const reading = readUpdate(update(message), nobody);
  return reading.kind === "arrival" ? reading.arrival : undefined;
};

describe("an update of Telegram", () => {
  it("is what a person says, who and where", () => {
    expect(arrivalOf({ text: "hello" })).toEqual({
      externalId: "7/42/3",
      path: "telegram/42",
      from: "42",
      fromName: "Ada Lovelace",
      text: "hello",
      answerable: "42/3",
    });
  });

  it.each([
    [{ photo: [{ file_id: "a" }], caption: "look" }, "look\n(photo)"],
    [{ photo: [{ file_id: "a" }] }, "(photo)"],
    [{ photo: [], caption: "[api] look at this" }, "[api] look at this\n(photo)"],
    [{ sticker: { emoji: "👍" } }, "(sticker 👍)"],
    [{ voice: { duration: 3 } }, "(voice message)"],
    [{ document: { file_name: "report.pdf" } }, "(file report.pdf)"],
    [{ document: { file_name: "x".repeat(500) } }, `(file ${"x".repeat(100)})`],
    [{ animation: {}, document: {} }, "(animation)"],
    [{ venue: {}, location: {} }, "(place)"],
    [{ poll: { question: "?" } }, "(poll)"],
  ])("says of what is no text what it was: %j", (message, text) => {
    expect(arrivalOf(message)?.text).toBe(text);
  });

  it("is nobody's word if Telegram itself notes something", () => {
    for (const message of [{ pinned_message: {} }, { forum_topic_created: {} }, { text: "" }, {}])
      expect(readUpdate(update(message), nobody)).toMatchObject({ kind: "other", updateId: 7 });
  });

  it("mends half a character", () => {
    expect(arrivalOf({ text: "a\ud800b" })?.text).toBe("a\ufffdb");
  });

  it("comes from the group or channel in whose name it was written", () => {
    const anonymous = { id: 1_087_968_824, is_bot: true, first_name: "Group" };
    const message = { from: anonymous, sender_chat: { id: -100_5, title: "Team" }, text: "hi" };
    expect(arrivalOf(message)).toMatchObject({ from: "-1005", fromName: "Team" });
  });

  it("names the thread only of a topic: other groups number answers too", () => {
    expect(arrivalOf({ text: "x", message_thread_id: 9 })).not.toHaveProperty("thread");
    expect(arrivalOf({ text: "x", message_thread_id: 9, is_topic_message: true })).toMatchObject({
      thread: "9",
    });
  });

  it("names what it answers, in the chat where that is", () => {
    expect(arrivalOf({ text: "x", reply_to_message: { message_id: 2 } })?.answers).toEqual(["42/2"]);
    const other = { message_id: 2, chat: { id: -5 } };
    expect(arrivalOf({ text: "x", reply_to_message: other })?.answers).toEqual(["-5/2"]);
  });

  it("has the words of the pressed button, even of a message that is too old to be shown", () => {
    const message = { message_id: 3, chat: CHAT, date: 0 };
    const query = (shown: object) => ({
      update_id: 7,
      callback_query: { id: "1", from: FROM, data: "n1", message: { ...message, ...shown } },
    });
    const buttons = { reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "n1" }]] } };
    const press = { id: "1", chat: "42", messageId: 3 };
    expect(readUpdate(query(buttons), nobody)).toMatchObject({
      arrival: { text: "Yes", button: "n1" },
      press,
    });
    expect(readUpdate(query({}), nobody)).toMatchObject({
      arrival: { text: "(button)", button: "n1" },
      press,
    });
    expect(readUpdate(query({ reply_markup: { inline_keyboard: [[null, 1], 2] } }), nobody)).toMatchObject({
      press,
    });
  });

  it("never breaks the reader, whatever it is", () => {
    const names = [
      "update_id",
      "message",
      "callback_query",
      "chat",
      "from",
      "id",
      "text",
      "photo",
      "data",
      "__proto__",
    ];
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.boolean()),
      tree: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(...names, "message_id", "reply_to_message", "sender_chat"),
          tie("tree"),
        ),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const reading = readUpdate(value, nobody);
        if (reading.kind !== "arrival") return;
        expect(reading.arrival.path).toMatch(/^telegram\/-?\d+$/);
        expect(reading.arrival.from).toMatch(/^-?\d+$/);
        expect(reading.arrival.text.isWellFormed()).toBe(true);
      }),
    );
    const valid = fc.record({ message_id: fc.constant(1), chat: fc.constant(CHAT), from: fc.constant(FROM) });
    fc.assert(
      fc.property(
        valid,
        fc.dictionary(fc.constantFrom(...names, "caption", "sticker", "reply_to_message"), tree),
        (a, b) => {
          readUpdate(update({ ...b, ...a }), nobody);
        },
      ),
    );
  });
});
