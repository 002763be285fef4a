import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HookedHome, SETTINGS } from "../../../../tests/hooked-home.ts";
import { applyPlan, planInstall } from "../../../hooks/install.ts";
import { codexHooks } from "./hooks.ts";
import { trustIn } from "./trust.ts";

const home = new HookedHome();

describe("hooks of Codex", () => {
  const CONFIG = 'model = "gpt-5" # mine\n\n[projects."/home/dev/repo"]\ntrust_level = "trusted"\n';

  it("go into hooks.json, are trusted in config.toml, and leave nothing behind", () => {
    home.put(".codex/config.toml", CONFIG);
    expect(home.install("codex")).toEqual([
      ".bellhop/hooks/bellhop-hook",
      ".codex/config.toml",
      ".codex/rules/bellhop.rules",
      ".codex/hooks.json",
    ]);
    expect(Object.keys(JSON.parse(home.read(SETTINGS.codex)).hooks)).toEqual(codexHooks.events);
    expect(home.read(".codex/config.toml").startsWith(CONFIG)).toBe(true);
    const trusted = trustIn(home.read(".codex/config.toml"));
    expect([...trusted.keys()]).toEqual(
      ["session_start", "user_prompt_submit", "stop", "permission_request", "interrupt", "subagent_start"]
        .concat(["subagent_stop", "session_end", "post_tool_use"])
        .map((event) => `${home.root}/.codex/hooks.json:${event}:0:0`),
    );
    expect(home.read(".codex/rules/bellhop.rules")).toContain(
      '["bellhop", ["send", "ask", "reply", "read", "ls", "inbox", "remind", "wake", "output"]]',
    );
    expect(home.stateOf("codex")).toMatchObject({ state: "installed", allowRules: "installed", advice: [] });
    expect(home.install("codex")).toEqual([]);
    home.remove("codex");
    expect(home.everything()).toEqual({ ".codex/config.toml": CONFIG });
    expect(existsSync(home.at(".codex/rules"))).toBe(false);
  });

  it("leave nothing behind where there was no config.toml", () => {
    home.install("codex");
    home.remove("codex");
    expect(home.everything()).toEqual({});
  });

  it("move a person's trust along when they come first and go", () => {
    home.install("codex");
    const hooks = JSON.parse(home.read(SETTINGS.codex));
    hooks.hooks.Stop.push({
      hooks: [
        { type: "command", command: "mine" },
        { type: "command", command: "too" },
      ],
    });
    home.put(SETTINGS.codex, JSON.stringify(hooks, null, 2));
    const file = `${home.root}/.codex/hooks.json`;
    const theirs = ["1:0", "1:1"].map(
      (at) => `[hooks.state."${file}:stop:${at}"]\ntrusted_hash = "sha256:${at}"\nenabled = true\n`,
    );
    home.put(".codex/config.toml", `${home.read(".codex/config.toml")}\n${theirs.join("\n")}`);
    expect(home.stateOf("codex").state).toBe("installed");
    home.remove("codex");
    expect(trustIn(home.read(".codex/config.toml"))).toEqual(
      new Map([
        [`${file}:stop:0:0`, { hash: "sha256:1:0", enabled: true }],
        [`${file}:stop:0:1`, { hash: "sha256:1:1", enabled: true }],
      ]),
    );
    expect(JSON.parse(home.read(SETTINGS.codex)).hooks.Stop[0].hooks).toHaveLength(2);
  });

  it("are outdated when a person's own hook has moved them, until they are installed again", () => {
    home.install("codex");
    const hooks = JSON.parse(home.read(SETTINGS.codex));
    hooks.hooks.Stop.unshift({ hooks: [{ type: "command", command: "mine" }] });
    home.put(SETTINGS.codex, JSON.stringify(hooks, null, 2));
    expect(home.stateOf("codex").state).toBe("outdated");
    home.install("codex");
    const names = [...trustIn(home.read(".codex/config.toml")).keys()];
    expect(names).toContain(`${home.root}/.codex/hooks.json:stop:1:0`);
    expect(names).not.toContain(`${home.root}/.codex/hooks.json:stop:0:0`);
    expect(home.stateOf("codex").state).toBe("installed");
  });

  it("are switched on again", () => {
    home.install("codex");
    const config = home.read(".codex/config.toml");
    home.put(".codex/config.toml", config.replace('trusted_hash = "', 'enabled = false\ntrusted_hash = "'));
    expect(home.stateOf("codex").state).toBe("outdated");
    home.install("codex");
    expect(home.read(".codex/config.toml")).toBe(config);
  });

  it("say so when config.toml has its table in a form that cannot be added to", () => {
    home.put(".codex/config.toml", 'hooks.state = {}\nmodel = "x"\n');
    const plan = planInstall(codexHooks, home.setting, { allowRules: "leave" });
    expect(plan.notes).toEqual([expect.stringContaining("line 1")]);
    applyPlan(plan);
    expect(home.read(".codex/config.toml")).toBe('hooks.state = {}\nmodel = "x"\n');
  });

  it("keep what a person has added to the file of rules", () => {
    home.install("codex");
    home.put(".codex/rules/bellhop.rules", `${home.read(".codex/rules/bellhop.rules")}# mine\n`);
    expect(home.stateOf("codex").allowRules).toBe("installed");
    home.remove("codex");
    expect(home.read(".codex/rules/bellhop.rules")).toBe("# mine\n");
  });

  it("are trusted by both names of a folder behind a link", () => {
    rmSync(home.at(".codex"), { recursive: true });
    mkdirSync(home.at("dot"));
    symlinkSync("dot", home.at(".codex"));
    home.install("codex");
    const names = [...trustIn(home.read("dot/config.toml")).keys()].filter((name) => name.includes(":stop:"));
    expect(names).toEqual([
      `${home.root}/.codex/hooks.json:stop:0:0`,
      `${home.root}/dot/hooks.json:stop:0:0`,
    ]);
  });
});
