/** Every profile reads any screen without failing, and a screen that it does not understand is unknown. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import type { Profile } from "../../src/ports/profile.ts";
import type { Stroke } from "../../src/ports/terminal.ts";
import { strokeBytes } from "../../src/terminals/pty/host/key-bytes.ts";
import {
  capturedReleases,
  capturedScreens,
  describeReading,
  drawnScreen,
  expectedReadings,
} from "../screens.ts";

const RULE = "─".repeat(60);
const OTHERS = [
  ["claude", "2.1.325"],
  ["codex", "0.166.0"],
  ["opencode", "1.18.33"],
  ["gemini", "0.61.0"],
] as const;

const row = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    ...[RULE, "❯\u00a0", "❯ 1. Yes", "› 1. Yes", "› ", "> ", "  ", "Esc to cancel", "\x1b[2mghost", "● hi"],
    "  ⏸ manual mode on · ? for shortcuts",
  ),
);
const words = fc.stringMatching(/^[\p{L}\p{N} ]{0,60}$/u);
const facts = fc.record({
  columns: fc.integer({ min: 0, max: 200 }),
  x: fc.integer({ min: -1, max: 200 }),
  y: fc.integer({ min: -1, max: 60 }),
  visible: fc.boolean(),
  alternate: fc.boolean(),
  title: fc.string({ maxLength: 20 }),
});
const screens = fc
  .tuple(fc.array(row, { maxLength: 30 }), facts)
  .map(([lines, given]) => drawnScreen(lines, given));

export function programScreensContract(profile: Profile): void {
  it("are read without an exception, whatever they show, and so is every title", () => {
    fc.assert(
      fc.property(screens, (screen) => {
        profile.read(screen);
        profile.workSign(screen);
        profile.headlineFromTitle(screen.title);
      }),
    );
  });

  it("are unknown where they show nothing but words", () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), facts, (lines, given) => {
        expect(profile.read(drawnScreen(lines, { ...given, title: "" })).kind).toBe("unknown");
      }),
    );
  });

  it("are unknown once the program has ended", () => {
    fc.assert(
      fc.property(screens, (screen) => {
        expect(profile.read({ ...screen, dead: true }).kind).toBe("unknown");
      }),
    );
  });

  it("name only keys that a terminal can press", () => {
    for (const stroke of strokesOf(profile))
      expect(
        strokeBytes([stroke], { bracketedPaste: true, applicationCursor: false }).length,
      ).toBeGreaterThan(0);
  });

  it("are set aside by no key while there is no draft", () => {
    fc.assert(
      fc.property(screens, (screen) => {
        const reading = profile.read(screen);
        if (reading.kind === "composer" && reading.draft.kind === "text") return;
        expect(profile.draftKeeping(undefined, reading).how).toBe("none");
      }),
    );
  });

  it("are not those of other programs", () => {
    for (const [program, version] of OTHERS)
      for (const { name, screen } of program === profile.name ? [] : capturedScreens(program, version))
        expect(profile.read(screen).kind, name).not.toBe("composer");
  });

  describe.each(capturedReleases(profile.name))("of %s, as captured", (version) => {
    const expected = expectedReadings(profile.name, version);
    const captured = capturedScreens(profile.name, version);

    it("have an expectation each", () => {
      expect(Object.keys(expected).sort()).toEqual(captured.map(({ name }) => name));
    });

    it.each(captured)("read $name", ({ name, screen }) => {
      expect(describeReading(profile.read(screen))).toBe(expected[name]);
    });

    it("never make a draft look empty, or a dialog like a composer, for a cursor that moves", () => {
      for (const { name, screen } of captured) {
        const own = profile.read(screen);
        const composers = moves(screen)
          .map((moved) => profile.read(moved))
          .filter((reading) => reading.kind === "composer");
        if (own.kind === "dialog") expect(composers, name).toEqual([]);
        if (own.kind !== "composer" || own.draft.kind === "empty") continue;
        const empty = composers.filter(({ draft }) => draft.kind === "empty");
        expect(empty, name).toEqual([]);
      }
    });
  });
}

function strokesOf(profile: Profile): readonly Stroke[] {
  const empty = {
    kind: "composer",
    draft: { kind: "empty" },
    busy: "idle",
    stash: "none",
    caret: { x: 2, y: 0 },
  } as const;
  const { strokes, submit = [] } = profile.inject("two words", empty);
  const keeping = profile.draftKeeping(undefined);
  const kept =
    keeping.how === "none"
      ? []
      : [
          ...keeping.clear,
          ...("pop" in keeping ? keeping.pop : []),
          ...("recall" in keeping ? keeping.recall : []),
          ...("retype" in keeping ? keeping.retype("a draft") : []),
        ];
  return [
    ...strokes,
    ...submit,
    ...kept,
    ...(profile.eraseRow ?? []),
    ...(profile.interrupt?.strokes ?? []),
    ...(profile.dismiss ?? []),
  ];
}

/** Puts the cursor where a mark, an indent, a text or the edge may be. */
function moves(screen: Screen): readonly Screen[] {
  const columns = [0, 1, 2, 3, 4, 7, screen.cursor.x, screen.columns - 1, screen.columns];
  return [true, false].flatMap((visible) =>
    Array.from({ length: 8 }, (_, at) => screen.cursor.y - 4 + at).flatMap((y) =>
      columns.map((x) => ({ ...screen, cursor: { x, y, visible } })),
    ),
  );
}
