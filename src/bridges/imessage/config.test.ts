import { describe, expect, it } from "vitest";
import { checkIMessageSettings } from "./config.ts";
import { canonicalHandle, handleIn, pathOf } from "./handle.ts";

describe("a handle", () => {
  it.each([
    ["+1 (555) 123-4567", "+15551234567"],
    [" +49.30.123456 ", "+4930123456"],
    ["Me@iCloud.COM", "me@icloud.com"],
    ["5551234567", undefined],
    ["+12", undefined],
    ["+1234567890123456", undefined],
    ["me@", undefined],
    ["a@b@c", undefined],
    ["me@i/cloud", undefined],
    ["me\u200b@icloud.com", undefined],
    ["urn:biz:1234", undefined],
    ["", undefined],
  ])("%s is %s", (text, handle) => {
    expect(canonicalHandle(text)).toBe(handle);
  });

  it("is found in its path, and in no other", () => {
    expect(handleIn(pathOf("+15551234567"))).toBe("+15551234567");
    for (const path of ["imessage", "imessage/", "imessage/a/b", "telegram/+15551234567", "imessage/agent"])
      expect(handleIn(path)).toBeUndefined();
  });
});

describe("the settings of iMessage", () => {
  it("spell each handle as its path does, once", () => {
    const { handles } = checkIMessageSettings({
      handles: ["+1 555 123 4567", "+15551234567", "Me@icloud.com"],
    });
    expect(handles).toEqual(["+15551234567", "me@icloud.com"]);
  });

  it("name somebody", () => {
    expect(() => checkIMessageSettings({ handles: [] })).toThrow("bridges.imessage.handles is empty");
    expect(() => checkIMessageSettings({ handles: ["0151 23456"] })).toThrow("neither a phone number nor");
  });

  it("look neither all the time nor never", () => {
    const handles = ["+15551234567"];
    for (const pollMs of [0, 99, Number.NaN, 3_600_001])
      expect(() => checkIMessageSettings({ handles, pollMs })).toThrow("bridges.imessage.poll");
    expect(checkIMessageSettings({ handles, pollMs: 100 }).pollMs).toBe(100);
  });
});
