import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../../core/errors.ts";
import { HOOKED_TITLES } from "../../../core/rights/agent-programs.ts";
import { openHome } from "../../../home/home.ts";
import { isPresent } from "../../../hooks/hooked-program.ts";
import { allowAnswer } from "../../../programs/claude/hooks/allow-answer.ts";
import { HOOKED_PROGRAMS, PROGRAMS } from "../../../programs/index.ts";
import { findCommand, parseArguments } from "../../arguments/parse.ts";
import type { CommandContext } from "../../context.ts";
import { allowQuestion } from "../../local/hooking.ts";
import { Output } from "../../printing/output.ts";
import { hooks } from "./hooks.ts";

let root: string;
/** What the command's environment says about it. */
let claims: { readonly session?: string } = {};

beforeEach(() => {
  claims = {};
  root = mkdtempSync(join(tmpdir(), "bh-cli-hooks-"));
  for (const folder of [".claude", ".codex"]) mkdirSync(join(root, folder));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

async function run(...words: readonly string[]): Promise<string> {
  let printed = "";
  const write = (text: string) => {
    printed += text;
  };
  const sink = { write, drained: async () => {}, isTerminal: false, columns: 0 };
  const env = { HOME: root, BELLHOP_HOME: join(root, "bh") };
  const out = new Output({
    stdout: sink,
    stderr: sink,
    colours: () => "off",
    json: words.includes("--json"),
  });
  const context = {
    env,
    out,
    home: () => openHome(env, { create: false }),
    claims: () => ({ user: "dev", ...claims }),
    reach: async () => {
      throw new BellhopError("daemon.not_running", { message: "no", next: "no" });
    },
  } as unknown as CommandContext;
  const line = findCommand(["hooks", ...words], [hooks]);
  if (line?.command.run === undefined) throw new Error("no such command");
  expect((await line.command.run(context, parseArguments(line))) ?? 0).toBe(0);
  return printed;
}

function settings(): string {
  return readFileSync(join(root, ".claude/settings.json"), "utf8");
}

describe("bellhop hooks", () => {
  it("is offered for every program that can be hooked", () => {
    const hooked = PROGRAMS.filter((program) => program.hooks !== undefined);
    expect([...HOOKED_TITLES.keys()]).toEqual(hooked.map(({ name }) => name));
  });

  it("installs for every program that is here, and lists each file once", async () => {
    const printed = await run("install", "--allow-rules");
    expect(printed.match(/bellhop-hook$/gm)).toHaveLength(1);
    for (const file of [".claude/settings.json", ".codex/hooks.json", ".codex/config.toml"]) {
      expect(printed).toContain(join(root, file));
    }
    expect(JSON.parse(await run("status", "--json"))).toMatchObject([
      { program: "claude", state: "installed", allowRules: "installed" },
      { program: "codex", state: "installed", allowRules: "installed" },
      { program: "opencode", state: "absent", present: false },
      { program: "gemini", state: "absent", present: false },
    ]);
    expect(await run("install")).toContain("claude: nothing to change\ncodex: nothing to change");
    await run("remove");
    expect(readdirSync(join(root, ".claude"))).toEqual([]);
    expect(existsSync(join(root, "bh/hooks"))).toBe(false);
  });

  it("changes nothing when it only shows", async () => {
    const printed = await run("install", "claude", "--dry-run", "--diff", "--yes");
    expect(printed).toContain("would be installed");
    expect(printed).toMatch(/^\+ {6}"Bash\(bellhop send:\*\)",$/m);
    expect(readdirSync(root).toSorted()).toEqual([".claude", ".codex"]);
  });

  it("fits a dry run on one screen, allow rules included, and changes nothing", async () => {
    const printed = await run("install", "--dry-run");
    const lines = printed.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const word of [
      "claude: hooks would be installed",
      "codex: hooks would be installed",
      "SessionStart",
    ])
      expect(printed).toContain(word);
    for (const file of [
      ".claude/settings.json",
      ".codex/hooks.json",
      ".codex/config.toml",
      "bh/hooks/bellhop-hook",
    ])
      expect(printed.split(file)).toHaveLength(2);
    const setting = {
      bellhopHome: join(root, "bh"),
      userHome: root,
      environment: {},
      programs: HOOKED_PROGRAMS,
    };
    const here = HOOKED_PROGRAMS.filter((program) => isPresent(program, setting));
    expect(here.map(({ name }) => name)).toEqual(["claude", "codex"]);
    for (const rule of here.flatMap((program) => program.allowRules(setting)))
      expect(printed).toContain(rule);
    expect(printed).toContain("if you say yes when it asks");
    expect(printed).toContain("--dry-run --diff");
    expect(readdirSync(root).toSorted()).toEqual([".claude", ".codex"]);
    expect(await run("install", "--dry-run", "--allow-rules")).not.toContain("if you say yes");
    expect(await run("install", "--dry-run", "--no-allow-rules")).toContain("allows   nothing");
  });

  it("shows in a dry run what would be taken out, and what is there already", async () => {
    await run("install", "--allow-rules");
    expect(await run("install", "--dry-run")).toContain("claude: nothing to change");
    const printed = await run("remove", "--dry-run");
    expect(printed).toContain("removes  ~/.claude/settings.json");
    expect(printed.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
    await expect(run("install", "--diff")).rejects.toMatchObject({ code: "usage.invalid" });
  });

  it("gives no allow rules where nobody can be asked, and says how to", async () => {
    expect(await run("install", "claude")).toContain("--allow-rules");
    expect(JSON.parse(settings())).not.toHaveProperty("permissions");
  });

  it.each([["install"], ["install", "--yes"], ["remove"]])("is not for an agent: %j", async (...words) => {
    claims = { session: "08bc57cf" };
    await expect(run(...words)).rejects.toMatchObject({ code: "rights.missing", exitCode: 1 });
    expect(readdirSync(join(root, ".claude"))).toEqual([]);
  });

  it("asks with every rule, word for word, and none besides", async () => {
    await run("install", "--allow-rules");
    const setting = {
      bellhopHome: join(root, "bh"),
      userHome: root,
      environment: {},
      programs: HOOKED_PROGRAMS,
    };
    const question = allowQuestion(HOOKED_PROGRAMS, setting);
    const given = (JSON.parse(settings()) as { permissions: { allow: string[] } }).permissions.allow;
    const rules = readFileSync(join(root, ".codex/rules/bellhop.rules"), "utf8");
    const askedFor = (program: string) =>
      question.split("\n").flatMap((line) => line.split(`  ${program}: `)[1] ?? []);
    expect(askedFor("claude")).toEqual(given);
    expect(askedFor("codex")).toHaveLength(1);
    expect(rules).toContain(askedFor("codex")[0]);
    expect(askedFor("opencode")).toEqual([join(root, "bh/messages/*")]);
  });

  it("takes a no as one: the rules go, and it is remembered", async () => {
    await run("install", "--allow-rules");
    expect(allowAnswer(join(root, "bh"))).toBe("yes");
    await run("install", "--no-allow-rules");
    expect(allowAnswer(join(root, "bh"))).toBe("no");
    expect(settings()).not.toContain("bellhop send");
    expect(existsSync(join(root, ".codex/rules/bellhop.rules"))).toBe(false);
    await run("remove");
    expect(allowAnswer(join(root, "bh"))).toBe("not-asked");
  });

  it("tells a script every file", async () => {
    expect(JSON.parse(await run("install", "claude", "--json"))).toEqual({
      dryRun: false,
      programs: [
        {
          program: "claude",
          changed: [join(root, "bh/hooks/bellhop-hook"), join(root, ".claude/settings.json")],
          notes: [],
        },
      ],
    });
  });

  it("leaves both programs alone when one has a broken file", async () => {
    writeFileSync(join(root, ".codex/hooks.json"), "{");
    await expect(run("install")).rejects.toMatchObject({ code: "hooks.settings_invalid" });
    expect(readdirSync(join(root, ".claude"))).toEqual([]);
  });

  it.each([
    [["install", "clade"], "usage.invalid"],
    [["status", "vim"], "usage.invalid"],
    [["install", "--allow-rules", "--no-allow-rules"], "usage.invalid"],
  ])("refuses %j", async (words, code) => {
    await expect(run(...words)).rejects.toMatchObject({ code });
  });

  it("asks for a name where no program is", async () => {
    for (const folder of [".claude", ".codex"]) rmSync(join(root, folder), { recursive: true });
    await expect(run("install")).rejects.toMatchObject({ code: "hooks.unknown_program" });
    await run("install", "claude");
    expect(settings()).toContain("bellhop-hook");
  });
});
