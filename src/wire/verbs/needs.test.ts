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

  it("to start turns, stop them or say how they go is to steer Bellhop; to see them, to read mail", () => {
    for (const verb of ["turn_trigger", "turns_switch", "auto_run_set"] as const)
      expect(words(needsOf(verb, {} as never))).toEqual(["admin"]);
    for (const verb of ["turns", "turn_show", "routes", "traffic"] as const)
      expect(needsOf(verb, {} as never)).toEqual([{ right: "mail-of-others" }]);
    const unlessOwn = { kind: "agent", name: "api" };
    for (const verb of ["turns", "conversation"] as const)
      expect(needsOf(verb, { agent: "api" })).toEqual([{ right: "mail-of-others", unlessOwn }]);
    expect(needsOf("auto_run_show", { agent: "api" })).toEqual([{ right: "queue-of-others", unlessOwn }]);
  });

  it("to see who hears what, or who would get a message, is to see the queues of others", () => {
    for (const verb of ["sub_all", "route_try"] as const)
      expect(needsOf(verb, {} as never)).toEqual([{ right: "queue-of-others" }]);
  });

  it("to watch everything is to read mail, and to watch what everybody may list is nothing", () => {
    expect(words(needsOf("watch_all", {}))).toEqual(["mail-of-others"]);
    for (const topic of ["turns", "broker"] as const)
      expect(words(needsOf("watch_all", { topics: ["agents", topic] }))).toEqual(["mail-of-others"]);
    expect(needsOf("watch_all", { topics: ["agents", "counts", "bridges", "health"] })).toEqual([]);
  });

  it.each(["stop", "unmatched_clear", "unmatched_reroute"] as const)("for %s is to steer Bellhop", (verb) => {
    expect(needsOf(verb, {})).toEqual([{ right: "admin" }]);
  });
});
