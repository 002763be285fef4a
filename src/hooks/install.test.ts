import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trustIn } from "./codex-trust.ts";
import { applyPlan, planInstall, planRemove } from "./install.ts";
import type { HookSetting } from "./places.ts";
import { HOOKED_EVENTS, type HookedProgram } from "./programs.ts";
import { hookScript } from "./script.ts";
import { hooksStatus } from "./status.ts";

let root: string;
let setting: HookSetting;
const SETTINGS = { claude: ".claude/settings.json", codex: ".codex/hooks.json" };

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bh-install-")));
  setting = { bellhopHome: join(root, ".bellhop"), userHome: root, environment: {} };
  for (const folder of [".bellhop", ".claude", ".codex"]) mkdirSync(join(root, folder), { mode: 0o700 });
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function install(program: HookedProgram, allowRules = true): readonly string[] {
  const plan = planInstall(program, setting, { allowRules });
  applyPlan(plan);
  return plan.changes.map(({ path }) => path.slice(root.length + 1));
}

function remove(program: HookedProgram): readonly string[] {
  const plan = planRemove(program, setting);
  applyPlan(plan);
  return plan.changes.map(({ path }) => path.slice(root.length + 1));
}

function put(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

function read(name: string): string {
  return readFileSync(join(root, name), "utf8");
}

/** Every file below the root, with its text. */
function everything(folder = root): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    files
      .map((each) => join(each.parentPath, each.name))
      .toSorted()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );
}

function stateOf(program: HookedProgram) {
  const found = hooksStatus(setting).find((each) => each.program === program);
  if (found === undefined) throw new Error("no status");
  return found;
}

const CLAUDE_FILES = {
  "an ordinary one": `{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(ls:*)", "WebSearch"],
    "defaultMode": "default"
  },
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "say done" }]
      }
    ],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}]
  },
  "//": "comments like this one are how people help themselves"
}
`,
  "tabs and no line end": '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}',
  "four blanks, Windows line ends": '{\r\n    "a": [\r\n        1\r\n    ]\r\n}\r\n',
  "all on one line": '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"b":[]}',
  "odd layout and doubled names": '{ "a" : 1 ,\n\n   "a":2  , "permissions":{"allow":[\n"x"]}}\n',
  "a byte order mark": '\uFEFF{\n  "a": 1\n}\n',
};

