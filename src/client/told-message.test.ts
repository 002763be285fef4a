import { expect, it } from "vitest";
import type { Address, AgentName, Instant, MessageId } from "../core/message.ts";
import { toSnake } from "../wire/casing.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { messageFrom } from "./told-message.ts";

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

it("keeps every field, and the payload as it is", () => {
  expect(messageFrom(toSnake(whole))).toEqual(whole);
});

it("has no field that was not told", () => {
  const { state: _state, handled: _handled, handledBy: _by, redelivered: _again, ...least } = whole;
  expect(Object.keys(messageFrom(toSnake(least))).sort()).toEqual(Object.keys(least).sort());
});

it.each([undefined, null, 3, "text", {}, []])("is no message: %j", (told) => {
  expect(() => messageFrom(told)).toThrow();
});
