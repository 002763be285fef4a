import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headline } from "./session.ts";

const all = {
  chosenName: "coder",
  title: "Fix the parser",
  lastPrompt: "please fix",
  branch: "main",
  id: "08bc57cf",
};

describe("headline", () => {
  it("takes the first of name, title, last prompt, branch and id that says anything", () => {
    expect(headline(all)).toBe("coder");
    expect(headline({ ...all, chosenName: undefined })).toBe("Fix the parser");
    expect(headline({ ...all, chosenName: undefined, title: " " })).toBe("please fix");
    expect(headline({ ...all, chosenName: "", title: "", lastPrompt: "\n\t" })).toBe("main");
    expect(headline({ id: "08bc57cf", branch: "" })).toBe("08bc57cf");
  });

  it("shows 80 characters of a prompt on one line, cut between characters", () => {
    const text = headline({ id: "x", lastPrompt: `fix\n\n  the ${"👍".repeat(100)}` });
    expect(text).toBe(`fix the ${"👍".repeat(72)}`);
    expect([...text]).toHaveLength(80);
  });

  it("is never empty", () => {
    const facts = fc.record({
      chosenName: fc.option(fc.string(), { nil: undefined }),
      title: fc.option(fc.string(), { nil: undefined }),
      lastPrompt: fc.option(fc.string(), { nil: undefined }),
      branch: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(fc.property(facts, (known) => headline({ ...known, id: "08bc57cf" }).trim() !== ""));
  });
});