describe("hooks of Claude Code", () => {
  it("go into a new settings file, and leave nothing behind", () => {
    expect(install("claude")).toEqual([".bellhop/hooks/bellhop-hook", ".claude/settings.json"]);
    const settings = JSON.parse(read(SETTINGS.claude));
    expect(Object.keys(settings.hooks)).toEqual(HOOKED_EVENTS.claude);
    const script = join(root, ".bellhop/hooks/bellhop-hook");
    expect(settings.hooks.Stop).toEqual([
      {
        hooks: [
          { type: "command", command: `test -f ${script} && sh ${script} claude Stop || true`, timeout: 10 },
        ],
      },
    ]);
    expect(settings.permissions).toEqual({
      allow: [
        "Bash(bellhop send:*)",
        "Bash(bellhop reply:*)",
        "Bash(bellhop read:*)",
        "Bash(bellhop ls:*)",
        "Bash(bellhop inbox:*)",
        "Bash(bellhop remind:*)",
        "Bash(bellhop wake:*)",
        "Bash(bellhop output:*)",
        "Read(~/.bellhop/messages/**)",
      ],
    });
    expect(read(".bellhop/hooks/bellhop-hook")).toBe(hookScript());
    expect(statSync(script).mode & 0o777).toBe(0o700);
    expect(stateOf("claude")).toMatchObject({ state: "installed", allowRules: "installed", advice: [] });
    remove("claude");
    expect(everything()).toEqual({});
    expect(stateOf("claude")).toMatchObject({ state: "absent", allowRules: "absent" });
  });

  it.each(Object.entries(CLAUDE_FILES))("leave %s as it was", (_, original) => {
    put(SETTINGS.claude, original);
    install("claude");
    const parsed = JSON.parse(read(SETTINGS.claude).replace(/^\uFEFF/, ""));
    const before = JSON.parse(original.replace(/^\uFEFF/, ""));
    expect(parsed).toMatchObject({ ...before, hooks: expect.anything(), permissions: expect.anything() });
    expect(parsed.hooks.Stop.slice(0, -1)).toEqual(before.hooks?.Stop ?? []);
    expect(stateOf("claude").state).toBe("installed");
    remove("claude");
    expect(read(SETTINGS.claude)).toBe(original);
  });

  it("change nothing the second time", () => {
    put(SETTINGS.claude, CLAUDE_FILES["an ordinary one"]);
    install("claude");
    const first = everything();
    expect(install("claude")).toEqual([]);
    expect(everything()).toEqual(first);
    remove("claude");
    expect(remove("claude")).toEqual([]);
  });

  it("go exactly, whatever a person has done around them", () => {
    install("claude");
    const settings = JSON.parse(read(SETTINGS.claude));
    settings.hooks.Stop.unshift({ hooks: [{ type: "command", command: "mine" }] });
    settings.hooks.Notification[0].hooks.push({ type: "command", command: "ding" });
    settings.hooks.SessionStart[0].matcher = "startup";
    settings.permissions.allow.unshift("Bash(ls:*)");
    settings.permissions.deny = ["Bash(rm:*)"];
    put(SETTINGS.claude, JSON.stringify(settings));
    remove("claude");
    expect(JSON.parse(read(SETTINGS.claude))).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "mine" }] }],
        Notification: [{ hooks: [{ type: "command", command: "ding" }] }],
      },
      permissions: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"] },
    });
  });

  it("are brought up to date in their place", () => {
    install("claude");
    const settings = JSON.parse(read(SETTINGS.claude));
    settings.hooks.Stop[0].hooks[0].timeout = 1;
    settings.hooks.UserPromptSubmit.push(settings.hooks.UserPromptSubmit[0]);
    settings.hooks.PreCompact = [settings.hooks.SessionEnd[0]];
    delete settings.hooks.SessionEnd;
    put(SETTINGS.claude, JSON.stringify(settings, null, 2));
    put(".bellhop/hooks/bellhop-hook", "an older one");
    expect(stateOf("claude").state).toBe("outdated");
    install("claude");
    const after = JSON.parse(read(SETTINGS.claude)).hooks;
    expect(Object.keys(after).toSorted()).toEqual(HOOKED_EVENTS.claude.toSorted());
    expect(after.UserPromptSubmit).toHaveLength(1);
    expect(after.Stop[0].hooks[0].timeout).toBe(10);
    expect(stateOf("claude").state).toBe("installed");
  });

  it("need no allow rules", () => {
    install("claude", false);
    expect(JSON.parse(read(SETTINGS.claude))).not.toHaveProperty("permissions");
    expect(stateOf("claude")).toMatchObject({ state: "installed", allowRules: "absent" });
  });

  it("name another home by its absolute path", () => {
    setting = { ...setting, bellhopHome: join(root, "it's other") };
    install("claude");
    const settings = JSON.parse(read(SETTINGS.claude));
    expect(settings.permissions.allow).toContain(`Read(/${root}/it's other/messages/**)`);
    expect(settings.hooks.Stop[0].hooks[0].command).toContain(
      `'${root}/it'\\''s other/hooks/bellhop-hook' claude Stop`,
    );
    expect(stateOf("claude").state).toBe("installed");
  });

  it("of another home are foreign, and stay", () => {
    install("claude");
    const theirs = read(SETTINGS.claude);
    setting = { ...setting, bellhopHome: join(root, "other") };
    expect(stateOf("claude").state).toBe("foreign");
    install("claude", false);
    expect(stateOf("claude").state).toBe("installed");
    remove("claude");
    expect(JSON.parse(read(SETTINGS.claude)).hooks).toEqual(JSON.parse(theirs).hooks);
    expect(stateOf("claude").state).toBe("foreign");
  });

  it("go into the folder that CLAUDE_CONFIG_DIR names", () => {
    setting = { ...setting, environment: { CLAUDE_CONFIG_DIR: join(root, "elsewhere") } };
    expect(install("claude")).toContain("elsewhere/settings.json");
    expect(existsSync(join(root, SETTINGS.claude))).toBe(false);
  });

  it("follow a link and keep it, and the file's mode", () => {
    mkdirSync(join(root, "dotfiles"));
    put("dotfiles/claude.json", '{\n  "model": "opus"\n}\n');
    chmodSync(join(root, "dotfiles/claude.json"), 0o640);
    symlinkSync("../dotfiles/claude.json", join(root, SETTINGS.claude));
    install("claude");
    expect(lstatSync(join(root, SETTINGS.claude)).isSymbolicLink()).toBe(true);
    expect(statSync(join(root, "dotfiles/claude.json")).mode & 0o777).toBe(0o640);
    expect(JSON.parse(read("dotfiles/claude.json"))).toHaveProperty("hooks.Stop");
    remove("claude");
    expect(read("dotfiles/claude.json")).toBe('{\n  "model": "opus"\n}\n');
    expect(readdirSync(join(root, "dotfiles"))).toEqual(["claude.json"]);
  });

  it("never remove a file behind a link", () => {
    mkdirSync(join(root, "dotfiles"));
    symlinkSync("../dotfiles/claude.json", join(root, SETTINGS.claude));
    install("claude");
    remove("claude");
    expect(read("dotfiles/claude.json").trim()).toBe("{}");
  });

  it.each([
    ["{\n  // why\n}", "JSON has no comments, line 2"],
    ['{\n  "hooks": []\n}', '"hooks" is not an object, line 2'],
    ['{\n  "hooks": {\n    "Stop": {}\n  }\n}', '"hooks.Stop" is not a list, line 3'],
    ['{\n  "permissions": 3\n}', '"permissions" is not an object, line 2'],
    ['{\n  "permissions": {\n    "allow": {}\n  }\n}', '"permissions.allow" is not a list, line 3'],
    ["[]", "it holds no JSON object"],
  ])("refuse %j and touch nothing", (text, why) => {
    put(SETTINGS.claude, text);
    expect(() => install("claude")).toThrow(why);
    expect(everything()).toEqual({ [SETTINGS.claude]: text });
    expect(stateOf("claude")).toMatchObject({ state: "unreadable", allowRules: "unknown" });
  });

  it("are not written over a change that came in between", () => {
    put(SETTINGS.claude, "{}");
    const plan = planInstall("claude", setting, { allowRules: false });
    put(SETTINGS.claude, '{"model":"opus"}');
    expect(() => applyPlan(plan)).toThrow("changed by somebody else");
    expect(read(SETTINGS.claude)).toBe('{"model":"opus"}');
  });

  it("leave groups alone that they do not understand", () => {
    const odd = '{"hooks":{"Stop":["x",{"hooks":"y"},{"hooks":[null,3,{"command":["sh"]}]}]}}';
    put(SETTINGS.claude, odd);
    install("claude", false);
    remove("claude");
    expect(read(SETTINGS.claude)).toBe(odd);
  });

  it("come with a word on settings that are in the way", () => {
    put(SETTINGS.claude, '{"disableAllHooks":true,"permissions":{"defaultMode":"bypassPermissions"}}');
    expect(stateOf("claude").advice).toEqual([
      expect.stringContaining("disableAllHooks"),
      expect.stringContaining("crossSessionInbound"),
    ]);
  });
});

