import { describe, expect, it } from "vitest";
import { capturedScreens, describeReading, expectedReadings } from "../../../tests/screens.ts";
import { isStillShown } from "../../core/readiness/shown-sign.ts";
import { opencodeProfile } from "./profile.ts";

const screens = capturedScreens("opencode", "1.18.33");

describe("captured screens", () => {
  const expected = expectedReadings("opencode", "1.18.33");

  it.each(screens)("reads $name", ({ name, screen }) => {
    expect(describeReading(opencodeProfile.read(screen))).toBe(expected[name]);
  });

  it("knows which button Enter would press", () => {
    const screen = screens.find(({ name }) => name === "permission-prompt")?.screen;
    const reading = screen === undefined ? undefined : opencodeProfile.read(screen);
    expect(reading).toMatchObject({ kind: "dialog", fingerprint: expect.stringMatching(/\n● Allow once$/u) });
  });

  it("shows its sign of work where a turn shows, and nowhere else", () => {
    for (const { name, screen } of screens) {
      const reading = opencodeProfile.read(screen);
      if (reading.kind !== "composer") continue;
      const sign = opencodeProfile.workSign(screen);
      expect([name, sign !== undefined]).toEqual([name, reading.busy === "busy"]);
      const rows = screen.lines.map(({ text }) => text);
      if (sign !== undefined)
        expect([name, isStillShown(sign, { title: screen.title, rows })]).toEqual([name, true]);
    }
  });
});
