import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commandClassifier } from "./classifier.ts";

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "bh-"));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const asked = (...command: readonly string[]) =>
  commandClassifier({
    settings: () => ({ command, model: "sonnet", timeoutMs: 20_000 }),
    scratch,
    environment: process.env,
  }).classify("tell the api one to go on", ["api", "web"]);
const program = (source: string) => [process.execPath, "-e", source];

it.each<[string, readonly string[], object]>([
  ["a label", program('console.log(`{"label":"api"}`)'), { label: "api" }],
  ["none", program('console.log(`{"label":"none"}`)'), { none: "it saw nobody addressed" }],
  [
    "what is no label",
    program('console.log(`{"label":"root"}`)'),
    { none: "its answer was not one of the labels" },
  ],
  ["a failure", program("process.exitCode = 3"), { none: "it failed (exit status 3)" }],
  ["a program that is not there", ["no-such-program"], { none: '"no-such-program" is not installed here' }],
])("understands %s, and leaves nothing behind", async (_what, command, expected) => {
  expect(await asked(...command)).toEqual(expected);
  expect(readdirSync(scratch)).toEqual([]);
});

it("gives it the text and the labels as one JSON object", async () => {
  const echo = program(
    'process.stdin.on("data", (text) => console.log(JSON.stringify({ label: JSON.parse(text).labels[1] })))',
  );
  expect(await asked(...echo)).toEqual({ label: "web" });
});
