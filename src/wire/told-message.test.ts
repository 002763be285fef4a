import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Address,
  type AgentName,
  DELIVERY_STATES,
  type Instant,
  type MessageId,
} from "../core/message.ts";
import { toSnake } from "./casing.ts";
import type { BrokerMessage } from "./shapes/broker.ts";
import { briefly, brieflyInSnake, messageFrom, messageFromBrief } from "./told-message.ts";

const whole: Required<BrokerMessage> = {
  id: "8cf6ca5c-ad6c-40ec-969b-cecbfdec97ba" as MessageId,
  shortId: "9sbg0q",
  from: "writer",
  path: "docs/new" as Address,
  command: "analyze",
  payload: { some_topic: "tides", someOther: [1] },
  body: "look",
  status: "delivered",
  state: "read",
  timestamp: 1_794_864_822_041 as Instant,
  source: "slack",
  externalId: "ts-1",
  handled: true,
  handledBy: [{ agentId: "writer" as AgentName, sessionId: "3573b51f" }],
  redelivered: true,
};
const { state: _state, handled: _handled, handledBy: _by, redelivered: _again, ...least } = whole;

const overTheWire = (said: unknown): unknown => JSON.parse(JSON.stringify(said));

describe.each([
  ["in full", (message: BrokerMessage) => messageFrom(overTheWire(toSnake(message)))],
  ["briefly", (message: BrokerMessage) => messageFromBrief(overTheWire(briefly(message)))],
  [
    "briefly, in snake_case",
    (message: BrokerMessage) => messageFromBrief(overTheWire(brieflyInSnake(message))),
  ],
])("a message told %s", (_, told) => {
  it("keeps every field, and the payload as it is", () => {
    expect(told(whole)).toEqual(whole);
  });

  it("has no field that was not told", () => {
    expect(Object.keys(told(least)).sort()).toEqual(Object.keys(least).sort());
  });

  it("is what it was, whatever it was", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(told(message)).toEqual(overTheWire(message));
        expect(Object.keys(told(message)).sort()).toEqual(Object.keys(message).sort());
      }),
      { numRuns: 1_000 },
    );
  });
});

it("leaves out what most messages have in common", () => {
  const usual = {
    ...whole,
    command: "message",
    payload: { text: "look" },
    status: "pending",
    state: "queued",
  };
  const { handledBy: _none, redelivered: _no, ...message } = usual;
  const told = { ...message, source: "internal", externalId: null, handled: false } as BrokerMessage;
  expect(briefly(told)).toEqual([
    whole.id,
    "9sbg0q",
    "writer",
    "docs/new",
    "look",
    whole.timestamp,
    "queued",
  ]);
  expect(briefly({ ...told, state: "delivering" })).toHaveLength(7);
});

it.each([undefined, null, 3, "text", {}, []])("is no message: %j", (told) => {
  expect(() => messageFrom(told)).toThrow();
  expect(() => messageFromBrief(told)).toThrow();
});

const often = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const text = fc.oneof(fc.string(), fc.constantFrom("look", "", "message", "{}", "ü\n"));

const anyMessage: fc.Arbitrary<BrokerMessage> = fc
  .record(
    {
      id: fc.uuid(),
      shortId: fc.constant("9sbg0q"),
      from: text,
      path: fc.constant("docs/new"),
      command: often("message", text),
      body: text,
      status: often("pending", fc.constantFrom("delivered", "expired", "cancelled", "failed")),
      state: often("queued", fc.constantFrom(...DELIVERY_STATES)),
      timestamp: fc.nat(),
      source: often("internal", text),
      externalId: often<string | null>(null, text),
      handled: often(false, fc.boolean()),
      handledBy: fc.array(fc.record({ agentId: text, sessionId: text })),
      redelivered: fc.constant(true),
    },
    {
      requiredKeys: [
        "id",
        "shortId",
        "from",
        "path",
        "command",
        "body",
        "status",
        "timestamp",
        "source",
        "externalId",
      ],
    },
  )
  .chain((message) =>
    often<unknown>(
      { text: message.body },
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom({}, { text: "else" }, { text: message.body, more: 1 }, [message.body], {
          some_key: 1,
        }),
      ),
    ).map((payload) => ({ ...message, payload }) as unknown as BrokerMessage),
  );
