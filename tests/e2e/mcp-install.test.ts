import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { type ProgramName, program } from "../rig/programs.ts";

beforeAll(assertInNamespace);

type Registered = Exclude<ProgramName, "pi" | "qwen">;

/** What each program says about a server that it could start and talk to. Codex only lists them. */
const LISTED: Readonly<Record<Registered, RegExp>> = {
  claude: /bellhop: bellhop mcp - . Connected/,
  codex: /bellhop +bellhop +mcp .*enabled/,
  opencode: /bellhop.*connected/,
  gemini: /bellhop: bellhop mcp \(stdio\) - Connected/,
};

/** A file as its owner may have it before. */
const SETTINGS: Readonly<Record<Registered, { readonly file: string; readonly text: string }>> = {
  claude: { file: ".claude.json", text: '{\n  "numStartups": 3,\n  "mcpServers": {}\n}\n' },
  codex: { file: ".codex/config.toml", text: '# mine\nmodel = "x"' },
  opencode: {
    file: ".config/opencode/opencode.jsonc",
    // It adds the schema itself where that is missing.
    text: '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "autoupdate": false, // not here\n}\n',
  },
  gemini: {
    file: ".gemini/settings.json",
    text: '{\n  // mine\n  "privacy": { "usageStatisticsEnabled": false } // none\n}\n',
  },
};

/** The real programs read what `bellhop mcp install` wrote, start the server, and find it there. */
describe.each(Object.keys(LISTED) as Registered[])("bellhop mcp install %s", (name) => {
  let bellhop: Bellhop;
  let home: string;
  beforeEach(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    home = mkdtempSync(join(tmpdir(), "bh-mcp-"));
    mkdirSync(join(home, ".gemini"));
    // Gemini CLI starts no server in a folder that its user does not trust.
    writeFileSync(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [home]: "TRUST_FOLDER" }));
  });
  afterEach(async () => {
    await bellhop.dispose();
    rmSync(home, { recursive: true });
  });

  async function run(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await bellhop.run(words, { env: { HOME: home, XDG_CONFIG_HOME: "" } });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  async function servers(): Promise<string> {
    const env = {
      HOME: home,
      PATH: [bellhopOnPath(join(home, "bin")), process.env.PATH].join(delimiter),
      GEMINI_API_KEY: "none",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      NO_COLOR: "1",
    };
    const { executable } = program(name);
    const { stdout, stderr } = await promisify(execFile)(executable, ["mcp", "list"], {
      env,
      cwd: home,
      timeout: 180_000,
    });
    return `${stdout}${stderr}`.replace(/\x1b\[[\d;?]*[a-z]/gi, "");
  }

  it("is read by the real program, and gone after remove, with the rest as it was", async () => {
    const { file, text } = SETTINGS[name];
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    expect(await run("mcp", "install", name, "--dry-run")).toContain("+");
    expect(readFileSync(path, "utf8")).toBe(text);
    await run("mcp", "install", name, "--yes");
    const [status] = JSON.parse(await run("mcp", "status", name, "--json"));
    expect(status).toEqual({ program: name, present: true, settings: path, state: "installed" });
    const installed = readFileSync(path, "utf8");
    expect(await servers()).toMatch(LISTED[name]);
    // Claude Code rewrites its file as it runs.
    if (name !== "claude") expect(readFileSync(path, "utf8")).toBe(installed);
    await run("mcp", "remove", name, "--yes");
    expect(await servers()).not.toMatch(/bellhop.*mcp/);
    if (name !== "claude") expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("works where there were no settings", async () => {
    await run("mcp", "install", name, "--yes");
    expect(await servers()).toMatch(LISTED[name]);
    await run("mcp", "remove", name, "--yes");
    if (name !== "claude") expect(existsSync(join(home, SETTINGS[name].file))).toBe(false);
  });
});
