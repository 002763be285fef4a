import { describe, expect, it } from "vitest";
import type { Need } from "../../core/rights/needs.ts";
import { needsOf, STREAMS, VERBS } from "./index.ts";

describe("what a request needs", () => {
  it("is known of every verb and every stream", () => {
    for (const { needs } of [...Object.values(VERBS), ...Object.values(STREAMS)])
      expect(needs).toBeInstanceOf(Function);
  });

  const words = (needs: readonly Need[]) => needs.map(({ right }) => right);

  it.each([
    [{}, ["send"]],
    [{ priority: "idle" }, ["send"]],
    [{ priority: "urgent" }, ["send", "urgent"]],
    [{ priority: "interrupt" }, ["send", "urgent"]],
    [{ raw: true }, ["send", "raw"]],
    [{ raw: true, keys: ["Enter"] }, ["send", "raw"]],
    [{ keys: [] }, ["send", "raw"]],
    [{ re: "m7k2q9" }, ["send", "mail-of-others"]],
  ])("to send with %j", (fields, needed) => {
    expect(words(needsOf("send", fields as never))).toEqual(needed);
    expect(words(needsOf("route", fields as never))).toEqual(needed);
    const { re = "m7k2q9", ...rest } = fields as { readonly re?: string };
    expect(words(needsOf("reply", { ...rest, id: re } as never))).toEqual([
      ...new Set([...needed, "mail-of-others"]),
    ]);
  });

  it("to have a keyboard is that of raw keys, and a draft is never an agent's", () => {
    expect(needsOf("attach", {} as never)).toEqual([{ right: "raw" }]);
    expect(needsOf("draft_restore", {} as never)).toEqual([{ right: "queue-of-others" }]);
  });

  it.each(["stop", "unmatched_clear", "unmatched_reroute"] as const)("for %s is to steer Bellhop", (verb) => {
    expect(needsOf(verb, {})).toEqual([{ right: "admin" }]);
  });
});
