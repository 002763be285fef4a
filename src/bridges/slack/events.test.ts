import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHANNEL_ID, readEnvelope, TIMESTAMP } from "./events.ts";

const self = { userId: "U1BOT", botId: "B1BOT", teamId: "T1", name: "bellhop" };
const EVENT = { type: "message", channel: "C1", user: "U2", ts: "1.5", text: "hello" };
const read = (event: object) =>
  readEnvelope({ type: "events_api", body: { api_app_id: "A1", event: { ...EVENT, ...event } } }, self);

describe("an event of Slack", () => {
  it("is what a person says, who and where", () => {
    expect(read({})).toEqual({
      kind: "message",
      message: { channel: "C1", isDirect: false, ts: "1.5", from: "U2", text: "hello" },
    });
    expect(read({ channel: "D1", thread_ts: "1.2" })).toMatchObject({
      message: { isDirect: true, threadTs: "1.2" },
    });
  });

  it("that begins a thread is in none yet", () => {
    expect(read({ thread_ts: "1.5" })).toMatchObject({
      message: expect.not.objectContaining({ threadTs: "1.5" }),
    });
  });

  it.each([
    { user: "U1BOT" },
    { bot_id: "B1BOT" },
    { bot_id: "B9", app_id: "A1" },
    { subtype: "message_changed" },
    { subtype: "channel_join" },
    { subtype: {} },
    { hidden: true },
    { text: "" },
    { text: "<@U1BOT>" },
    { channel: "c1" },
    { channel: "C1/../x" },
    { user: "__proto__" },
    { ts: "1" },
    { ts: 1.5 },
  ])("is passed over if it has %j", (event) => {
    expect(read(event)).toMatchObject({ kind: "other" });
  });

  it("of an app is the app's, also where it posts for a person", () => {
    expect(read({ bot_id: "B9", user: "U7" })).toMatchObject({ message: { from: "B9" } });
    expect(read({ bot_id: null, user: "U7" })).toMatchObject({ kind: "other" });
  });

  it("mends half a character", () => {
    expect(read({ text: "a\ud800b" })).toMatchObject({ message: { text: "a\ufffdb" } });
  });

  it("never breaks the reader, whatever it is", () => {
    const names = [
      "type",
      "event",
      "channel",
      "user",
      "ts",
      "text",
      "files",
      "actions",
      "value",
      "container",
      "message",
      "id",
      "__proto__",
    ];
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.constantFrom("message", "block_actions", "channel_rename", "C1", "U2", "1.5", "x"),
        fc.constant(null),
        fc.double(),
        fc.string(),
      ),
      tree: fc.oneof(
        { depthSize: "medium" },
        tie("leaf"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom("events_api", "interactive", "x"), tree, (type, body) => {
        const reading = readEnvelope({ type, body }, self);
        if (reading.kind !== "message" && reading.kind !== "press") return;
        const { channel, ts, text } = reading.kind === "message" ? reading.message : reading.press;
        expect(channel).toMatch(CHANNEL_ID);
        expect(ts).toMatch(TIMESTAMP);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});
