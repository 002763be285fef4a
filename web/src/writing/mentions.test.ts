import { describe, expect, it } from "vitest";
import { completed, mentionAt, offered } from "./mentions.ts";

describe("a name that is being written", () => {
  it("begins with @ at the start of a word, and ends at the caret", () => {
    expect(mentionAt("ask @ap", 7)).toEqual({ from: 4, to: 7, part: "ap" });
    expect(mentionAt("@", 1)).toEqual({ from: 0, to: 1, part: "" });
    expect(mentionAt("ask @api now", 12)).toBeUndefined();
    expect(mentionAt("dev@example.com", 15)).toBeUndefined();
    expect(mentionAt(`${"x".repeat(100_000)} @web`, 100_005)).toMatchObject({ part: "web" });
  });

  it("is offered by its beginning first", () => {
    const names = ["api", "grapi", "post", "web-api"];
    expect(offered(names, "AP")).toEqual(["api", "grapi", "web-api"]);
    expect(offered(names, "")).toEqual(names);
    expect(offered(names, "zz")).toEqual([]);
  });

  it("is completed with one blank behind it, where the caret goes", () => {
    const mention = { from: 4, to: 6, part: "a" };
    expect(completed("ask @a", mention, "api")).toEqual({ text: "ask @api ", caret: 9 });
    expect(completed("ask @a now", mention, "api")).toEqual({ text: "ask @api now", caret: 9 });
  });
});
