import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ATTACHED_LIMITS, attachedName, withAttached } from "./attached.ts";

describe("the name of an attached file", () => {
  it.each([
    ["photo.png", "photo.png"],
    ["Ärger mit Login.PNG", "Arger-mit-Login.PNG"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\dev\\a b.txt", "a-b.txt"],
    [".bashrc", "bashrc"],
    ["-rf", "rf"],
    ["写真.jpg", "file.jpg"],
    ["a\u202egnp.exe", "a-gnp.exe"],
    ["..", "file"],
    ["", "file"],
    ["tail.", "tail"],
  ])("of %j is %j", (given, name) => {
    expect(attachedName(given)).toBe(name);
  });

  it("is always one plain word that no path can lead out of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (given) => {
        const name = attachedName(given);
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/);
        expect(name.length).toBeLessThanOrEqual(ATTACHED_LIMITS.nameCharacters);
        expect(name).not.toContain("..");
      }),
    );
  });
});

it("tells of files in the same line, or in one more", () => {
  expect(withAttached("look\n", ["/m/a.png", "/m/b.txt"])).toBe("look [attached: /m/a.png /m/b.txt]");
  expect(withAttached("a\nb", ["/m/a.png"])).toBe("a\nb\n[attached: /m/a.png]");
  expect(withAttached("look\n", [])).toBe("look\n");
});
