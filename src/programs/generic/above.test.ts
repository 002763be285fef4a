/** Composers without a prompt of their own, and hints that are not dim, as real programs draw them. */
import { describe, expect, it } from "vitest";
import { describeReading, drawnScreen } from "../../../tests/screens.ts";
import { genericProfile } from "./profile.ts";

const RULE = "─".repeat(40);
const BELOW = ["~/repo", "0.0%"];
const keys = { submit: "enter-csi-u" };
const pi = genericProfile({
  ...{ name: "pi", match: { name: "pi" }, composer: { above: "^─{10}" }, keys, submitDelayMs: 0 },
  busy: "^ [⠀-⣿] Working",
});
const qwen = genericProfile({
  ...{ name: "qwen", match: { command: "bin/qwen" }, keys, submitDelayMs: 0 },
  composer: { prompt: "^> ", above: "^─{10}", placeholder: "Type your message" },
});

function read(profile: typeof pi, rows: readonly string[], x: number, y: number): string {
  const lines = [...rows, RULE, ...BELOW];
  return describeReading(profile.read(drawnScreen(lines, { columns: 40, x, y })));
}

describe("a composer that is known by the line above it", () => {
  it.each([
    ["empty", ["hello", RULE, ""], 0, 2, "empty, unseen"],
    ["a draft", ["hello", RULE, "a draft"], 7, 2, '"a draft", unseen'],
    [
      "the second line of a draft, empty",
      [RULE, "two", ""],
      0,
      2,
      "unknown: the line above the cursor's is not",
    ],
    [
      "the second line of a draft",
      [RULE, "two", "lines"],
      5,
      2,
      "unknown: the line above the cursor's is not",
    ],
    ["the first of two lines", [RULE, "", "lines"], 0, 1, "unknown: more is written under the prompt"],
    [
      "a selector",
      [RULE, "Only these models.", "", ">"],
      2,
      3,
      "unknown: the line above the cursor's is not",
    ],
    ["the top of the screen", [""], 0, 0, "unknown: the line above the cursor's is not"],
  ])("%s", (_name, rows, x, y, expected) => {
    expect(read({ ...pi, read: pi.read }, rows, x, y).replace("idle", "unseen")).toContain(expected);
  });
});

describe("a hint that is not dim", () => {
  it.each([
    [[RULE, ">   Type your message"], 2, "empty, unseen"],
    [[RULE, "> Type your message"], 19, '"Type your message", unseen'],
    [[RULE, "> Type your message, please"], 2, '"Type your message, please", unseen'],
    [["text", "> Type your message"], 2, "unknown: the line above the cursor's is not"],
  ])("%j with the cursor at %i is %s", (rows, x, expected) => {
    expect(read(qwen, rows, x, 1)).toContain(expected);
  });
});

it("finds a program by its exact name only", () => {
  const process = (argv: readonly string[]) => ({
    ...{ pid: 5, startedAt: "1", parentPid: 1, argv, command: argv[0] ?? "", foreground: true },
  });
  for (const argv of [["pi"], ["/usr/local/bin/pi", "--model", "x"], ["node", "/opt/bin/pi"]])
    expect(pi.recognise([process(argv)])?.pid).toBe(5);
  for (const argv of [
    ["pip", "install"],
    ["vim", "pi"],
    ["bash", "-c", "pi"],
  ])
    expect(pi.recognise([process(argv)])).toBeUndefined();
});

it("refuses a composer that is known by nothing", () => {
  const nothing = { name: "x", match: { name: "x" }, composer: {}, keys, submitDelayMs: 0 };
  expect(() => genericProfile(nothing)).toThrow(/neither a prompt nor the line above it/);
});
