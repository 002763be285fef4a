import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decrypted } from "../../tests/rig/push-browser.ts";
import { encrypted, PADDED_BYTES } from "./encryption.ts";
import { outcomeOf } from "./sender.ts";
import { publicKeyOf, vapid } from "./vapid.ts";

/** The example of RFC 8291, appendix A. */
const EXAMPLE = {
  text: "When I grow up, I want to be a watermelon",
  ours: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  target: {
    endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    secret: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  sealed:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

const bytes = (text: string) => Buffer.from(text, "base64url");

describe("a notification", () => {
  it("is encrypted as the standard's example shows", () => {
    const { text, ours, salt, target, sealed } = EXAMPLE;
    const paddedBytes = text.length + 1;
    const made = encrypted(text, target, { random: () => bytes(salt), privateKey: bytes(ours), paddedBytes });
    expect(made.toString("base64url")).toBe(sealed);
  });

  it("can be read by its browser alone, and is as long as any other", () => {
    const browser = createECDH("prime256v1");
    browser.generateKeys();
    const secret = randomBytes(16);
    const target = {
      endpoint: "https://push.example.net/x",
      publicKey: browser.getPublicKey("base64url"),
      secret: secret.toString("base64url"),
    };
    const lengths = new Set<number>();
    for (const text of ["{}", "ä ö 漢字", "x".repeat(PADDED_BYTES - 1)]) {
      const sealed = encrypted(text, target, { random: randomBytes });
      lengths.add(sealed.length);
      // Two bytes stand somewhere in any few thousand by chance.
      if (text.length > 2) expect(sealed.includes(text)).toBe(false);
      expect(decrypted(sealed, { browser, secret })).toBe(text);
      const other = createECDH("prime256v1");
      other.generateKeys();
      expect(() => decrypted(sealed, { browser: other, secret })).toThrow();
    }
    expect(lengths.size).toBe(1);
    expect(() => encrypted("x".repeat(PADDED_BYTES), target, { random: randomBytes })).toThrow();
    expect(() => encrypted("x", { ...target, publicKey: "BAAA" }, { random: randomBytes })).toThrow();
  });

  it("says who sends it, in a way that only the owner of the key can", () => {
    const privateKey = randomBytes(32);
    const said = vapid(privateKey, { audience: "https://a.example", contact: "mailto:a@b.c", nowMs: 5_000 });
    const [, token = "", k] = /^vapid t=(\S+), k=(\S+)$/.exec(said) ?? [];
    expect(k).toBe(publicKeyOf(privateKey));
    const [head = "", claims = "", seal = ""] = token.split(".");
    expect(JSON.parse(bytes(claims).toString())).toEqual({
      aud: "https://a.example",
      exp: 5 + 12 * 3_600,
      sub: "mailto:a@b.c",
    });
    const point = bytes(k ?? "").subarray(1);
    const [x, y] = [point.subarray(0, 32).toString("base64url"), point.subarray(32).toString("base64url")];
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
    const isSealed = (text: string) =>
      verify("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }, bytes(seal));
    expect(isSealed(`${head}.${claims}`)).toBe(true);
    expect(isSealed(`${head}.${claims}x`)).toBe(false);
  });
});

describe("what the service answers", () => {
  it.each([
    [201, {}, { kind: "accepted" }],
    [404, {}, { kind: "gone" }],
    [410, {}, { kind: "gone" }],
    [301, { location: "https://evil.example" }, { kind: "refused", why: "it answered 301" }],
    [403, {}, { kind: "refused", why: "it answered 403" }],
    [413, {}, { kind: "refused", why: "it answered 413" }],
    [429, { "retry-after": "7" }, { kind: "later", why: "it answered 429", afterMs: 7_000 }],
    [429, { "retry-after": "999999999" }, { kind: "later", why: "it answered 429", afterMs: 3_600_000 }],
    [
      503,
      { "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT" },
      { kind: "later", why: "it answered 503", afterMs: 8_000 },
    ],
    [500, { "retry-after": "soon" }, { kind: "later", why: "it answered 500" }],
  ] as const)("%d %j: %j", (statusCode, headers, outcome) => {
    expect(outcomeOf({ statusCode, headers }, 1_000)).toEqual(outcome);
  });
});
