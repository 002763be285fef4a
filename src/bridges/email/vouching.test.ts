import { describe, expect, it } from "vitest";
import { parseAuthenticationResults } from "./authentication-results.ts";
import { type HeaderField, senderOf } from "./vouching.ts";

const ID = "mx.example.net";
const DANA = "dana@example.org";

const field = (name: string, value: string): HeaderField => ({ name, value });
const results = (value: string): HeaderField => field("authentication-results", `${ID}; ${value}`);
const from = (value = `Dana <${DANA}>`): HeaderField => field("from", value);
const vouched = { kind: "vouched", address: DANA };
const kindOf = (...fields: readonly HeaderField[]): string => senderOf(fields, ID).kind;

describe("the provider vouches for a sender", () => {
  it.each([
    [
      "Gmail",
      `dkim=pass header.i=@example.org header.s=20230601 header.b=ab/c+d==; spf=pass (google.com: domain of ${DANA} designates 1.2.3.4 as permitted sender) smtp.mailfrom=${DANA}; dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=example.org`,
    ],
    ["DMARC alone", "dmarc=pass header.from=example.org"],
    [
      "with blanks, comments and capitals",
      "DMARC (a (nested) comment) = pass policy.dmarc=none Header.From=EXAMPLE.ORG",
    ],
    [
      "DKIM of the same domain, without a policy",
      "dmarc=none header.from=example.org; dkim=pass header.d=example.org",
    ],
    ["DKIM by header.i", "dkim=pass header.i=dana@example.org"],
    ["the second of two signatures", "dkim=pass header.d=lists.example.com; dkim=pass header.d=example.org"],
    ["SPF of the same domain", `spf=pass smtp.mailfrom=${DANA}`],
    ["SPF with a domain only", "spf=pass smtp.mailfrom=example.org"],
    ["a version of the method", "dmarc/1=pass header.from=example.org"],
  ])("%s", (_, value) => {
    expect(senderOf([results(value), from()], ID)).toEqual(vouched);
  });

  it("whose domain is below the one that signed", () => {
    const fields = [results("dkim=pass header.d=example.org"), from("dana@mail.example.org")];
    expect(senderOf(fields, ID)).toEqual({ kind: "vouched", address: "dana@mail.example.org" });
  });

  it("whatever the case of its own name and of the address", () => {
    const fields = [
      field("authentication-results", "MX.Example.NET 1; dmarc=pass header.from=example.org"),
      from("DANA@Example.org"),
    ];
    expect(senderOf(fields, ID)).toEqual(vouched);
  });

  it("in a field below others of its own that say nothing about the sender", () => {
    const fields = [
      results("x-ptr=pass smtp.helo=a.example"),
      results("arc=none (no signatures)"),
      results("dkim=pass header.d=example.org; dmarc=pass header.from=example.org"),
      from(),
    ];
    expect(senderOf(fields, ID)).toEqual(vouched);
  });

  it("by any of its servers, if their domain is configured", () => {
    const fields = [
      field("authentication-results", "mx7.example.net; dmarc=pass(p=NONE) header.from=example.org;"),
      from(),
    ];
    expect(senderOf(fields, "*.Example.net")).toEqual(vouched);
    for (const other of ["*.net.example", "*.7.example.net", "example.net", "*.mx7.example.net"])
      expect(senderOf(fields, other).kind, other).toBe("unvouched");
    expect(
      senderOf(
        [field("authentication-results", "evilexample.net; dmarc=pass header.from=example.org"), from()],
        "*.example.net",
      ).kind,
    ).toBe("unvouched");
  });

  it("of an international domain in either spelling", () => {
    const fields = [results("dmarc=pass header.from=xn--bcher-kva.example"), from("dana@bücher.example")];
    expect(senderOf(fields, ID)).toEqual({ kind: "vouched", address: "dana@bücher.example" });
  });
});

