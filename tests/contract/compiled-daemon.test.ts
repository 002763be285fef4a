/**
 * V8 takes what it compiled before only in a process that has the same options. Otherwise it compiles everything anew,
 * and nobody says so: a daemon took nearly twice as long to start as the one that was measured.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { DAEMON_OPTIONS } from "../../src/client/daemon-options.ts";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

const REFUSED = `
const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");
const folder = process.argv[1];
const compiled = readdirSync(folder).filter((name) => name.startsWith("daemon") && name.endsWith(".compiled"));
const isRefused = (name) => {
  const filename = join(folder, name.replace(".compiled", ".cjs"));
  const text = module.constructor.wrap(readFileSync(filename, "latin1"));
  return new Script(text, { filename, cachedData: readFileSync(join(folder, name)) }).cachedDataRejected;
};
console.log(JSON.stringify({ files: compiled.length, refused: compiled.filter(isRefused) }));
`;

function compiledFor(options: readonly string[]): {
  readonly files: number;
  readonly refused: readonly string[];
} {
  return JSON.parse(execFileSync(process.execPath, [...options, "-e", REFUSED, DIST], { encoding: "utf8" }));
}

describe("what the build compiled of the daemon", () => {
  it("is taken by Node as the daemon is started", () => {
    const { files, refused } = compiledFor(DAEMON_OPTIONS);
    expect(files).toBeGreaterThan(5);
    expect(refused).toEqual([]);
  });

  it("would be refused with other options", () => {
    const { files, refused } = compiledFor(["--max-semi-space-size=3"]);
    expect(refused).toHaveLength(files);
  });
});
