/** A program that runs for long and loads parts of itself later: what an upgrade put into their place is not its own. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const { runCompiled } = createRequire(import.meta.url)(
  join(root, "scripts", "built", "run-compiled.cjs"),
) as { runCompiled(bundle: string, options?: { readonly parts?: "held" }): boolean };

interface Told {
  readonly main: object;
  readonly load: () => { readonly value: unknown; readonly main: object };
}
/** Where the bundle leaves what it has, for the test. */
const heard = globalThis as { toldByTheBundle?: Told };

let folder: string;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const start = (): Told => {
  expect(runCompiled(join(folder, "program.cjs"), { parts: "held" })).toBe(true);
  return heard.toldByTheBundle as Told;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-parts-"));
  write(
    "program.cjs",
    'globalThis.toldByTheBundle = { main: exports, load: () => require("./program-part.cjs") };',
  );
  write("program-part.cjs", 'exports.value = "old"; exports.main = require("./program.cjs");');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("loads its own part, though the whole folder was replaced", () => {
  const { main, load } = start();
  renameSync(folder, `${folder}.old`);
  rmSync(`${folder}.old`, { recursive: true });
  mkdirSync(folder);
  write("program-part.cjs", 'exports.value = "new";');
  write("program-part.compiled", "of the new one");
  expect(load().value).toBe("old");
  expect(load().main).toBe(main);
  expect(load()).toBe(load());
});

it("tries a part again that could not be loaded", () => {
  write("program-part.cjs", 'if (!globalThis.mayLoad) throw new Error("not yet"); exports.value = "late";');
  const { load } = start();
  expect(load).toThrow("not yet");
  (globalThis as { mayLoad?: boolean }).mayLoad = true;
  expect(load().value).toBe("late");
});

it("is not there if its file is not", () => {
  expect(runCompiled(join(folder, "another.cjs"), { parts: "held" })).toBe(false);
});
