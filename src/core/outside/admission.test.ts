import { describe, expect, it } from "vitest";
import { isAdmitted, isPersons } from "./admission.ts";

const OWN = ["telegram/42", "email/bot@example.org/me@example.org", "imessage/+15551234"];

describe("the owner", () => {
  it.each([
    ["telegram/42", "42", true],
    ["telegram/-100", "42", true],
    ["telegram/42", "7", false],
    ["telegram/-100", "7", false],
    ["telegram/42", "", false],
    ["email/bot@example.org/me@example.org", "me@example.org", true],
    ["email/bot@example.org/me@example.org", "", false],
    ["email/bot@example.org/me@example.org", "unverified me@example.org", false],
    ["imessage/+15551234", "+15551234", true],
    ["imessage/+15551234", "+1666", false],
  ])("in %s is %s: %s", (path, from, expected) => {
    expect(isPersons({ path, from }, OWN, [])).toBe(expected);
  });

  it("is nobody without channels", () => {
    expect(isPersons({ path: "telegram/42", from: "42" }, [], [])).toBe(false);
  });
});

describe("an allow-list", () => {
  it.each<[string, string, readonly string[], string]>([
    ["slack/T1/#general", "U7", [], "nobody"],
    ["slack/T1/#general", "U7", ["U7"], "the desk"],
    ["slack/T1/#general", "U7", ["slack/T1/#general"], "subscribers"],
    ["slack/T1/#general", "U7", ["slack/T1/@U7"], "the desk"],
    ["slack/T1/#general", "U7", ["U8", "slack/T1/#other"], "nobody"],
    ["slack/T1/#general", "", ["slack/T1/#general", ""], "nobody"],
    ["email/a@x.org/b@x.org", "", ["b@x.org"], "nobody"],
    ["email/a@x.org/b@x.org", "b@x.org", ["b@x.org"], "the desk"],
  ])("in %s lets %s by %j reach %s", (path, from, allow, expected) => {
    const speaker = { path, from };
    const reaches = isPersons(speaker, [], allow)
      ? "the desk"
      : isAdmitted(speaker, allow)
        ? "subscribers"
        : "nobody";
    expect(reaches).toBe(expected);
  });
});
