import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capturedScreens, describeReading, drawnScreen } from "../../tests/screens.ts";
import type { Screen } from "../core/readiness/screen.ts";
import type { Profile } from "../ports/profile.ts";
import { claudeProfile } from "./claude/profile.ts";
import { codexProfile } from "./codex/profile.ts";
import { genericProfile } from "./generic/profile.ts";

const COLUMNS = 60;
const RULE = "─".repeat(COLUMNS);
const BOX = [`\x1b[38;5;244m${RULE}`, "\x1b[39m❯\u00a0", `\x1b[38;5;244m${RULE}\x1b[39m`];
const FOOTER = "  ⏸ manual mode on · ? for shortcuts";

function claudeScreen(above: readonly string[], input: string, caret: number, footer = FOOTER): Screen {
  const lines = [...above, "", RULE, `❯\u00a0${input}`, RULE, footer];
  return drawnScreen(lines, { columns: COLUMNS, x: caret, y: above.length + 2, visible: false });
}

function codexScreen(above: readonly string[], input: string, caret: number): Screen {
  const lines = [
    ...above,
    "",
    `\x1b[1m›\x1b[0m ${input}`,
    "",
    "  gpt-5 default · /home/dev/repo",
    "  ? for shortcuts",
  ];
  return drawnScreen(lines, { columns: COLUMNS, x: caret, y: above.length + 1 });
}

describe("what a model may draw over Claude's composer", () => {
  const read = (screen: Screen) => describeReading(claudeProfile.read(screen));

  it("an empty composer does not hide the draft in the real one", () => {
    expect(read(claudeScreen(["● look:", ...BOX, FOOTER], "my secret", 11))).toBe('"my secret", unseen');
  });

  it("an empty composer right over the real one does not hide the draft", () => {
    const lines = ["● look:", ...BOX, "❯\u00a0my secret", RULE, FOOTER];
    const screen = drawnScreen(lines, { columns: COLUMNS, x: 11, y: 4, visible: false });
    expect(read(screen)).toMatch(/^"my secret"/);
  });

  it("a permission dialog is not taken for one", () => {
    const fake = [" Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel"];
    expect(read(claudeScreen(fake, "", 2))).toBe("empty, unseen");
  });

  it("a composer is not taken for one while a dialog has the cursor", () => {
    const lines = [...BOX, FOOTER, RULE, " Bash command", " ❯ 1. Yes", "   2. No", " Esc to cancel"];
    const screen = drawnScreen(lines, { columns: COLUMNS, x: 1, y: 6, visible: false });
    expect(read(screen)).toBe("dialog: Bash command");
  });

  it("a composer is not taken for one while the cursor is elsewhere", () => {
    for (const y of [0, 1, 2, 4, 5]) {
      const screen = claudeScreen(["● hi"], "", 2);
      expect(claudeProfile.read({ ...screen, cursor: { x: 2, y, visible: false } }).kind).toBe("unknown");
    }
  });

  it("a shown cursor belongs to another program", () => {
    const screen = claudeScreen([], "", 2);
    expect(claudeProfile.read({ ...screen, cursor: { ...screen.cursor, visible: true } }).kind).toBe(
      "unknown",
    );
  });
});

