import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORGED_ID as ID } from "../../../tests/desk/forged-letters.ts";
import { keyOf, wordSealer } from "../../../tests/desk/host-desks.ts";
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import { bagBytes } from "../../wire/cluster/bags.ts";
import { BAG_LIMITS, type Letter, type Parcel } from "../../wire/cluster/parcels.ts";
import { fits, opened, Packing, sealed } from "./packing.ts";

const A: AdmittedHost = { host: "a", key: keyOf("a"), rights: ["send"] };
const sentAt = Date.UTC(2030, 0, 7);
const admitted = (host: string) => (host === "a" ? A : undefined);
const missing = (delivery: string): Parcel => ({ kind: "missing", delivery });

function letterOf(body: string): Letter {
  const message = { id: ID, shortId: "abcdef", from: "agent/x@a", to: "agent/y", body, hops: 0 };
  return {
    ...{ kind: "letter", delivery: `${ID}.1` },
    message: { ...message, form: { kind: "text" }, priority: "normal", source: "agent" },
  };
}

describe("a bag", () => {
  it("is opened by its host, and says who made it", () => {
    const parcels = [missing(`${ID}.2`), letterOf("grüße 🎒\n\u0000")];
    const bag = sealed({ from: "a", sentAt, parcels }, keyOf("b"), wordSealer("a"));
    expect(opened(bag, admitted, wordSealer("b"))).toEqual({
      ...{ kind: "opened", host: A },
      bag: { from: "a", sentAt, parcels, spoiled: [], unreadable: 0 },
    });
  });

  it("of nobody, for another host, or under a false name opens nothing", () => {
    const parcels = [missing("m.1")];
    const stranger = (bytes: Uint8Array) => opened(bytes, admitted, wordSealer("b")).kind;
    const [a, moon] = [
      { from: "a", sentAt, parcels },
      { from: "moon", sentAt, parcels },
    ];
    expect(stranger(sealed(a, keyOf("c"), wordSealer("a")))).toBe("stranger");
    expect(stranger(sealed(moon, keyOf("b"), wordSealer("moon")))).toBe("stranger");
    expect(stranger(sealed(a, keyOf("b"), wordSealer("moon")))).toBe("stranger");
    expect(stranger(new Uint8Array())).toBe("stranger");
    // Made by `a`, and says inside that it is another.
    const [inside, outside] = [bagBytes({ from: "c", sentAt, parcels }), Uint8Array.of(1, 1, 97)];
    const inner = wordSealer("a").seal(inside, keyOf("b"));
    expect(stranger(Buffer.concat([outside, inner]))).toBe("unreadable");
  });

  it("whatever bytes come is opened or not, and never fails", () => {
    const inner = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(`{"from":"a","sentAt":1,"parcels":[${text}]}`)),
    );
    fc.assert(
      fc.property(inner, fc.boolean(), (bytes, isFramed) => {
        const framed = Buffer.concat([Uint8Array.of(1, 1, 97), wordSealer("a").seal(bytes, keyOf("b"))]);
        const found = opened(isFramed ? framed : bytes, admitted, wordSealer("b"));
        expect(["opened", "stranger", "unreadable"]).toContain(found.kind);
      }),
    );
  });

  it("nested without end is unreadable, and nothing overflows", () => {
    const deep = Buffer.from(
      `{"from":"a","sentAt":1,"parcels":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`,
    );
    const bag = Buffer.concat([Uint8Array.of(1, 1, 97), wordSealer("a").seal(deep, keyOf("b"))]);
    expect(opened(bag, admitted, wordSealer("b")).kind).toBe("unreadable");
  });

  it("holds as many parcels and bytes as it may, and not one more", () => {
    const many = new Packing();
    for (let at = 0; at < BAG_LIMITS.parcels; at += 1) expect(many.add(missing(`${at}.1`))).toBe(true);
    expect(many.add(missing("more.1"))).toBe(false);
    const large = new Packing();
    const half = letterOf("x".repeat(BAG_LIMITS.bytes / 2 - 1_000));
    expect([large.add(half), large.add(half), large.add(half)]).toEqual([true, true, false]);
    expect(large.add(missing("small.1"))).toBe(true);
    const bytes = bagBytes({ from: "a".repeat(32), sentAt, parcels: large.parcels });
    expect(bytes.length).toBeLessThanOrEqual(BAG_LIMITS.bytes);
    const bag = Buffer.concat([Uint8Array.of(1, 1, 97), wordSealer("a").seal(bytes, keyOf("b"))]);
    expect(opened(bag, admitted, wordSealer("b")).kind).toBe("unreadable");
  });

  it("takes the longest text that Bellhop takes, and says of a larger letter that it does not fit", () => {
    expect(fits(letterOf(`"${"é\n".repeat(87_000)}"`))).toBe(true);
    expect(fits(letterOf("x".repeat(BAG_LIMITS.bytes)))).toBe(false);
    const least = new Packing(1_024);
    expect(least.add(letterOf("x".repeat(100_000)))).toBe(true);
    expect(least.add(missing("m.1"))).toBe(false);
  });

  it("takes what fits also when it goes again, and names the one before it then", () => {
    const after = { delivery: "00000001-0000-4000-8000-000000000000.1", attempt: 1_000_000_000 };
    const around = JSON.stringify(letterOf("")).length;
    for (let spare = 0; spare < 600; spare += 10) {
      const letter = letterOf("x".repeat(BAG_LIMITS.bytes - around - spare));
      if (!fits(letter)) continue;
      expect(new Packing().add({ ...letter, after, possibleDuplicate: true })).toBe(true);
    }
    expect(fits(letterOf("x".repeat(BAG_LIMITS.bytes - around - 600)))).toBe(true);
  });
});
