import fc from "fast-check";
import { expect, it } from "vitest";
import { LIMITS } from "../../core/message.ts";
import { WS_SCHEMAS } from "../../wire/ws/schemas.ts";
import { isPlainPublish } from "./plain-publish.ts";

const value = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("agent/a", "", "x".repeat(128), "x".repeat(129), "x".repeat(1_025), "\ud800"),
  fc.constantFrom(0, 1.5, Number.POSITIVE_INFINITY, null, true, undefined),
  fc.constant("ü".repeat(LIMITS.bodyBytes / 2)),
  fc.constant(`${"ü".repeat(LIMITS.bodyBytes / 2)}!`),
);
const field = fc.constantFrom("reqId", "path", "to", "body", "payload", "priority", "__proto__", "toString");
const fields = fc.array(fc.tuple(field, value), { maxLength: 5 });

it("recognises nothing that the schema refuses, and takes it as the schema does", () => {
  fc.assert(
    fc.property(fc.constantFrom("msg.route", "msg.send"), fields, (type, entries) => {
      const frame: Record<string, unknown> = { type };
      for (const [name, content] of entries)
        Object.defineProperty(frame, name, { value: content, enumerable: true, configurable: true });
      if (!isPlainPublish(type, frame)) return;
      const parsed = WS_SCHEMAS[type].safeParse(frame);
      expect(parsed.success).toBe(true);
      expect(parsed.data).toEqual(frame);
    }),
    { numRuns: 2_000 },
  );
});

it("recognises a text to an address", () => {
  expect(isPlainPublish("msg.route", { type: "msg.route", reqId: 1, path: "a/b", body: "hello" })).toBe(true);
  expect(isPlainPublish("msg.send", { type: "msg.send", reqId: "x", to: "a", body: "hello" })).toBe(true);
});

it.each([
  ["a type of its own", "msg.broadcast", { body: "hello" }],
  ["another field", "msg.route", { path: "a/b", body: "hello", priority: "urgent" }],
  ["no address", "msg.route", { body: "hello" }],
  ["half a character", "msg.route", { path: "a/b", body: "\ud800" }],
  ["too long a text", "msg.send", { to: "a", body: "x".repeat(LIMITS.bodyBytes + 1) }],
] as const)("leaves to the schema: %s", (_, type, frame) => {
  expect(isPlainPublish(type, { type, ...frame })).toBe(false);
});
