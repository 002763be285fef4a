import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const COMMANDS = ["send", "show", "status", "queue", "config", "completions"];

describe("nearest", () => {
  it.each([
    ["sned", "send"],
    ["stauts", "status"],
    ["queu", "queue"],
    ["compeltions", "completions"],
    ["SEND", "send"],
  ])("takes %s for %s", (written, meant) => {
    expect(nearest(written, COMMANDS)).toBe(meant);
  });

  it.each(["xyzzy", "", "deliver-all-the-things"])("guesses nothing for %j", (written) => {
    expect(nearest(written, COMMANDS)).toBeUndefined();
  });
});
