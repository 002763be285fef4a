import { describe, expect, it } from "vitest";
import { readVerbRequest } from "./verbs.ts";

describe("a request with a recipient", () => {
  it.each([
    ["status", {}, { verb: "status", fields: {} }],
    ["status", { to: "coder" }, { verb: "session", fields: { who: "coder" } }],
    ["stop", {}, { verb: "stop", fields: {} }],
    ["stop", { to: "coder", graceMs: 10 }, { verb: "session_stop", fields: { who: "coder", graceMs: 10 } }],
    ["attach", { to: "coder", cols: 80, rows: 24 }, { verb: "attach", fields: { who: "coder" } }],
    ["attach", { who: "coder" }, { verb: "attach", fields: { who: "coder" } }],
    ["send", { to: "coder", body: "x" }, { verb: "send", fields: { to: "coder", body: "x" } }],
  ])("%s %j", (type, fields, asked) => {
    expect(readVerbRequest(type, fields)).toEqual(asked);
  });

  it("does not make a verb of what is none", () => {
    expect(() => readVerbRequest("stopp", { to: "coder" })).toThrow(/There is no request "stopp"/);
  });
});
