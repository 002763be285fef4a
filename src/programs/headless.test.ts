import { describe, expect, it } from "vitest";
import { HEADLESS_PROGRAMS } from "./index.ts";

const QUESTION = { runner: "", prompt: "Is it worth a turn?", timeoutMs: 1_000 };

describe.each(HEADLESS_PROGRAMS)("a question to a small model through $name", ({ headless }) => {
  it("names the model that was asked for, and none if its own will do", () => {
    const wordsWith = (model: string) => headless.question({ ...QUESTION, model }, "").words.join(" ");
    expect(wordsWith("tiny")).toMatch(/--model[ =]tiny/u);
    expect(wordsWith("default")).not.toContain("--model");
  });
});
