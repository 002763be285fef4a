import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { program, versionsOf } from "../rig/programs.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const INSTALLER = join(root, "tests", "rig", "install-programs.mjs");
const PACKAGE = "@anthropic-ai/claude-code";
const NEWEST = versionsOf("claude").at(-1) ?? "";

/** A fresh machine: no home, no cache, and a registry on loopback. */
describe("installing the real programs on a fresh machine", () => {
  let machine: string;
  let registry: Server;
  let url: string;
  /** What the registry answers before it serves the package. */
  let refusals: number[];
  let tarball: Buffer;

  beforeEach(async () => {
    machine = mkdtempSync(join(tmpdir(), "bellhop-fresh-"));
    for (const folder of ["home", "cache", "npm"]) mkdirSync(join(machine, folder));
    tarball = packed(machine);
    refusals = [];
    registry = createServer(({ url: path = "" }, response) => {
      if (path.endsWith(".tgz")) return response.end(tarball);
      const refusal = refusals.shift();
      if (refusal !== undefined) return response.writeHead(refusal).end("{}");
      response.end(JSON.stringify(manifest()));
    });
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((resolve) => registry.close(resolve));
    rmSync(machine, { recursive: true, force: true });
  });

  const manifest = () => {
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${url}/claude.tgz`, integrity };
    const release = { name: PACKAGE, version: NEWEST, bin: { claude: "claude.sh" }, dist };
    return { name: PACKAGE, "dist-tags": { latest: NEWEST }, versions: { [NEWEST]: release } };
  };

  const install = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = {
        PATH: process.env.PATH,
        HOME: join(machine, "home"),
        XDG_CACHE_HOME: join(machine, "cache"),
        npm_config_cache: join(machine, "npm"),
        npm_config_registry: url,
        // npm itself also retries, with its own pauses, which are not tested here.
        npm_config_fetch_retries: "0",
      };
      execFile(process.execPath, [INSTALLER, ...words], { env }, (cause, stdout, stderr) =>
        resolve({ code: cause === null ? 0 : Number(cause.code), stdout, stderr }),
      );
    });

  it("asks a registry again that was away, and leaves the program and nothing else", async () => {
    refusals = [503];
    const { code, stdout, stderr } = await install("claude");
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Trying again in 2 s"),
    });
    const { executable, version } = JSON.parse(stdout) as { executable: string; version: string };
    expect(version).toBe(NEWEST);
    expect(execFileSync(executable, { encoding: "utf8" })).toBe("here\n");
    expect(readdirSync(join(machine, "cache", "bellhop-rig"))).toEqual([`claude-${NEWEST}`]);
    expect(readdirSync(dirname(dirname(dirname(executable)))).sort()).toEqual([
      "node_modules",
      "package-lock.json",
      "package.json",
    ]);
    vi.stubEnv("XDG_CACHE_HOME", join(machine, "cache"));
    expect(program("claude")).toEqual({ name: "claude", version: NEWEST, executable });
  });

  it("says in one line at once what cannot be had, and leaves nothing half done", async () => {
    // Either of the two may ask first.
    refusals = [404, 404];
    const { code, stdout, stderr } = await install("claude", "codex");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^(?:claude|codex) \S+ could not be installed: .*\n$/u);
    expect(readdirSync(join(machine, "cache", "bellhop-rig"))).toEqual([]);
  });

  it("refuses to do nothing: it is told which programs", async () => {
    expect(await install()).toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage: .*\n$/u) });
    expect(await install("emacs")).toMatchObject({ code: 1, stderr: expect.stringMatching(/"emacs"/u) });
    const unknown = await install("claude@1.0.0");
    expect(unknown).toMatchObject({ code: 1, stderr: "claude 1.0.0 is not in program-versions.json.\n" });
  });

  it("is not tried where the programs are used: there they are found, or missed in one line", () => {
    vi.stubEnv("XDG_CACHE_HOME", join(machine, "cache"));
    expect(() => program("claude", "2.1.150")).toThrow(
      'claude 2.1.150 is not installed. Run "node tests/rig/install-programs.mjs claude@2.1.150" first.',
    );
  });
});

it("is told by npm test which programs each suite needs", () => {
  const script = readFileSync(join(root, "scripts", "test.mjs"), "utf8");
  expect(script).toContain('["e2e", ["claude", "codex", "opencode", "gemini", "pi", "qwen"], ');
  expect(script).toContain('["versions", ["claude@all", "codex@all", "opencode@all", "gemini@all"], ');
});

/** A program of one line, as npm packs it. */
function packed(folder: string): Buffer {
  const source = join(folder, "package");
  mkdirSync(source);
  const description = { name: PACKAGE, version: NEWEST, bin: { claude: "claude.sh" } };
  writeFileSync(join(source, "package.json"), JSON.stringify(description));
  writeFileSync(join(source, "claude.sh"), "#!/bin/sh\necho here\n", { mode: 0o755 });
  return execFileSync("tar", ["-cz", "-C", folder, "package"]);
}
