import { describe, expect, it } from "vitest";
import { capturedScreen } from "../../../tests/screens.ts";
import { claudeProfile } from "../../programs/claude/profile.ts";
import { codexProfile } from "../../programs/codex/profile.ts";
import { askedOn, isOpenedByPerson, isSameQuestion, LONGEST_ASKED } from "./question.ts";
import { initialReadiness, reduceReadiness } from "./readiness.ts";
import type { Reading } from "./reading.ts";

const dialog = (...lines: readonly string[]): Reading => ({
  kind: "dialog",
  title: lines[0] ?? "",
  fingerprint: lines.join("\n"),
});

describe("what a program asks", () => {
  it.each([
    ["claude/2.1.325/permission-prompt", "permission", "Bash command · run a command · touch perm-test.txt"],
    ["claude/2.1.325/permission-write", "permission", "Create file · ../../../../../../tmp/zz-new.txt"],
    [
      "claude/2.1.325/permission-fetch",
      "permission",
      "Fetch · Claude wants to fetch content from example.com",
    ],
    ["claude/2.1.325/plan-approval", "permission", "Exit plan mode? · Claude wants to exit plan mode"],
    ["claude/2.1.325/question", "question", "Colour · Which colour?"],
    ["claude/2.1.325/trust-dialog", "permission", "Accessing workspace: · /home/dev/repo"],
    ["claude/2.1.150/permission-bash", "permission", "Bash command"],
    [
      "codex/0.166.0/permission-prompt",
      "permission",
      "Would you like to run the following command? · Reason: need it · $ touch",
    ],
  ])("is told in a line: %s", (name, kind, text) => {
    const profile = name.startsWith("claude") ? claudeProfile : codexProfile;
    const asked = askedOn(profile.read(capturedScreen(name)));
    expect(asked?.kind).toBe(kind);
    expect(asked?.text.startsWith(text)).toBe(true);
  });

  it("is nothing at a composer, or on a screen that is only not understood", () => {
    expect(askedOn({ kind: "unknown", why: "its terminal is gone" })).toBeUndefined();
    expect(askedOn(claudeProfile.read(capturedScreen("claude/2.1.325/idle-empty")))).toBeUndefined();
  });

  it("has one key while the person moves among its choices or types into one, and another for another command", () => {
    const bash = (command: string, choices: readonly string[]) =>
      askedOn(dialog("Bash command", command, "Do you want to proceed?", ...choices))?.key;
    const first = bash("touch a", ["❯ 1. Yes", "2. No"]);
    expect(bash("touch a", ["1. Yes", "❯ 2. No"])).toBe(first);
    expect(bash("touch a", ["1. Yes", "❯ 2. No, and say hel"])).toBe(first);
    expect(bash("touch b", ["❯ 1. Yes", "2. No"])).not.toBe(first);
  });

  it("is the same while an answer is typed behind it, and another when its words change", () => {
    const asked = (line: string) => askedOn(dialog(line)) ?? { kind: "question", text: "", key: "?" };
    expect(isSameQuestion(asked("Allow a? (y/n)"), asked("Allow a? (y/n) y"))).toBe(true);
    expect(isSameQuestion(asked("Allow a? (y/n) y"), asked("Allow a? (y/n)"))).toBe(true);
    expect(isSameQuestion(asked("Allow a? (y/n)"), asked("Allow b? (y/n)"))).toBe(false);
    expect(isSameQuestion(undefined, asked("Allow a?"))).toBe(false);
  });

  it("begins where the dialog does: what stands above it is another's words", () => {
    const reading: Reading = {
      kind: "dialog",
      title: "Allow a?",
      fingerprint: "you: a private word\nAllow a?\n(y/n)",
    };
    expect(askedOn(reading)?.text).toBe("Allow a? · (y/n)");
  });

  it("is cut, and carries nothing that a terminal obeys", () => {
    const asked = askedOn(dialog(`Run \x1b[31m${"x".repeat(400)}`, "1. Yes"));
    expect([...(asked?.text ?? "")]).toHaveLength(LONGEST_ASKED);
    expect(asked?.text).not.toContain("\x1b");
    expect(askedOn(dialog("1. Yes"))?.text).toBe("1. Yes");
  });

  it("is the person's own affair where a program with hooks was at rest", () => {
    const opened = {
      kind: "screen",
      reading: dialog("Select model", "❯ 1. One"),
      at: 9_000,
      quietForMs: 0,
    } as const;
    const started = initialReadiness({ at: 0, hooked: true, settleMs: 600 });
    const openedAfter = (event: "turn-ended" | "prompt-submitted") =>
      reduceReadiness(reduceReadiness(started, { kind: "hook", event, at: 5_000 }), opened);
    expect(isOpenedByPerson(openedAfter("turn-ended"))).toBe(true);
    expect(isOpenedByPerson(openedAfter("prompt-submitted"))).toBe(false);
  });
});
