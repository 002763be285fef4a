import { describe, expect, it } from "vitest";
import { abilityOf, type DeviceFacts, deviceIn, type Held, remedyFor } from "./device.ts";

const able: DeviceFacts = {
  isSecure: true,
  canPush: true,
  isApplePhone: false,
  isInstalled: false,
  permission: "default",
};

describe("a device", () => {
  it.each([
    [{}, { kind: "able" }],
    [{ permission: "granted" }, { kind: "able" }],
    [{ permission: "denied" }, { kind: "denied" }],
    [
      { isSecure: false, permission: "granted" },
      { kind: "unable", why: "insecure" },
    ],
    [{ canPush: false }, { kind: "unable", why: "browser" }],
    [
      { canPush: false, isApplePhone: true },
      { kind: "unable", why: "not-installed" },
    ],
    [
      { canPush: false, isApplePhone: true, isInstalled: true },
      { kind: "unable", why: "browser" },
    ],
    [{ permission: undefined }, { kind: "unable", why: "browser" }],
  ] as const)("with %j: %j", (facts, ability) => {
    expect(abilityOf({ ...able, ...facts })).toEqual(ability);
  });

  const held: Held = {
    isWanted: true,
    isAllowed: true,
    own: { mark: "m", key: "k" },
    known: { mark: "m" },
    publicKey: "k",
  };
  it.each([
    [{}, "nothing"],
    [{ known: null }, "tell"],
    [{ known: { mark: "old" } }, "tell"],
    [{ own: undefined }, "renew"],
    [{ publicKey: "another home" }, "renew"],
    [{ own: undefined, isAllowed: false }, "nothing"],
    [{ known: null, isWanted: false }, "nothing"],
  ] as const)("that has %j needs %s", (change, remedy) => {
    expect(remedyFor({ ...held, ...change })).toBe(remedy);
  });

  it.each([
    [
      "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36",
      "Chrome",
      "Android",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1",
      "Safari",
      "iPhone",
    ],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Gecko/20100101 Firefox/127.0", "Firefox", "macOS"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge", "Windows"],
    ["curl/8", undefined, undefined],
  ])("%s", (userAgent, browser, system) => {
    expect(deviceIn(userAgent)).toEqual(JSON.parse(JSON.stringify({ browser, system })));
  });
});
