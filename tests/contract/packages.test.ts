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

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly optional?: true;
}
const left = { version: "1.0.0", integrity: "sha512-left" };
const right = { version: "2.0.0", integrity: "sha512-right" };
const elsewhere = { version: "3.0.0", integrity: "sha512-elsewhere", optional: true } as const;

const lock = (name: string, packages: Readonly<Record<string, Locked>>) => {
  mkdirSync(join(checkout, "node_modules"), { recursive: true });
  writeFileSync(join(checkout, name), JSON.stringify({ lockfileVersion: 3, packages }));
};
const wanted = (packages: Readonly<Record<string, Locked>>) =>
  lock("package-lock.json", { "": { version: "0.1.0", integrity: "" }, ...packages });
const installed = (packages: Readonly<Record<string, Locked>>) =>
  lock("node_modules/.package-lock.json", packages);

const ensure = () =>
  spawnSync(process.execPath, ["-e", ENSURE], {
    cwd: checkout,
    encoding: "utf8",
    timeout: 180_000,
    // Without npm: even if it got that far, no registry would be asked.
    env: { PATH: "" },
  });

it("installs nothing through a link: the folder behind it is somebody else's", () => {
  const theirs = join(checkout, "theirs");
  mkdirSync(theirs);
  writeFileSync(join(theirs, "package"), "");
  symlinkSync(theirs, join(checkout, "node_modules"));
  const { status, stdout, stderr } = ensure();
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^\S+node_modules is a symbolic link: .*\n$/);
  expect(readdirSync(theirs)).toEqual(["package"]);
});

it("leaves alone what npm has installed, whoever asked it to", () => {
  wanted({ "node_modules/left": left, "node_modules/elsewhere": elsewhere });
  installed({ "node_modules/left": left });
  expect(ensure()).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

it.each([
  ["is missing", { "node_modules/left": left }],
  ["has another version", { "node_modules/left": left, "node_modules/right": left }],
])("installs when a package %s", (_, packages) => {
  wanted({ "node_modules/left": left, "node_modules/right": right });
  installed(packages);
  expect(ensure()).toMatchObject({ status: 1, stdout: "Installing npm packages…\n" });
});

it("installs when an installation was never finished", () => {
  wanted({ "node_modules/left": left });
  mkdirSync(join(checkout, "node_modules", "left"));
  expect(ensure()).toMatchObject({ status: 1, stdout: "Installing npm packages…\n" });
});
