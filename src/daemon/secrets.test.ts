import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSecret } from "./secrets.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bh-secrets-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function homeWith(mode: number, text = "s3cret\n"): string {
  const home = folder();
  writeFileSync(join(home, "token"), text);
  chmodSync(join(home, "token"), mode);
  return home;
}

const inFile = (home: string, path = "token") =>
  readSecret({ kind: "file", path }, { home, environment: {} });

describe("a file with a secret", () => {
  it("is read if it is the owner's alone", () => {
    expect(inFile(homeWith(0o600))).toBe("s3cret");
    expect(inFile(homeWith(0o400))).toBe("s3cret");
  });

  it.each([0o640, 0o604, 0o620])("is refused with mode %o", (mode) => {
    expect(() => inFile(homeWith(mode))).toThrow("must be a file of yours that nobody else may read.");
  });

  it("is refused as a symbolic link, a folder, or if it is not there", () => {
    const home = homeWith(0o600);
    symlinkSync(join(home, "token"), join(home, "link"));
    expect(() => inFile(home, "link")).toThrow("cannot be read (ELOOP)");
    expect(() => inFile(home, ".")).toThrow("is not a plain file, but a folder.");
    expect(() => inFile(home, "none")).toThrow("cannot be read (ENOENT)");
  });

  it("is refused if nothing is in it, or too much: nobody has to change its rights then", () => {
    expect(() => inFile(homeWith(0o600, "\n"))).toThrow("token is empty.");
    const large = homeWith(0o600, "x".repeat(64 * 1024 + 1));
    expect(() => inFile(large)).toThrow(`${large}/token is too large to hold a secret.`);
    expect(inFile(homeWith(0o600, "x".repeat(64 * 1024)))).toHaveLength(64 * 1024);
  });
});
