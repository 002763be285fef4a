import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/config.ts";
import { settingsFrom } from "./settings.ts";

describe("the settings of the office", () => {
  it("follow the file as to what people are told of their text", () => {
    const announced = (text: string) => settingsFrom(parseConfig(text, "/c")).announceRestored;
    expect(announced("")).toBe(true);
    expect(announced("delivery: { announce_restored: false }")).toBe(false);
  });
});
