import { expect, it } from "vitest";
import { claudeAnswers } from "./answers.ts";

it.each([
  ["2.1.150", "block"],
  ["2.1.196", "block"],
  ["2.0.999", "block"],
  [undefined, "block"],
  ["newer", "block"],
  ["2.1.197", "context"],
  ["2.1.325", "context"],
  ["2.2.0", "context"],
  ["3.0.0", "context"],
])("the end of a turn of %s is answered in the form %s", (version, form) => {
  const output = claudeAnswers.output("Stop", "text", version);
  expect(output).toEqual(
    form === "block"
      ? { decision: "block", reason: "text" }
      : { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "\ntext" } },
  );
});

it("the result of a tool takes context in every release", () => {
  expect(claudeAnswers.output("PostToolUse", "text", undefined)).toEqual({
    hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "\ntext" },
  });
});
