import { describe, expect, it } from "vitest";
import {
  cacheControl,
  chooseCoding,
  chooseFile,
  entityTag,
  fileName,
  isUnchanged,
  type PageFiles,
} from "./chosen-file.ts";

const file = { type: "text/html", digest: "d1", codings: ["br", "gzip"] } as const;
const FILES: PageFiles = { "/index.html": file, "/icon.svg": file, "/assets/page-1.js": file };
const choose = (path: string, accept?: string) => {
  const chosen = chooseFile(FILES, { path, accept });
  return chosen.kind === "file" ? chosen.path : chosen.kind;
};

describe("which file answers", () => {
  it.each([
    ["/", undefined, "/index.html"],
    ["/", "application/json", "/index.html"],
    ["/icon.svg", "*/*", "/icon.svg"],
    ["/assets/page-1.js", "*/*", "/assets/page-1.js"],
    ["/assets/page-2.js", "text/html", "missing"],
    ["/agents/api", "text/html,application/xhtml+xml;q=0.9", "/index.html"],
    ["/agents/api", "application/json, Text/HTML;q=0.1", "/index.html"],
    ["/agents/api", "*/*", "elsewhere"],
    ["/agents/api", undefined, "elsewhere"],
    ["/agents/api", "text/html5", "elsewhere"],
  ])("%s for %s: %s", (path, accept, expected) => {
    expect(choose(path, accept)).toBe(expected);
  });

  it.each([
    "/../files.json",
    "/assets/../../daemon.cjs",
    "/assets/%2e%2e/index.html",
    "/assets/..%2f..%2fbellhop.cjs",
    "//etc/passwd",
    "/index.html.br",
    "/files.json",
    "/__proto__",
    "/constructor",
    "toString",
  ])("%s is no file: only what is listed is", (path) => {
    expect(["elsewhere", "missing"]).toContain(choose(path));
    expect(["/index.html", "missing"]).toContain(choose(path, "text/html"));
  });
});

describe("in which coding", () => {
  it.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["BR;Q=1", "br"],
    ["*", "br"],
    ["*;q=0", undefined],
    ["identity", undefined],
    ["", undefined],
    ["br;q=0.000, gzip;q=0", undefined],
  ])("%s: %s", (accepted, coding) => {
    expect(chooseCoding(file, accepted)).toBe(coding);
  });

  it("only in one that the build made", () => {
    expect(chooseCoding({ ...file, codings: ["gzip"] }, "br, gzip")).toBe("gzip");
    expect(chooseCoding({ ...file, codings: [] }, "br, gzip")).toBeUndefined();
    expect(fileName("/assets/page-1.js", "br")).toBe("assets/page-1.js.br");
    expect(fileName("/index.html", undefined)).toBe("index.html");
  });
});

describe("what a browser has already", () => {
  it("is known by the mark of its coding", () => {
    const tag = entityTag(file, "br");
    expect(tag).toBe('"d1-br"');
    expect(isUnchanged(undefined, tag)).toBe(false);
    expect(isUnchanged('"d1"', tag)).toBe(false);
    expect(isUnchanged('"x", W/"d1-br"', tag)).toBe(true);
    expect(isUnchanged("*", tag)).toBe(true);
  });

  it("is kept for good if its name changes with its content", () => {
    expect(cacheControl("/assets/page-1.js")).toContain("immutable");
    expect(cacheControl("/index.html")).toBe("no-cache");
  });
});
