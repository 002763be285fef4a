import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agentOfToken, agentToken, readOrCreateToken, readToken } from "./token.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-token-"));
  path = join(folder, "token");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const filledWith = (value: number) => (bytes: number) => new Uint8Array(bytes).fill(value);
const token = (pair: string) => pair.repeat(32);
const unsafe = expect.objectContaining({ code: "file.unsafe", next: expect.stringContaining("remove it") });

describe("the token", () => {
  it("is made once, private, and nothing else is left behind", () => {
    expect(readToken(path)).toBeUndefined();
    const before = process.umask(0);
    try {
      expect(readOrCreateToken(path, filledWith(0xab))).toBe(token("ab"));
    } finally {
      process.umask(before);
    }
    expect(readOrCreateToken(path, filledWith(0xcd))).toBe(token("ab"));
    expect(readToken(path)).toBe(token("ab"));
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["token"]);
  });

  it("counts from the moment it is changed", () => {
    readOrCreateToken(path, filledWith(1));
    writeFileSync(path, token("ee"));
    expect(readToken(path)).toBe(token("ee"));
    rmSync(path);
    expect(readToken(path)).toBeUndefined();
  });

  it("of somebody who was first in the same moment wins", () => {
    const racing = (bytes: number) => {
      writeFileSync(path, `${token("99")}\n`, { mode: 0o600 });
      return filledWith(1)(bytes);
    };
    expect(readOrCreateToken(path, racing)).toBe(token("99"));
    expect(readdirSync(folder)).toEqual(["token"]);
  });

  it("replaces a draft that a crash left behind", () => {
    writeFileSync(`${path}.${process.pid}.new`, "half");
    expect(readOrCreateToken(path, filledWith(1))).toBe(token("01"));
    expect(readdirSync(folder)).toEqual(["token"]);
  });

  it("is not read through a symbolic link, even one that leads nowhere", () => {
    const elsewhere = join(folder, "elsewhere");
    symlinkSync(elsewhere, path);
    expect(() => readToken(path)).toThrow(unsafe);
    expect(() => readOrCreateToken(path, filledWith(1))).toThrow(unsafe);
    expect(readdirSync(folder)).toEqual(["token"]);
    writeFileSync(elsewhere, token("ab"), { mode: 0o600 });
    expect(() => readToken(path)).toThrow(unsafe);
  });

  it.each([0o640, 0o604, 0o644])("is refused when others can read it (%o)", (mode) => {
    readOrCreateToken(path, filledWith(1));
    chmodSync(path, mode);
    expect(() => readToken(path)).toThrow(unsafe);
  });

  it("is refused when it belongs to another user", () => {
    readOrCreateToken(path, filledWith(1));
    const uid = process.getuid?.() ?? 0;
    vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    expect(() => readToken(path)).toThrow(unsafe);
  });

  it.each([
    ["empty", ""],
    ["too short", "ab"],
    ["too long", `${token("ab")}\n\n`],
    ["of other characters", token("zz")],
    ["of two lines", `${token("ab")}\n${token("ab")}`],
  ])("is refused when it is %s", (_, content) => {
    writeFileSync(path, content, { mode: 0o600 });
    expect(() => readToken(path)).toThrow(unsafe);
  });

  it("is refused when it is a folder", () => {
    mkdirSync(path);
    expect(() => readToken(path)).toThrow(unsafe);
  });

  it("is not made from too little randomness", () => {
    expect(() => readOrCreateToken(path, () => new Uint8Array(8))).toThrow(
      expect.objectContaining({ code: "internal.bug" }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("an agent's token", () => {
  const owner = token("ab");

  it("names its agent and is sealed with the owner's", () => {
    expect(agentToken(owner, "coder")).toBe(
      "coder.3ad828e5e0d0524ea8cf3f3a54298056e7e63fd52ea9b7bc620f5507071aa934",
    );
    expect(agentOfToken(owner, agentToken(owner, "coder"))).toBe("coder");
  });

  it("works for a name with dots", () => {
    expect(agentOfToken(owner, agentToken(owner, "team.coder-2"))).toBe("team.coder-2");
  });

  it("ends with the owner's token", () => {
    expect(agentOfToken(token("cd"), agentToken(owner, "coder"))).toBeUndefined();
  });

  it.each([
    ["the owner's own", owner],
    ["nothing", ""],
    ["a name", "coder"],
    ["a name and a dot", "coder."],
    ["another's seal", agentToken(owner, "writer").replace("writer", "coder")],
    ["a seal without a name", agentToken(owner, "coder").replace("coder", "")],
    ["a name in capitals", agentToken(owner, "coder").replace("coder", "Coder")],
    ["a seal in capitals", `coder.${agentToken(owner, "coder").slice(6).toUpperCase()}`],
    ["a seal cut short", agentToken(owner, "coder").slice(0, -2)],
    ["a seal and more", `${agentToken(owner, "coder")}00`],
    ["white space around it", ` ${agentToken(owner, "coder")}`],
  ])("is not %s", (_, text) => {
    expect(agentOfToken(owner, text)).toBeUndefined();
  });

  it("is nobody's while there is no token of the owner", () => {
    expect(agentOfToken("", agentToken("", "coder"))).toBeUndefined();
  });

  it("is nobody's when one character is another", () => {
    const good = agentToken(owner, "coder");
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        const changed = good.slice(0, at) + other + good.slice(at + 1);
        expect(agentOfToken(owner, changed)).toBe(changed === good ? "coder" : undefined);
      }),
    );
  });
});
