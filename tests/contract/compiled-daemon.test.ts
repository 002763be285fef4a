/**
 * V8 takes what it compiled before only in a process that has the same options, and refuses it without a word: a daemon
 * that was started with one option more took three times as long as the one that was measured.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";

let bellhop: Bellhop;

beforeEach(() => {
  bellhop = new Bellhop();
});
afterEach(async () => {
  await bellhop.run(["down"]);
  await bellhop.dispose();
});

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

interface Compiled {
  readonly files: number;
  readonly refused: readonly string[];
}

function compiledFor(options: readonly string[], folder: string): Compiled {
  const printed = execFileSync(process.execPath, [...options, "-e", REFUSED, folder], { encoding: "utf8" });
  return JSON.parse(printed) as Compiled;
}

describe("what the build compiled of the daemon", () => {
  it("is taken by V8 in a daemon that a command started, and would not be with an option more", async () => {
    expect((await bellhop.run(["up"])).code).toBe(0);
    const { pid } = await bellhop.json<{ pid: number }>(["status"]);
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const at = args.findIndex((word) => word.endsWith("start-daemon.cjs"));
    const folder = dirname(args[at] ?? "");
    const { files, refused } = compiledFor(args.slice(0, at), folder);
    expect(files).toBeGreaterThan(5);
    expect(refused).toEqual([]);
    expect(compiledFor(["--max-semi-space-size=3"], folder).refused).toHaveLength(files);
  });
});
