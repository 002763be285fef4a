import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BellhopError } from "../core/errors.ts";
import { camelKey, requestToCamel, snakeKey, toCamel, toSnake } from "./casing.ts";

describe("casing", () => {
  it("renames nested keys both ways", () => {
    const camel = { messageId: "a", deliveries: [{ queuedAt: 1, hold: { reason: "busy" } }] };
    const snake = { message_id: "a", deliveries: [{ queued_at: 1, hold: { reason: "busy" } }] };
    expect(toSnake(camel)).toEqual(snake);
    expect(toCamel(snake)).toEqual(camel);
    expect(requestToCamel(snake)).toEqual(camel);
  });

  it("leaves payload, environment, program sessions and hook output alone", () => {
    const inside = { CLAUDE_CODE_SESSION_ID: "x", hook_event_name: "Stop", camelCase: { some_key: 1 } };
    const camel = { payload: inside, environment: inside, programSessions: inside, output: inside };
    const snake = { payload: inside, environment: inside, program_sessions: inside, output: inside };
    expect(toSnake(camel)).toEqual(snake);
    expect(toCamel(snake)).toEqual(camel);
    expect(requestToCamel(snake)).toEqual(camel);
  });

  it("refuses a request field in another style and names the right one", () => {
    expect(() => requestToCamel({ claims: { reqId: 1 } })).toThrowError(BellhopError);
    try {
      requestToCamel({ idempotencyKey: "k" });
    } catch (error) {
      expect((error as BellhopError).message).toContain('"idempotencyKey"');
      expect((error as BellhopError).next).toContain('"idempotency_key"');
    }
  });

  it("never reaches a prototype", () => {
    const renamed = requestToCamel(JSON.parse('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(renamed)).toBe(Object.prototype);
    expect(renamed.polluted).toBeUndefined();
  });

  it("gives back every camelCase key", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,20}$/), (key) => {
        expect(camelKey(snakeKey(key))).toBe(key);
      }),
    );
  });
});