describe("hooks of Codex", () => {
  const CONFIG = 'model = "gpt-5" # mine\n\n[projects."/home/dev/repo"]\ntrust_level = "trusted"\n';

  it("go into hooks.json, are trusted in config.toml, and leave nothing behind", () => {
    put(".codex/config.toml", CONFIG);
    expect(install("codex")).toEqual([
      ".bellhop/hooks/bellhop-hook",
      ".codex/config.toml",
      ".codex/rules/bellhop.rules",
      ".codex/hooks.json",
    ]);
    expect(Object.keys(JSON.parse(read(SETTINGS.codex)).hooks)).toEqual(HOOKED_EVENTS.codex);
    expect(read(".codex/config.toml").startsWith(CONFIG)).toBe(true);
    const trusted = trustIn(read(".codex/config.toml"));
    expect([...trusted.keys()]).toEqual(
      ["session_start", "user_prompt_submit", "stop", "permission_request", "interrupt", "subagent_start"]
        .concat(["subagent_stop", "session_end"])
        .map((event) => `${root}/.codex/hooks.json:${event}:0:0`),
    );
    expect(read(".codex/rules/bellhop.rules")).toContain(
      '["bellhop", ["send", "reply", "read", "ls", "inbox", "remind", "wake", "output"]]',
    );
    expect(stateOf("codex")).toMatchObject({ state: "installed", allowRules: "installed", advice: [] });
    expect(install("codex")).toEqual([]);
    remove("codex");
    expect(everything()).toEqual({ ".codex/config.toml": CONFIG });
    expect(existsSync(join(root, ".codex/rules"))).toBe(false);
  });

  it("leave nothing behind where there was no config.toml", () => {
    install("codex");
    remove("codex");
    expect(everything()).toEqual({});
  });

  it("move a person's trust along when they come first and go", () => {
    install("codex");
    const hooks = JSON.parse(read(SETTINGS.codex));
    hooks.hooks.Stop.push({
      hooks: [
        { type: "command", command: "mine" },
        { type: "command", command: "too" },
      ],
    });
    put(SETTINGS.codex, JSON.stringify(hooks, null, 2));
    const file = `${root}/.codex/hooks.json`;
    const theirs = ["1:0", "1:1"].map(
      (at) => `[hooks.state."${file}:stop:${at}"]\ntrusted_hash = "sha256:${at}"\nenabled = true\n`,
    );
    put(".codex/config.toml", `${read(".codex/config.toml")}\n${theirs.join("\n")}`);
    expect(stateOf("codex").state).toBe("installed");
    remove("codex");
    expect(trustIn(read(".codex/config.toml"))).toEqual(
      new Map([
        [`${file}:stop:0:0`, { hash: "sha256:1:0", enabled: true }],
        [`${file}:stop:0:1`, { hash: "sha256:1:1", enabled: true }],
      ]),
    );
    expect(JSON.parse(read(SETTINGS.codex)).hooks.Stop[0].hooks).toHaveLength(2);
  });

  it("are outdated when a person's own hook has moved them, until they are installed again", () => {
    install("codex");
    const hooks = JSON.parse(read(SETTINGS.codex));
    hooks.hooks.Stop.unshift({ hooks: [{ type: "command", command: "mine" }] });
    put(SETTINGS.codex, JSON.stringify(hooks, null, 2));
    expect(stateOf("codex").state).toBe("outdated");
    install("codex");
    const names = [...trustIn(read(".codex/config.toml")).keys()];
    expect(names).toContain(`${root}/.codex/hooks.json:stop:1:0`);
    expect(names).not.toContain(`${root}/.codex/hooks.json:stop:0:0`);
    expect(stateOf("codex").state).toBe("installed");
  });

  it("are switched on again", () => {
    install("codex");
    const config = read(".codex/config.toml");
    put(".codex/config.toml", config.replace('trusted_hash = "', 'enabled = false\ntrusted_hash = "'));
    expect(stateOf("codex").state).toBe("outdated");
    install("codex");
    expect(read(".codex/config.toml")).toBe(config);
  });

  it("say so when config.toml has its table in a form that cannot be added to", () => {
    put(".codex/config.toml", 'hooks.state = {}\nmodel = "x"\n');
    const plan = planInstall("codex", setting, { allowRules: false });
    expect(plan.notes).toEqual([expect.stringContaining("line 1")]);
    applyPlan(plan);
    expect(read(".codex/config.toml")).toBe('hooks.state = {}\nmodel = "x"\n');
  });

  it("keep what a person has added to the file of rules", () => {
    install("codex");
    put(".codex/rules/bellhop.rules", `${read(".codex/rules/bellhop.rules")}# mine\n`);
    expect(stateOf("codex").allowRules).toBe("installed");
    remove("codex");
    expect(read(".codex/rules/bellhop.rules")).toBe("# mine\n");
  });

  it("are trusted by both names of a folder behind a link", () => {
    rmSync(join(root, ".codex"), { recursive: true });
    mkdirSync(join(root, "dot"));
    symlinkSync("dot", join(root, ".codex"));
    install("codex");
    const names = [...trustIn(read("dot/config.toml")).keys()].filter((name) => name.includes(":stop:"));
    expect(names).toEqual([`${root}/.codex/hooks.json:stop:0:0`, `${root}/dot/hooks.json:stop:0:0`]);
  });
});

describe("hooks of both", () => {
  it("share the script until the last one goes", () => {
    install("claude");
    install("codex");
    expect(remove("claude")).not.toContain(".bellhop/hooks/bellhop-hook");
    expect(remove("codex")).toContain(".bellhop/hooks/bellhop-hook");
    expect(everything()).toEqual({});
  });

  it("keep the script while the other program's settings cannot be read", () => {
    install("claude");
    put(SETTINGS.codex, "{");
    expect(remove("claude")).toEqual([".claude/settings.json"]);
  });

  it("refuse a home that no command can name", () => {
    setting = { ...setting, bellhopHome: `${root}/a\nb` };
    expect(() => install("claude")).toThrow("no hook can name it");
  });
});
