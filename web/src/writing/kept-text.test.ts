import { describe, expect, it } from "vitest";
import { keepText, keptText } from "./kept-text.ts";

function shelf(most = Number.POSITIVE_INFINITY) {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => void kept.delete(key),
    setItem: (key: string, value: string) => {
      if (value.length > most) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  };
}

describe("what is half written", () => {
  it("is there again, for each agent on its own, and gone once it is sent", () => {
    const one = shelf();
    keepText(one, "api", { text: "half a", priority: "idle", re: "m7k2q9" });
    keepText(one, "web", { text: "other", priority: "normal" });
    expect(keptText(one, "api")).toEqual({ text: "half a", priority: "idle", re: "m7k2q9" });
    keepText(one, "api", { text: "", priority: "idle" });
    expect(keptText(one, "api")).toEqual({ text: "", priority: "normal" });
    expect([...one.kept.keys()]).toEqual(["bellhop-writing/web"]);
  });

  it("is nothing if it cannot be read, and never an old text if there is no room", () => {
    const one = shelf(100);
    for (const strange of ["null", "[", '{"text":1,"priority":"loud","re":{}}']) {
      one.kept.set("bellhop-writing/api", strange);
      expect(keptText(one, "api")).toEqual({ text: "", priority: "normal" });
    }
    keepText(one, "api", { text: "short", priority: "normal" });
    keepText(one, "api", { text: "x".repeat(200), priority: "normal" });
    expect(keptText(one, "api").text).toBe("");
  });
});
