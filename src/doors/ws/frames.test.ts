import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import { messageFromBrief } from "../../wire/told-message.ts";
import { okFrame, pushFrame, sessionPushFrame, textFrame } from "./frames.ts";

/** RFC 6455 framing, as a server sends it. */
function read(frame: Buffer): string {
  expect(frame[0]).toBe(0x81);
  const short = frame[1] ?? 0;
  expect(short).toBeLessThan(0x80);
  const [head, length] =
    short < 126
      ? [2, short]
      : short === 126
        ? [4, frame.readUInt16BE(2)]
        : [10, Number(frame.readBigUInt64BE(2))];
  // The shortest form is the only one allowed.
  if (short === 126) expect(length).toBeGreaterThan(125);
  if (short === 127) expect(length).toBeGreaterThan(0xffff);
  expect(frame.length).toBe(head + length);
  return frame.toString("utf8", head);
}

const MESSAGE: BrokerMessage = {
  id: "ebac0d1c-96c2-469e-a1f1-761987bae549",
  shortId: "m7k2q9",
  from: "writer",
  path: "agent/researcher",
  command: "analyze",
  payload: { 'quo"ted': "ü 👩‍👩‍👧" },
  body: "x",
  status: "pending",
  timestamp: 1,
  source: "internal",
  externalId: null,
};

describe("an answer", () => {
  const reqIds = fc.oneof(fc.constant(undefined), fc.string(), fc.double());
  const answers = fc.dictionary(
    fc.string().filter((name) => name !== "type" && name !== "reqId" && name !== "toJSON"),
    fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  );

  it("put together from its parts is what JSON makes of the whole", () => {
    fc.assert(
      fc.property(answers, reqIds, (answer, reqId) => {
        const whole = JSON.parse(JSON.stringify({ type: "msg.route.ok", ...answer, reqId }));
        const text = read(okFrame("msg.route", answer, reqId));
        expect(JSON.parse(text)).toEqual(whole);
        expect(text).toBe(JSON.stringify({ type: "msg.route.ok", ...answer, reqId }));
      }),
    );
  });
});

describe("a text frame", () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, 1_000_000])("of %d bytes says its length", (bytes) => {
    expect(read(textFrame("x".repeat(bytes)))).toHaveLength(bytes);
  });

  it("counts bytes, not characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(read(textFrame(text))).toBe(text);
      }),
    );
  });
});

describe("a push", () => {
  it("is the message in JSON, made once for however many hear it", () => {
    const whole = pushFrame(MESSAGE, "in-full");
    expect(JSON.parse(read(whole))).toEqual({ type: "msg.push", message: MESSAGE });
    expect(pushFrame(MESSAGE, "in-full")).toBe(whole);
  });

  it("is made once too for those who hear it briefly, and both may come in turn", () => {
    const [whole, brief] = [pushFrame(MESSAGE, "in-full"), pushFrame(MESSAGE, "briefly")];
    const { brief: said, ...rest } = JSON.parse(read(brief)) as { readonly brief: unknown };
    expect(rest).toEqual({ type: "msg.push" });
    expect(messageFromBrief(said)).toEqual(MESSAGE);
    expect(pushFrame(MESSAGE, "briefly")).toBe(brief);
    expect(pushFrame(MESSAGE, "in-full")).toBe(whole);
  });

  it("to a session names it", () => {
    expect(JSON.parse(read(sessionPushFrame("a", 'na"me', MESSAGE, "in-full")))).toEqual({
      type: "msg.session.push",
      agentId: "a",
      sessionId: 'na"me',
      message: MESSAGE,
    });
  });
});
