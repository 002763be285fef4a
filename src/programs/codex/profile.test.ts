import { describe, expect, it } from "vitest";
import { capturedScreen } from "../../../tests/screens.ts";
import { codexProfile } from "./profile.ts";

const reading = (name: string) => codexProfile.read(capturedScreen(`codex/0.166.0/${name}`));
const idle = reading("idle-empty");
const SUBMIT = { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] };

describe("typing into Codex", () => {
  it("is one bracketed paste, the extended Enter and the erase key for one line", () => {
    expect(codexProfile.inject("[a] hi", idle)).toEqual({
      strokes: [{ kind: "paste", text: "[a] hi", bracketed: true }, SUBMIT],
    });
  });

  it("joins one paste per line with a key for a new line", () => {
    const text = "\x1b[200~[a] one\x1b[201~\x1b[106;5u\x1b[200~two\x1b[201~";
    expect(codexProfile.inject("[a] one\ntwo", idle)).toEqual({
      strokes: [{ kind: "paste", text, bracketed: false }, SUBMIT],
    });
  });

  it.each(["[a] \x1b[201~", "[a] \r", "!ls", "  !ls", "/quit"])("refuses %j", (prompt) => {
    expect(() => codexProfile.inject(prompt, idle)).toThrow("was about to be typed");
  });
});

describe("setting aside a draft in Codex", () => {
  it.each(["typed-single", "typed-multiline", "typed-emoji-cjk", "draft-caret-home"])(
    "uses its history for %s",
    (name) => {
      expect(codexProfile.draftKeeping("0.166.0", reading(name))).toEqual({
        how: "history",
        clear: [{ kind: "key", name: "C-c" }],
        recall: [{ kind: "key", name: "Up" }],
      });
    },
  );

  // Ctrl+C over an empty composer ends Codex.
  it.each([
    "idle-empty",
    "starting-loading",
    "shell-mode-draft",
    "permission-prompt",
    "slash-popup",
    "at-popup",
    "draft-spaces",
  ])("is not offered over %s", (name) =>
    expect(codexProfile.draftKeeping("0.166.0", reading(name)).how).toBe("none"),
  );
});

describe("the keys and facts of Codex", () => {
  it("interrupts and dismisses with one Escape", () => {
    expect(codexProfile.interrupt).toEqual({ strokes: [{ kind: "key", name: "Escape" }], repeatable: false });
    expect(codexProfile.dismiss).toEqual([{ kind: "key", name: "Escape" }]);
  });

  it("asks the gate for the alternate screen", () => expect(codexProfile.gate).toEqual({ alternate: true }));

  it.each([
    ["codex", ""],
    ["⠦ codex", ""],
    ["⠦ Fix the parser | repo", "Fix the parser"],
    ["[ . ] Action Required | Fix the parser | repo", "Fix the parser"],
    ["[ ! ] Action Required | repo", ""],
    ["", ""],
  ])("makes of the title %j the headline %j", (title, headline) => {
    expect(codexProfile.headlineFromTitle(title)).toBe(headline);
  });
});
