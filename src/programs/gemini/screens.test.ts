import { describe, expect, it } from "vitest";
import {
  capturedReleases,
  capturedScreens,
  describeReading,
  expectedReadings,
} from "../../../tests/screens.ts";
import { isStillShown } from "../../core/readiness/shown-sign.ts";
import { geminiProfile } from "./profile.ts";

describe.each(capturedReleases("gemini"))("captured screens of %s", (version) => {
  const screens = capturedScreens("gemini", version);
  const expected = expectedReadings("gemini", version);

  it.each(screens)("reads $name", ({ name, screen }) => {
    expect(describeReading(geminiProfile.read(screen))).toBe(expected[name]);
  });

  it("shows its sign of work where a turn shows, and nowhere else", () => {
    for (const { name, screen } of screens) {
      const reading = geminiProfile.read(screen);
      if (reading.kind !== "composer") continue;
      const sign = geminiProfile.workSign(screen);
      expect([name, sign !== undefined]).toEqual([name, reading.busy === "busy"]);
      const rows = screen.lines.map(({ text }) => text);
      if (sign !== undefined)
        expect([name, isStillShown(sign, { title: screen.title, rows })]).toEqual([name, true]);
    }
  });
});
