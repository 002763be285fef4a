import { describe, expect, it } from "vitest";
import { resumedClaude } from "./claude/hooks/command.ts";
import { resumedCodex } from "./codex/command.ts";

describe("a command that goes on with a conversation", () => {
  it.each([
    [[], []],
    [
      ["--model", "opus"],
      ["--model", "opus"],
    ],
    [["--continue"], []],
    [
      ["-c", "--model", "opus"],
      ["--model", "opus"],
    ],
    [["--resume", "another", "--verbose"], ["--verbose"]],
    [["--resume=another"], []],
    [["-r", "--verbose"], ["--verbose"]],
    [["--session-id", "mine", "--fork-session"], []],
    [["fix the login"], []],
    [
      ["--model", "opus", "fix the login"],
      ["--model", "opus"],
    ],
    [["--dangerously-skip-permissions", "fix the login"], ["--dangerously-skip-permissions"]],
    [
      ["--append-system-prompt", "Be brief, please."],
      ["--append-system-prompt", "Be brief, please."],
    ],
    [
      ["--allowedTools", "Read", "Bash(git log:*) Edit"],
      ["--allowedTools", "Read", "Bash(git log:*) Edit"],
    ],
  ])("of Claude Code that was started with %j keeps %j", (words, kept) => {
    expect(resumedClaude(words, "its-own")).toEqual(["--resume", "its-own", ...kept]);
  });

  it.each([
    [[], []],
    [
      ["-m", "o3"],
      ["-m", "o3"],
    ],
    [["resume", "another"], []],
    [["--no-daemon", "resume", "--last"], ["--no-daemon"]],
    [
      ["-m", "o3", "resume", "another", "and go on"],
      ["-m", "o3"],
    ],
    [["review the last commit"], []],
    [
      ["-c", 'model = "o3"'],
      ["-c", 'model = "o3"'],
    ],
  ])("of Codex that was started with %j keeps %j", (words, kept) => {
    expect(resumedCodex(words, "its-own")).toEqual(["resume", "its-own", ...kept]);
  });
});
