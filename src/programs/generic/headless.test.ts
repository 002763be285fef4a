import { expect, it } from "vitest";
import { LIMITS } from "../../core/message.ts";
import { CommandReader } from "./headless.ts";

function answerOf(lines: Iterable<string>): string {
  const reader = new CommandReader();
  for (const line of lines) reader.line(line);
  return reader.ended().answer;
}

it("answers with all lines, without the empty ones around them", () => {
  expect(answerOf(["", "  one", "", "two ", "", ""])).toBe("one\n\ntwo");
  expect(answerOf(["", ""])).toBe("");
});

it("keeps no more than can be told to be too long", () => {
  const long = function* () {
    for (let at = 0; at < 300_000; at += 1) yield "";
    for (let at = 0; at < 300_000; at += 1) yield "x";
  };
  expect(answerOf(long())).toHaveLength(LIMITS.bodyBytes + 1);
});
