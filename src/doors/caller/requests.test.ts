import { describe, expect, it } from "vitest";
import { BellhopError } from "../../core/errors.ts";
import { readFrame } from "../ws/requests.ts";
import { readRequest } from "./requests.ts";

const OWNER = { user: "dev", now: 0 };

function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof BellhopError) return `${error.message} ${error.next}`;
    throw error;
  }
  return "taken";
}

describe("fields that a request does not have", () => {
  it("are all named, with what was meant", () => {
    expect(refusalOf(() => readRequest("send", { to: "a", body: "b", prioritty: "x", rwa: 1 }, OWNER))).toBe(
      '"send" has no fields "prioritty", "rwa". Did you mean "priority", "raw"?',
    );
  });

  it("are named before one that is missing for them", () => {
    expect(refusalOf(() => readRequest("remind", { txt: "b" }, OWNER))).toMatch(
      /^"remind" has no field "txt"\. Did you mean "text"/,
    );
  });

  it("are looked for where they stand, further in", () => {
    expect(
      refusalOf(() => readFrame("msg.history", { type: "msg.history", agentId: "a", options: { limti: 1 } })),
    ).toBe('"msg.history.options" has no field "limti". Did you mean "limit"?');
    expect(
      refusalOf(() => readFrame("msg.history", { type: "msg.history", agentId: "a", options: { zzzzz: 1 } })),
    ).toBe('"msg.history.options" has no field "zzzzz". It takes: limit, fromTime, toTime.');
  });

  it("are counted where there are many", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`qqqqqqqq${index}`, 1]));
    expect(refusalOf(() => readRequest("status", many, OWNER))).toMatch(
      / and 12 more\. "status" takes no fields/,
    );
  });
});
