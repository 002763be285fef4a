import { describe, expect, it } from "vitest";
import { capturedScreen } from "../../../tests/screens.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { Injection } from "../../ports/profile.ts";
import { claudeProfile } from "./profile.ts";

const reading = (name: string): Reading => claudeProfile.read(capturedScreen(`claude/2.1.325/${name}`));
const keeping = (name: string) => claudeProfile.draftKeeping("2.1.325", reading(name));

/** Everything that reaches the terminal, as bytes. */
function bytesOf({ strokes }: Injection): string {
  return strokes
    .map((stroke) => {
      if (stroke.kind === "paste") return stroke.text;
      return stroke.kind === "bytes" ? String.fromCharCode(...stroke.bytes) : `<${stroke.name}>`;
    })
    .join("");
}

describe("typing into Claude Code", () => {
  it("is plain text, the extended Enter, the erase key and focus-in, in one step", () => {
    const injection = claudeProfile.inject("[message from: a #x] hi", reading("idle-empty"));
    expect(bytesOf(injection)).toBe("[message from: a #x] hi\x1b[13u\x15\x1b[I");
    expect(injection.strokes[0]).toMatchObject({ kind: "paste", bracketed: false });
    expect(injection.submit).toBeUndefined();
  });

  it("holds no CR and no LF: a newline is U+2028", () => {
    const typed = bytesOf(claudeProfile.inject("[a] one\ntwo\nthree", reading("idle-empty")));
    expect(typed).toContain("one\u2028two\u2028three");
    expect(typed).not.toMatch(/[\r\n]/);
  });

  it("leaves the erase key out over a stash, which comes back with the submit", () => {
    for (const name of ["stashed", "stashed-with-notice", "narrow-30x24-stashed"]) {
      expect(bytesOf(claudeProfile.inject("[a] hi", reading(name)))).toBe("[a] hi\x1b[13u");
    }
  });

  it.each([
    "[a] \x1b[201~",
    "[a] \r",
    "[a] \x00",
    "[a] \x7f",
    "[a] \u009b31m",
    "[a]\tb",
    "/exit",
    " !ls",
    "[a] b\\",
    "[a] b\\ ",
  ])("refuses %j", (prompt) =>
    expect(() => claudeProfile.inject(prompt, reading("idle-empty"))).toThrow("was about to be typed"),
  );

  it("names the submit keys alone for an empty prompt", () => {
    expect(bytesOf(claudeProfile.inject("", reading("idle-empty")))).toBe("\x1b[13u\x15\x1b[I");
  });
});

describe("the limits of a prompt for Claude Code", () => {
  it("allow two newlines where the release is known to turn U+2028 into one", () => {
    for (const version of ["2.1.325"]) {
      expect(claudeProfile.limits(version)).toEqual({ maxCharacters: 790, maxNewlines: 2, newlines: true });
    }
  });

  it.each(["2.1.197", "2.1.300", "2.1.326", "3.0.0", "unheard-of", "", undefined])(
    "allow none for version %j",
    (version) => {
      expect(claudeProfile.limits(version)).toEqual({ maxCharacters: 790, maxNewlines: 0, newlines: false });
    },
  );
});

describe("setting aside a draft in Claude Code", () => {
  it("stashes, types and submits in one step, without the erase key", () => {
    const kept = keeping("typed-multiline");
    expect(kept.how).toBe("stash");
    if (kept.how !== "stash" || kept.injectOverDraft === undefined) throw new Error("not in one step");
    expect(bytesOf(kept.injectOverDraft("[a] one\ntwo"))).toBe("\x1b[115;5u[a] one\u2028two\x1b[13u");
    expect(() => kept.injectOverDraft?.("/exit")).toThrow("was about to be typed");
    expect(bytesOf({ strokes: kept.pop })).toBe("\x1b[115;5u");
  });

  it.each(["2.1.150", "2.1.197", "2.1.224", "2.1.260", "2.1.301", "2.1.326", "2.2.0", "", undefined])(
    "has the stash key in a step of its own for version %j",
    (version) => {
      const kept = claudeProfile.draftKeeping(version, reading("typed-multiline"));
      expect(kept).toMatchObject({ how: "stash" });
      expect(kept).not.toHaveProperty("injectOverDraft");
      if (kept.how === "stash") expect(bytesOf({ strokes: kept.clear })).toBe("\x1b[115;5u");
    },
  );

  it.each([
    ["idle-empty", "no draft"],
    ["ghost-suggestion", "no draft"],
    ["stashed", "no draft"],
    ["permission-prompt", "no draft"],
    ["transcript-view", "no draft"],
    ["stashed-multiline", "may already hold another draft"],
    ["stashed-slash-menu", "may already hold another draft"],
    ["slash-menu", "may already hold another draft"],
    ["bash-mode-typed", "a shell command"],
    ["bash-mode-empty", "a shell command"],
  ])("is not offered over %s", (name, why) => {
    expect(keeping(name)).toMatchObject({ how: "none", why: expect.stringContaining(why) });
  });
});

describe("the keys and facts of Claude Code", () => {
  it("interrupts and dismisses with one Escape", () => {
    expect(claudeProfile.interrupt).toEqual({
      strokes: [{ kind: "key", name: "Escape" }],
      repeatable: false,
    });
    expect(claudeProfile.dismiss).toEqual([{ kind: "key", name: "Escape" }]);
  });

  it("asks the gate for a hidden cursor", () => expect(claudeProfile.gate).toEqual({ cursorHidden: true }));

  it.each([
    ["✳ Claude Code", ""],
    ["✳ fix the parser", "fix the parser"],
    ["⠂ fix the parser", "fix the parser"],
    ["claude", ""],
    ["", ""],
    ["* ✻ tidy up", "tidy up"],
  ])("makes of the title %j the headline %j", (title, headline) => {
    expect(claudeProfile.headlineFromTitle(title)).toBe(headline);
  });
});
