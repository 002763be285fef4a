import { describe, expect, it } from "vitest";
import { authenticatorFrom, kindOf } from "./credentials.ts";

const SEED = `SU${"A".repeat(56)}`;

describe("the file with the credentials", () => {
  it.each([
    ["-----BEGIN NATS USER JWT-----\neyJ…\n------END NATS USER JWT------\n", "creds"],
    [`${SEED}\n`, "seed"],
    ["bellhop:pa:ss\n", "password"],
    ["  s3cret\n", "token"],
  ])("is known by how it looks: %j", (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each(["", "\n \n", "one\ntwo\n"])("may not be %j, and what is in it is not said", (text) => {
    expect(() => kindOf(text)).toThrow(/^it (?:is empty|has several lines)/);
  });

  it("gives what the server asks for", () => {
    const given = (text: string) => authenticatorFrom(text)("nonce");
    expect(given("bellhop:pa:ss\n")).toEqual({ user: "bellhop", pass: "pa:ss" });
    expect(given("s3cret\n")).toEqual({ auth_token: "s3cret" });
  });
});