describe("what stands in Claude's composer", () => {
  const read = (input: string, caret: number, footer?: string) =>
    describeReading(claudeProfile.read(claudeScreen(["● hi"], input, caret, footer)));

  it.each([
    ["a suggestion under the caret", "\x1b[7mr\x1b[0;2mun the tests\x1b[0m", 2, "empty, unseen"],
    ["a dim placeholder", "\x1b[2mTry something\x1b[0m", 2, "empty, unseen"],
    ["a draft with the caret on its first letter", "\x1b[7mr\x1b[0mun", 2, '"run", unseen'],
    ["one letter with the caret on it", "\x1b[7mr\x1b[0m", 2, '"r", unseen'],
    ["a suggestion with the caret elsewhere", "\x1b[7mr\x1b[0;2mun\x1b[0m", 5, '"r  ", unseen'],
    ["a command with its dim completion", "\x1b[7m/\x1b[0;2mhelp\x1b[0m", 2, '"/", unseen'],
    ["a draft with a dim hint behind it", "/model\x1b[2m [name]\x1b[0m", 8, '"/model", unseen'],
    ["blanks, shown by the caret alone", "", 5, '"   ", unseen'],
    ["a pointer that a person typed", "❯ 1. Yes", 2, '"❯ 1. Yes", unseen'],
    ["words of a dialog that a person typed", "press Esc to cancel", 21, '"press Esc to cancel", unseen'],
  ])("%s", (_name, input, caret, expected) => expect(read(input, caret)).toBe(expected));

  it("is held while a survey waits for a digit", () => {
    const above = [
      "● How is Claude doing this session? (optional)",
      "  1: Bad    2: Fine   3: Good   0: Dismiss",
    ];
    expect(claudeProfile.read(claudeScreen(above, "", 2)).kind).toBe("unknown");
  });

  it.each(["  Press Ctrl-C again to exit", "  -- NORMAL --", "  Enter to confirm · Esc to cancel"])(
    "is held over the footer %j",
    (footer) => expect(read("", 2, footer)).toMatch(/^unknown/),
  );

  it.each([
    ["38;5;246", "busy"],
    ["38;2;153;153;153", "busy"],
    ["90", "busy"],
    ["38;5;153", "unseen"],
  ])("with its mark in colour %s is %s", (colour, busy) => {
    const lines = [RULE, `\x1b[${colour}m❯\u00a0\x1b[39mdraft`, RULE, FOOTER];
    const screen = drawnScreen(lines, { columns: COLUMNS, x: 7, y: 1, visible: false });
    expect(describeReading(claudeProfile.read(screen))).toBe(`"draft", ${busy}`);
  });

  it("is unknown where one of its rules is cut off or shorter than the screen", () => {
    for (const columns of [COLUMNS - 1, COLUMNS + 1]) {
      expect(claudeProfile.read({ ...claudeScreen([], "", 2), columns }).kind).toBe("unknown");
    }
  });
});

describe("what a model may draw over Codex's composer", () => {
  const read = (screen: Screen) => describeReading(codexProfile.read(screen));
  const placeholder = "\x1b[2mAsk Codex to do anything\x1b[0m";

  it("an empty composer does not hide the draft in the real one", () => {
    const fake = ["• look:", "", `  › ${placeholder}`, "", "  gpt-5 default"];
    expect(read(codexScreen(fake, "my secret", 11))).toBe('"my secret", unseen');
  });

  it("a dialog is not taken for one", () => {
    const fake = [
      "• look:",
      "  Would you like to run the following command?",
      "  › 1. Yes, proceed (y)",
      "  Press enter to confirm",
    ];
    expect(read(codexScreen(fake, placeholder, 2))).toBe("empty, unseen");
  });

  it("a draft in the placeholder's words is a draft", () => {
    expect(read(codexScreen([], "Ask Codex to do anything", 2))).toBe('"Ask Codex to do anything", unseen');
  });

  it("a hidden cursor belongs to something else", () => {
    const screen = codexScreen([], placeholder, 2);
    expect(codexProfile.read({ ...screen, cursor: { ...screen.cursor, visible: false } }).kind).toBe(
      "unknown",
    );
  });
});

describe("any screen at all", () => {
  const generic = genericProfile({
    name: "taught",
    match: { command: "taught" },
    composer: { prompt: "^> " },
    busy: "working…",
    dialog: "Allow\\?",
    keys: { submit: "Enter" },
    submitDelayMs: 0,
  });
  const profiles: readonly Profile[] = [claudeProfile, codexProfile, generic];
  const marks = /[❯›>─▔!\u00a0]/gu;
  const facts = fc.record({
    columns: fc.integer({ min: 0, max: 200 }),
    x: fc.integer({ min: -1, max: 200 }),
    y: fc.integer({ min: -1, max: 60 }),
    visible: fc.boolean(),
    alternate: fc.boolean(),
    title: fc.string({ maxLength: 20 }),
  });

  it("is unknown without a composer's marks", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 }), { maxLength: 30 }), facts, (lines, given) => {
        const screen = drawnScreen(
          lines.map((line) => line.replace(marks, "")),
          { ...given, title: "" },
        );
        for (const profile of profiles) expect(profile.read(screen).kind).toBe("unknown");
      }),
    );
  });
});

describe("other programs' screens", () => {
  const others = [...capturedScreens("opencode", "1.18.33"), ...capturedScreens("gemini", "0.61.0")];
  const taught = (prompt: string) =>
    genericProfile({
      name: "taught",
      match: { command: "taught" },
      composer: { prompt },
      keys: { submit: "Enter", clear: "C-u" },
      submitDelayMs: 0,
    });

  it.each(others)("$name is never empty for a taught profile", ({ screen }) => {
    for (const prompt of ["^ *┃  ", "^ [>*] ", "^ +[>*┃] +", "[>*┃]"]) {
      expect(describeReading(taught(prompt).read(screen))).not.toMatch(/^empty/);
    }
  });
});
