import { describe, expect, it } from "vitest";
import { capturedScreen, capturedScreens, describeReading } from "../../../tests/screens.ts";
import { isStillShown } from "../../core/readiness/shown-sign.ts";
import { codexProfile } from "./profile.ts";

const screens = capturedScreens("codex", "0.166.0");

/** Must hold even if the expectations are edited. */
describe("captured screens that are not an empty composer", () => {
  const named = (pattern: RegExp) => screens.filter(({ name }) => pattern.test(name));

  it.each(named(/^(?:draft|typed|shell-mode|slash-popup|at-popup|file-popup|one-character|.*-draft(?:-|$))/))(
    "sees a person's text in $name",
    ({ screen }) => expect(describeReading(codexProfile.read(screen))).not.toMatch(/^empty/),
  );

  it.each(
    named(
      /(?:-dialog|-picker|-prompt|-permission|-search|^agents-view|^warnings|^find-text|^browsing-transcript)$|^(?:command-|hook-|permission-prompt|starting-)/,
    ),
  )("sees no composer in $name", ({ screen }) => expect(codexProfile.read(screen).kind).not.toBe("composer"));
});

describe("the sign of work", () => {
  it("is there where a turn shows, can be looked for again, and is nowhere else", () => {
    for (const { name, screen } of screens) {
      const reading = codexProfile.read(screen);
      if (reading.kind !== "composer") continue;
      const sign = codexProfile.workSign(screen);
      expect([name, sign !== undefined]).toEqual([name, reading.busy === "busy"]);
      const rows = screen.lines.map(({ text }) => text);
      if (sign !== undefined)
        expect([name, isStillShown(sign, { title: screen.title, rows })]).toEqual([name, true]);
    }
  });
});

describe("a screen that Codex leaves at once", () => {
  it("is unknown while the session is still loading, because what is pasted then is lost", () => {
    const reading = codexProfile.read(capturedScreen("codex/0.166.0/starting-loading"));
    expect(describeReading(reading)).toBe("unknown: it is still starting");
  });

  it("is a dialog by its title alone", () => {
    const screen = capturedScreen("codex/0.166.0/idle-empty");
    for (const title of ["[ . ] Action Required | codex", "[ ! ] Action Required | codex"]) {
      expect(codexProfile.read({ ...screen, title }).kind).toBe("dialog");
    }
  });

  it("is unknown without the alternate screen", () => {
    const screen = capturedScreen("codex/0.166.0/idle-empty");
    expect(codexProfile.read({ ...screen, alternate: false }).kind).toBe("unknown");
  });
});
