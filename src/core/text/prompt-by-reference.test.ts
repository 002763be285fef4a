import { describe, expect, it } from "vitest";
import { FILE, HINT, limits, message, oneLine, phone } from "../../../tests/prompt-samples.ts";
import { composeForPaste, LONGEST_PASTED_BODY } from "./prompt.ts";

describe("composeForPaste, by reference", () => {
  const reference = `[message from: coder (08bc57cf) #m7k2q9] Read ${FILE}\n${HINT}`;

  it.each([
    ["a long body", "x".repeat(LONGEST_PASTED_BODY + 1)],
    ["two newlines", "a\nb\nc"],
    ["a trailing backslash", "path C:\\"],
    ["a trailing backslash before a newline", "path C:\\\n"],
    ["an unfinished mention", "look at @READ"],
    ["a lone @", "@"],
    ["a mention in brackets", "see (@src/core"],
  ])("goes by reference for %s", (_name, body) => {
    expect(composeForPaste([message(body)], limits)).toEqual({
      text: reference,
      token: "#m7k2q9]",
      byReference: true,
    });
  });

  it.each([
    [
      "exactly 300 characters, wide ones counted once",
      "👍".repeat(LONGEST_PASTED_BODY / 2) + "x".repeat(LONGEST_PASTED_BODY / 2),
    ],
    ["one newline", "a\nb"],
    ["an address", "write to dev@example.com"],
    ["a mention with something after it", "look at @README.md please"],
    ["a slash", "/compact"],
    ["an exclamation mark", "!rm"],
  ])("pastes %s", (_name, body) => {
    const { text, byReference } = composeForPaste([message(body)], limits);
    expect(byReference).toBe(false);
    expect(text).toContain(body);
  });

  it.each(["write to dev@example.com", "look at @README.md please"])(
    "goes by reference for %j where @ acts wherever it stands",
    (body) => {
      const acting = { ...limits, actsOn: "@" } as const;
      expect(composeForPaste([message(body)], acting)).toMatchObject({ text: reference, byReference: true });
      const sender = { kind: "guest", name: "email/dev@example.com" } as const;
      const { text } = composeForPaste([{ ...message("hello"), sender }], acting);
      expect(text).toContain("hello");
      expect(text).not.toContain("@");
    },
  );

  it("goes by reference for any newline where newlines are not safe", () => {
    expect(composeForPaste([message("a\nb")], oneLine)).toMatchObject({ byReference: true });
  });

  it("goes by reference when body and hint together are too long, and shortens what it must", () => {
    const body = "x".repeat(LONGEST_PASTED_BODY);
    const reference340 = { ...limits, maxCharacters: 340 };
    expect(composeForPaste([message(body)], reference340)).toMatchObject({ text: reference });
    const tight = { ...limits, maxCharacters: reference.length - 1 };
    expect(composeForPaste([message(body)], tight).text).toBe(
      `[message from: coder (08bc57cf) #m7k2q9] Read ${FILE}`,
    );
    const exact = { ...limits, maxCharacters: reference.length - HINT.length - 1 };
    expect(composeForPaste([message(body)], exact).text).toBe(
      `[message from: coder (08bc57cf) #m7k2q9] Read ${FILE}`,
    );
  });

  it("refuses a path that cannot fit, and one that an agent must not be shown", () => {
    const long = { ...message("x".repeat(400)), file: `/${"d".repeat(800)}/x.md` };
    expect(() => composeForPaste([long], limits)).toThrow(
      expect.objectContaining({ code: "home.path_too_long" }),
    );
    for (const file of ["/home/\x1b[31m/x.md", "/home/a\nb.md", "relative.md", "/home/x.md "]) {
      expect(() => composeForPaste([{ ...long, file }], limits)).toThrow(
        expect.objectContaining({ code: "file.unsafe" }),
      );
    }
  });

  it("keeps the mark of an outside sender", () => {
    expect(composeForPaste([message("a\nb\nc", phone)], limits).text).toBe(
      `[message from: dev #m7k2q9] 📱 Read ${FILE}`,
    );
  });
});