describe("nobody vouches for a sender", () => {
  it.each([
    ["nothing was checked", "none"],
    [
      "DMARC failed, whatever else passed",
      "dmarc=fail header.from=example.org; dkim=pass header.d=example.org",
    ],
    ["DMARC passed for another domain", "dmarc=pass header.from=evil.example"],
    ["DMARC passed for nobody", "dmarc=pass"],
    ["DKIM of another domain", "dkim=pass header.d=evil.example"],
    ["DKIM of a domain below", "dkim=pass header.d=evil.example.org"],
    ["DKIM of a top-level domain", "dkim=pass header.d=org"],
    ["DKIM of a domain that only ends like it", "dkim=pass header.d=le.org"],
    ["DKIM failed", "dkim=fail header.d=example.org"],
    ["SPF of another domain", "spf=pass smtp.mailfrom=dana@evil.example"],
    ["SPF of a greeting", "spf=pass smtp.helo=example.org"],
    ["SPF is soft", "spf=softfail smtp.mailfrom=example.org"],
    [
      "a pass within a quotation",
      `spf=fail smtp.mailfrom="x; dmarc=pass header.from=example.org"@evil.example`,
    ],
    [
      "a pass within a comment",
      "spf=fail (x; dmarc=pass header.from=example.org) smtp.mailfrom=evil.example",
    ],
    ["a pass within a reason", `spf=fail reason="; dmarc=pass header.from=example.org"`],
    ["an open comment", "spf=fail (; dmarc=pass header.from=example.org"],
    ["an open quotation", `spf=fail reason="; dmarc=pass header.from=example.org`],
    ["a property said twice", "dmarc=pass header.from=evil.example header.from=example.org"],
    ["a property of a prototype", "dmarc=pass __proto__=example.org"],
    ["a result of another method", "iprev=pass policy.iprev=1.2.3.4; auth=pass smtp.auth=dana"],
  ])("%s", (_, value) => {
    expect(kindOf(results(value), from())).toBe("unvouched");
  });

  it("by a forged field below the provider's", () => {
    expect(
      kindOf(
        results("dmarc=fail header.from=example.org"),
        results("dmarc=pass header.from=example.org"),
        from(),
      ),
    ).toBe("unvouched");
  });

  it("by a field in another's name, wherever it stands", () => {
    const forged = field(
      "authentication-results",
      "mx.example.net.evil.example; dmarc=pass header.from=example.org",
    );
    expect(kindOf(forged, from())).toBe("unvouched");
    expect(kindOf(forged, results("dmarc=fail"), from())).toBe("unvouched");
    expect(
      kindOf(field("arc-authentication-results", `i=1; ${ID}; dmarc=pass header.from=example.org`), from()),
    ).toBe("unvouched");
    expect(kindOf(field("authentication-results", "dmarc=pass header.from=example.org"), from())).toBe(
      "unvouched",
    );
  });

  it("without a name for the provider", () => {
    const fields = [results("dmarc=pass header.from=example.org"), from()];
    expect(senderOf(fields, undefined)).toMatchObject({ kind: "unvouched", claimed: DANA });
  });

  it.each([
    ["two addresses", `${DANA}, eve@example.org`],
    ["an address as a name", `${DANA} <eve@example.org> <${DANA}>`],
    ["a group", `Team: ${DANA};`],
    ["no address", "Dana"],
    ["nothing", ""],
    ["a comment behind", `<${DANA}> (eve)`],
    ["a slash", "<a/b@example.org>"],
    ["a quoted mailbox", `<"dana x"@example.org>`],
    ["a line break", "<dana@example.org\n>,<x@y.z>"],
    ["an invisible character", "<dan\u200Ba@example.org>"],
    ["a very long address", `<${"d".repeat(65)}@example.org>`],
  ])("because From has %s", (_, value) => {
    expect(kindOf(results("dmarc=pass header.from=example.org"), from(value))).toBe("unvouched");
  });

  it("because there are two From, or none", () => {
    expect(kindOf(results("dmarc=pass header.from=example.org"), from(), from())).toBe("unvouched");
    expect(kindOf(results("dmarc=pass header.from=example.org"))).toBe("unvouched");
  });

  it("takes the address in the brackets, not the one in the name", () => {
    const fields = [results("dmarc=pass header.from=evil.example"), from(`"${DANA}" <eve@evil.example>`)];
    expect(senderOf(fields, ID)).toEqual({ kind: "vouched", address: "eve@evil.example" });
  });
});

describe("a field of results", () => {
  it("is read into who checked and what was found", () => {
    expect(parseAuthenticationResults(`${ID} 1; dkim=pass header.b=a=b "header.x"="y z"`)).toEqual({
      authservId: ID,
      results: [
        {
          method: "dkim",
          result: "pass",
          properties: new Map([
            ["header.b", "a=b"],
            ["header.x", "y z"],
          ]),
        },
      ],
    });
  });

  it.each(["", ";", "dmarc=pass", "(only a comment)", "x".repeat(20_000)])(
    "says nothing if it cannot be read: %#",
    (value) => {
      expect(parseAuthenticationResults(value)).toBeUndefined();
    },
  );

  it("takes no time to speak of, however it is built", () => {
    const started = process.cpuUsage();
    for (const piece of ["(", '"', " ", "=", "a =", "((\\", "; ", "a (b) "])
      parseAuthenticationResults(`${ID};${piece.repeat(16_000 / piece.length)}`);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
  });
});
