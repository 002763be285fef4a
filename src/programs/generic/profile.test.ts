import { describe, expect, it } from "vitest";
import { describeReading, drawnScreen } from "../../../tests/screens.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import { type GenericDefinition, genericProfile } from "./profile.ts";

const DEFINITION: GenericDefinition = {
  name: "my-agent",
  match: { command: "my-agent" },
  composer: { prompt: "^> " },
  busy: "working…",
  dialog: "Allow\\?",
  keys: { submit: "Enter", interrupt: "Escape", clear: "C-u" },
  submitDelayMs: 0,
};
const profile = genericProfile(DEFINITION);

function read(row: string, x: number, { above = "", below = "" } = {}): Reading {
  return profile.read(drawnScreen([above, row, below, "a footer"], { columns: 40, x, y: 1 }));
}

describe("reading a taught program", () => {
  it.each([
    ["nothing behind the prompt", "> ", 2, "empty, idle"],
    ["nothing behind a prompt whose blank the picture lost", ">", 2, "empty, idle"],
    ["a dim placeholder", "> \x1b[2mType here\x1b[0m", 2, "empty, idle"],
    ["a dim placeholder with the caret on it", "> \x1b[7mT\x1b[0;2mype here\x1b[0m", 2, "empty, idle"],
    ["a draft", "> hello", 7, '"hello", idle'],
    ["a draft with the caret at its start", "> hello", 2, '"hello", idle'],
    ["a draft with a blank at its end", "> hello", 8, '"hello ", idle'],
    ["one blank", ">", 3, '" ", idle'],
    ["wide characters", "> 日本", 6, '"日本", idle'],
    ["an emoji", "> ok 👍", 7, '"ok 👍", idle'],
    ["an emoji with a blank at the end", "> ok 👍", 8, '"ok 👍 ", idle'],
    ["a dim text with the caret behind it", "> \x1b[2mType\x1b[0m", 6, '"Type", idle'],
  ])("sees %s", (_name, row, x, expected) => expect(describeReading(read(row, x))).toBe(expected));

  it.each([
    ["no prompt", "hello", 5],
    ["the cursor before the prompt's end", "> hello", 1],
    ["a blank row", "", 0],
  ])("does not know a row with %s", (_name, row, x) => expect(read(row, x).kind).toBe("unknown"));

  it("does not call a prompt empty over a row that may be the rest of the text", () => {
    expect(describeReading(read("> ", 2, { below: "  second line" }))).toMatch(/^unknown/);
    expect(describeReading(read("> ", 2, { below: "╰────────╯" }))).toBe("empty, idle");
  });

  it("sees work and a dialog anywhere, the dialog first", () => {
    expect(describeReading(read("> ", 2, { above: "  working… 3s" }))).toBe("empty, busy");
    expect(describeReading(read("> ", 2, { above: "Allow? (y/n) working…" }))).toBe(
      "dialog: Allow? (y/n) working…",
    );
  });

  it("names the sign of work without what changes beside it", () => {
    const screen = drawnScreen(["", "  working… 3s", "> "], { x: 2, y: 2 });
    expect(profile.workSign(screen)).toEqual({ in: "row", y: 1, text: "working…" });
  });

  it("sees work also where the prompt is hidden", () => {
    expect(read("", 0, { above: "working… 3s" })).toMatchObject({ kind: "unknown", busy: "busy" });
    expect(read("", 0)).not.toHaveProperty("busy");
  });

  it("says nothing about work without a sign for it", () => {
    const { busy: _, ...silent } = DEFINITION;
    const screen = drawnScreen(["> "], { columns: 40, x: 2, y: 0 });
    expect(describeReading(genericProfile(silent).read(screen))).toBe("empty, unseen");
  });
});

describe("setting aside a draft of a taught program", () => {
  const keeping = (row: string, x: number, below = "") =>
    profile.draftKeeping(undefined, read(row, x, { below })).how;

  it("retypes one unwrapped line with the caret at its end", () => {
    const kept = profile.draftKeeping(undefined, read("> hello", 7));
    if (kept.how !== "retype") throw new Error(`it is ${kept.how}`);
    expect(kept.clear).toEqual([{ kind: "key", name: "C-u" }]);
    expect(kept.retype("hello")).toEqual([{ kind: "paste", text: "hello", bracketed: true }]);
  });

  it("retypes a line with emoji, of which every terminal has the same width", () => {
    expect(keeping("> ok 👍", 7)).toBe("retype");
  });

  it.each([
    ["the caret elsewhere", "> hello", 4, ""],
    ["a row as wide as the screen", `> ${"x".repeat(38)}`, 39, ""],
    ["a row that goes on below", "> hello", 7, "world"],
    ["characters of unsure width", "> a👩‍👩‍👧", 5, ""],
    ["a dim part", "> hel\x1b[2mlo\x1b[0m", 7, ""],
    ["only blanks", ">", 5, ""],
    ["nothing", ">", 2, ""],
  ])("is not offered for %s", (_name, row, x, below) => expect(keeping(row, x, below)).toBe("none"));

  it("is not offered without a key that clears", () => {
    const bare = genericProfile({ ...DEFINITION, keys: { submit: "Enter" } });
    expect(bare.draftKeeping(undefined, read("> hello", 7)).how).toBe("none");
  });
});

describe("typing into a taught program", () => {
  it("pastes first and submits in a second step", () => {
    expect(profile.inject("[a] hi", read("> ", 2))).toEqual({
      strokes: [{ kind: "paste", text: "[a] hi", bracketed: true }],
      submit: [{ kind: "key", name: "Enter" }],
    });
  });

  it("waits in between where that is configured", () => {
    const slow = genericProfile({ ...DEFINITION, submitDelayMs: 150 });
    expect(slow.inject("[a] hi", read("> ", 2)).submitDelayMs).toBe(150);
  });

  it("is one step with the extended Enter", () => {
    const modern = genericProfile({ ...DEFINITION, keys: { submit: "enter-csi-u" } });
    expect(modern.inject("[a] hi", read("> ", 2))).toEqual({
      strokes: [
        { kind: "paste", text: "[a] hi", bracketed: true },
        { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] },
      ],
    });
  });

  it("is never more than one line", () => {
    expect(profile.limits(undefined)).toEqual({ maxCharacters: 790, maxNewlines: 0, newlines: false });
    expect(() => profile.inject("[a] one\ntwo", read("> ", 2))).toThrow("several lines");
  });
});

describe("a definition that cannot work", () => {
  it.each([
    [{ match: { command: " " } }, "match.command is empty"],
    [{ composer: { prompt: "(" } }, "composer.prompt"],
    [{ busy: "(a+)+" }, "my-agent.busy"],
    [{ keys: { submit: "Retrun" } }, "keys.submit"],
    [{ keys: { submit: "x" } }, "keys.submit"],
    [{ keys: { submit: "Enter", interrupt: "C-c" } }, "C-c"],
    [{ keys: { submit: "Enter", clear: "wipe" } }, "keys.clear"],
  ])("%j is refused with a typed error", (part, why) => {
    expect(() => genericProfile({ ...DEFINITION, ...part })).toThrow(
      expect.objectContaining({ code: "config.invalid", message: expect.stringContaining(why) }),
    );
  });

  it("has no key that closes a dialog, and an interrupt only when taught", () => {
    expect(profile.dismiss).toBeUndefined();
    expect(profile.interrupt).toEqual({ strokes: [{ kind: "key", name: "Escape" }], repeatable: false });
    expect(genericProfile({ ...DEFINITION, keys: { submit: "Enter" } }).interrupt).toBeUndefined();
  });
});
