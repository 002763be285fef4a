import { describe, expect, it } from "vitest";
import { keepText, keptText, moveTexts } from "./kept-text.ts";

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

describe("what is half written to agents that have other names now", () => {
  const written = (texts: Readonly<Record<string, string>>) => {
    const one = shelf();
    for (const [agent, text] of Object.entries(texts)) keepText(one, agent, { text, priority: "idle" });
    return one;
  };
  const texts = ({ kept }: ReturnType<typeof shelf>) =>
    Object.fromEntries([...kept].map(([key, value]) => [key.split("/")[1], JSON.parse(value).text]));

  it("goes with them, with its priority", () => {
    const one = written({ docs: "half", web: "other" });
    moveTexts(one, [
      { from: "docs", to: "manual" },
      { from: "api", to: "core" },
    ]);
    expect(texts(one)).toEqual({ manual: "half", web: "other" });
    expect(keptText(one, "manual").priority).toBe("idle");
  });

  it("stays if another text is kept for the new name", () => {
    const one = written({ docs: "half", manual: "older", web: "third" });
    moveTexts(one, [
      { from: "web", to: "docs" },
      { from: "docs", to: "manual" },
    ]);
    expect(texts(one)).toEqual({ docs: "half", manual: "older", web: "third" });
  });

  it("stays under the old name where there is no room for the new one", () => {
    const one = written({ docs: "half" });
    const cramped = {
      ...one,
      setItem: (key: string, value: string) => {
        if (key.includes("manual")) throw new DOMException("full", "QuotaExceededError");
        one.setItem(key, value);
      },
    };
    moveTexts(cramped, [{ from: "docs", to: "manual" }]);
    expect(texts(one)).toEqual({ docs: "half" });
  });

  it("moves even if another text finds no room at all", () => {
    const one = written({ docs: "half", web: "third" });
    const cramped = {
      ...one,
      setItem: (key: string, value: string) => {
        if (value.includes("half")) throw new DOMException("full", "QuotaExceededError");
        one.setItem(key, value);
      },
    };
    moveTexts(cramped, [
      { from: "docs", to: "manual" },
      { from: "web", to: "site" },
    ]);
    expect(texts(one)).toEqual({ site: "third" });
  });

  it("is exchanged if they swapped their names", () => {
    const one = written({ docs: "to docs", web: "to web" });
    moveTexts(one, [
      { from: "docs", to: "web" },
      { from: "web", to: "docs" },
    ]);
    expect(texts(one)).toEqual({ docs: "to web", web: "to docs" });
  });
});
