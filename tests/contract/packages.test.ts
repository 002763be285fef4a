import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const ENSURE = 'import("./scripts/ensure.mjs").then(({ ensurePackages }) => ensurePackages())';
let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "bellhop-checkout-"));
  cpSync(join(root, "scripts", "ensure.mjs"), join(checkout, "scripts", "ensure.mjs"));
  writeFileSync(join(checkout, "package-lock.json"), "{}");
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

it("installs nothing through a link: the folder behind it is somebody else's", () => {
  const theirs = join(checkout, "theirs");
  mkdirSync(theirs);
  writeFileSync(join(theirs, "package"), "");
  symlinkSync(theirs, join(checkout, "node_modules"));
  const ensure = spawnSync(process.execPath, ["-e", ENSURE], {
    cwd: checkout,
    encoding: "utf8",
    timeout: 10_000,
    // No npm: should it get that far, nothing is asked of anybody.
    env: { PATH: "" },
  });
  expect([ensure.status, ensure.stdout]).toEqual([1, ""]);
  expect(ensure.stderr).toMatch(/^\S+node_modules is a symbolic link: .*\n$/);
  expect(readdirSync(theirs)).toEqual(["package"]);
});
