import { describe, expect, it } from "vitest";
import { coder, HINT, message, phone } from "../../../tests/prompt-samples.ts";
import { LIMITS } from "../message.ts";
import { composeWhole, findTokens, marksOf, mentions } from "./prompt.ts";

describe("composeWhole", () => {
  it("puts header, body and hint on lines of their own, and a blank line between messages", () => {
    const items = [message("one\n\ttwo\n\nthree\n", coder, "aaaaaa"), message("hi", phone, "bbbbbb")];
    expect(composeWhole(items)).toEqual({
      text: `[message from: coder (08bc57cf) #aaaaaa]\none\n\ttwo\n\nthree\n${HINT}\n\n[message from: dev #bbbbbb]\n📱 hi`,
      tokens: ["#aaaaaa]", "#bbbbbb]"],
    });
  });

  it("carries the longest body there is", () => {
    const body = "x".repeat(LIMITS.bodyBytes);
    expect(composeWhole([message(body)]).text).toContain(body);
  });
});

describe("findTokens", () => {
  it("finds headers at the start of a line, whatever ends the lines and however it was trimmed", () => {
    expect(
      findTokens("hello\r\n  [message from: a #aaaaaa] x\u2028[message from: b (08bc57cf) #bbbbbb]\t\n"),
    ).toEqual(["#aaaaaa]", "#bbbbbb]"]);
    expect(findTokens(" [2 messages from: a, b] Read /x y/batch-1.md  \n")).toEqual(["batch-1.md"]);
    expect(findTokens(" [2 messages] (1) from a #aaaaaa: x (2) from b (08bc57cf) #bbbbbb:\t\n")).toEqual([
      "#aaaaaa:#bbbbbb:",
    ]);
  });

  it.each([
    "",
    "#aaaaaa]",
    "x [message from: a #aaaaaa] hi",
    "> [message from: a #aaaaaa] hi",
    "[message from: a #aaaaaa]hi",
    "[message from: a #aaaaa] hi",
    "[message from: a] #aaaaaa] hi",
    "[message from: [a #aaaaaa] hi",
    "[2 messages from: a] Read relative",
    "[2 messages from: a] Read /x/",
    "— from session x #aaaaaa]",
    "[2 messages] (1) from a #aaaaaa: x",
    "[2 messages] (1) from a #aaaaaa: x > (2) from b #bbbbbb: y",
    "[2 messages] (1) from a #aaaaaa: x (3) from b #bbbbbb: y",
    "> [2 messages] (1) from a #aaaaaa: x (2) from b #bbbbbb: y",
    "x [2 messages] (1) from a #aaaaaa: x (2) from b #bbbbbb: y",
  ])("finds none in %j", (prompt) => {
    expect(findTokens(prompt)).toEqual([]);
  });
});

describe("a batch within other text", () => {
  const batch = "[2 messages] (1) from a #aaaaaa: x (2) from b #bbbbbb: y";

  it("is mentioned by exactly its own token, before and behind other words, but not where it was defused", () => {
    for (const text of [batch, `draft${batch}`, `${batch} and (3) from me`, `a\n${batch}\nb`])
      expect(mentions(text, "#aaaaaa:#bbbbbb:")).toBe(true);
    expect(mentions(`> ${batch}`, "#aaaaaa:#bbbbbb:")).toBe(false);
    for (const other of ["#aaaaaa:", "#aaaaaa:#cccccc:", "#aaaaaa]"])
      expect(mentions(batch, other)).toBe(false);
  });

  it("is shown by every one of its ids", () => {
    expect(marksOf("#aaaaaa:#bbbbbb:")).toEqual(["#aaaaaa:", "#bbbbbb:"]);
    expect(marksOf("#aaaaaa]")).toEqual(["#aaaaaa]"]);
    expect(marksOf("1700000000001-batch.md")).toEqual(["1700000000001-batch.md"]);
  });

  it("is looked for in no more than a moment, whatever a prompt repeats", () => {
    for (const piece of ["[2 messages] (1) from ", "(1) from ", "[2 messages] (1) from a #aaaaaa: "])
      expect(findTokens(piece.repeat(20_000))).toEqual([]);
  });
});
