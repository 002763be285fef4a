import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentName, type Instant, LIMITS } from "../../core/message.ts";
import { VERBS } from "../../wire/verbs/index.ts";
import { WS_SCHEMAS } from "../../wire/ws/schemas.ts";
import { isPlainPublish, isPlainSend, PlainSends } from "./plain-publish.ts";
import { readRequest } from "./requests.ts";

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

describe("on the Unix socket", () => {
  const caller = { user: "alice", now: 1 as Instant };
  const known = fc.constantFrom("path", "to", "body", "idempotencyKey", "priority", "raw", "__proto__", "re");
  const said = fc.array(fc.tuple(known, value), { maxLength: 5 });
  const claims = fc.constantFrom(
    undefined,
    {},
    { user: "mallory", agent: "victim" },
    { user: "bob", pid: 7 },
    { user: "bob", pid: 8 },
    { user: "bob", pid: 0 },
    { user: "bob", tmux: { socket: "/tmp/x", pane: "%1" } },
    { user: "bob", tmux: { socket: "/tmp/x", pane: "%2" } },
    { user: "bob", programSessions: { SOME_ID: "1" } },
    null,
    "text",
    [],
  );

  it("recognises nothing that the schema refuses", () => {
    fc.assert(
      fc.property(fc.constantFrom("route" as const, "send" as const), said, (verb, entries) => {
        const fields = requestOf(entries);
        if (!isPlainSend(verb, fields)) return;
        const whole = { ...fields, claims: { user: "alice" } };
        const parsed = VERBS[verb].request.safeParse(whole);
        expect(parsed.success).toBe(true);
        expect(parsed.data).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads what the schema reads, whoever asked before", () => {
    const requests = fc.array(fc.tuple(fc.constantFrom("route" as const, "send" as const), claims), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(requests, (asked) => {
        const plainSends = new PlainSends();
        for (const [verb, who] of asked) {
          const words = verb === "route" ? { path: "a/b", body: "x" } : { to: "a", body: "x" };
          // As parsed from a line: never the same object twice.
          const fields = structuredClone(who === undefined ? words : { ...words, claims: who });
          const plain = plainSends.read(verb, fields, caller);
          const byTheSchema = orRefused(() => readRequest(verb, fields, caller));
          if (plain !== undefined) expect(plain).toEqual(byTheSchema);
          if (byTheSchema !== "refused") plainSends.learn(fields, caller, byTheSchema.claims);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("needs no schema for the same caller's second message, nor for a caller that says nothing of itself", () => {
    const plainSends = new PlainSends();
    const fields = () => ({ path: "a/b", body: "x", idempotencyKey: "k", claims: { user: "bob", pid: 7 } });
    expect(plainSends.read("route", fields(), caller)).toBeUndefined();
    plainSends.learn(fields(), caller, readRequest("route", fields(), caller).claims);
    expect(plainSends.read("route", fields(), caller)?.claims).toEqual({ user: "alice", pid: 7 });
    expect(plainSends.read("send", { to: "a", body: "x" }, caller)?.claims).toEqual({ user: "alice" });
  });

  it("leaves an agent's own credential to the schema", () => {
    const plainSends = new PlainSends();
    const agent = { ...caller, agent: "coder" as AgentName };
    plainSends.learn({ claims: { user: "bob" } }, agent, { user: "alice", agent: "coder" });
    expect(plainSends.read("send", { to: "a", body: "x" }, agent)).toBeUndefined();
    expect(plainSends.read("send", { to: "a", body: "x", claims: { user: "bob" } }, caller)).toBeUndefined();
  });
});

function requestOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, content] of entries)
    Object.defineProperty(fields, name, { value: content, enumerable: true, configurable: true });
  return fields;
}

function orRefused<T>(read: () => T): T | "refused" {
  try {
    return read();
  } catch {
    return "refused";
  }
}
