import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HookedHome, SETTINGS } from "../../../../tests/hooked-home.ts";
import { applyPlan, planInstall } from "../../../hooks/install.ts";
import { hookScript } from "../../../hooks/script.ts";
import { HOOKED_PROGRAMS } from "../../index.ts";
import { claudeHooks } from "./hooks.ts";

const home = new HookedHome();

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
    expect(home.install("claude")).toEqual([
      ".bellhop/hooks/bellhop-hook",
      ".bellhop/hooks/allow-rules",
      ".claude/settings.json",
    ]);
    const settings = JSON.parse(home.read(SETTINGS.claude));
    expect(Object.keys(settings.hooks)).toEqual(claudeHooks.events);
    const script = home.at(".bellhop/hooks/bellhop-hook");
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
        "Bash(bellhop ask:*)",
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
    expect(home.read(".bellhop/hooks/bellhop-hook")).toBe(hookScript(HOOKED_PROGRAMS));
    expect(statSync(script).mode & 0o777).toBe(0o700);
    expect(home.stateOf("claude")).toMatchObject({ state: "installed", allowRules: "installed", advice: [] });
    home.remove("claude");
    expect(home.everything()).toEqual({});
    expect(home.stateOf("claude")).toMatchObject({ state: "absent", allowRules: "absent" });
  });

  it.each(Object.entries(CLAUDE_FILES))("leave %s as it was", (_, original) => {
    home.put(SETTINGS.claude, original);
    home.install("claude");
    const parsed = JSON.parse(home.read(SETTINGS.claude).replace(/^\uFEFF/, ""));
    const before = JSON.parse(original.replace(/^\uFEFF/, ""));
    expect(parsed).toMatchObject({ ...before, hooks: expect.anything(), permissions: expect.anything() });
    expect(parsed.hooks.Stop.slice(0, -1)).toEqual(before.hooks?.Stop ?? []);
    expect(home.stateOf("claude").state).toBe("installed");
    home.remove("claude");
    expect(home.read(SETTINGS.claude)).toBe(original);
  });

  it("change nothing the second time", () => {
    home.put(SETTINGS.claude, CLAUDE_FILES["an ordinary one"]);
    home.install("claude");
    const first = home.everything();
    expect(home.install("claude")).toEqual([]);
    expect(home.everything()).toEqual(first);
    home.remove("claude");
    expect(home.remove("claude")).toEqual([]);
  });

  it("go exactly, whatever a person has done around them", () => {
    home.install("claude");
    const settings = JSON.parse(home.read(SETTINGS.claude));
    settings.hooks.Stop.unshift({ hooks: [{ type: "command", command: "mine" }] });
    settings.hooks.Notification[0].hooks.push({ type: "command", command: "ding" });
    settings.hooks.SessionStart[0].matcher = "startup";
    settings.permissions.allow.unshift("Bash(ls:*)");
    settings.permissions.deny = ["Bash(rm:*)"];
    home.put(SETTINGS.claude, JSON.stringify(settings));
    home.remove("claude");
    expect(JSON.parse(home.read(SETTINGS.claude))).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "mine" }] }],
        Notification: [{ hooks: [{ type: "command", command: "ding" }] }],
      },
      permissions: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"] },
    });
  });

  it("are brought up to date in their place", () => {
    home.install("claude");
    const settings = JSON.parse(home.read(SETTINGS.claude));
    settings.hooks.Stop[0].hooks[0].timeout = 1;
    settings.hooks.UserPromptSubmit.push(settings.hooks.UserPromptSubmit[0]);
    settings.hooks.PreCompact = [settings.hooks.SessionEnd[0]];
    delete settings.hooks.SessionEnd;
    home.put(SETTINGS.claude, JSON.stringify(settings, null, 2));
    home.put(".bellhop/hooks/bellhop-hook", "an older one");
    expect(home.stateOf("claude").state).toBe("outdated");
    home.install("claude");
    const after = JSON.parse(home.read(SETTINGS.claude)).hooks;
    expect(Object.keys(after).toSorted()).toEqual(claudeHooks.events.toSorted());
    expect(after.UserPromptSubmit).toHaveLength(1);
    expect(after.Stop[0].hooks[0].timeout).toBe(10);
    expect(home.stateOf("claude").state).toBe("installed");
  });

  it("need no allow rules", () => {
    home.install("claude", "without-rules");
    expect(JSON.parse(home.read(SETTINGS.claude))).not.toHaveProperty("permissions");
    expect(home.stateOf("claude")).toMatchObject({ state: "installed", allowRules: "absent" });
  });

  it("name another home by its absolute path", () => {
    home.setting = { ...home.setting, bellhopHome: home.at("it's other") };
    home.install("claude");
    const settings = JSON.parse(home.read(SETTINGS.claude));
    expect(settings.permissions.allow).toContain(`Read(/${home.root}/it's other/messages/**)`);
    expect(settings.hooks.Stop[0].hooks[0].command).toContain(
      `'${home.root}/it'\\''s other/hooks/bellhop-hook' claude Stop`,
    );
    expect(home.stateOf("claude").state).toBe("installed");
  });

  it("of another home are foreign, and stay", () => {
    home.install("claude");
    const theirs = home.read(SETTINGS.claude);
    home.setting = { ...home.setting, bellhopHome: home.at("other") };
    expect(home.stateOf("claude").state).toBe("foreign");
    home.install("claude", "without-rules");
    expect(home.stateOf("claude").state).toBe("installed");
    home.remove("claude");
    expect(JSON.parse(home.read(SETTINGS.claude)).hooks).toEqual(JSON.parse(theirs).hooks);
    expect(home.stateOf("claude").state).toBe("foreign");
  });

  it("go into the folder that CLAUDE_CONFIG_DIR names", () => {
    home.setting = { ...home.setting, environment: { CLAUDE_CONFIG_DIR: home.at("elsewhere") } };
    expect(home.install("claude")).toContain("elsewhere/settings.json");
    expect(existsSync(home.at(SETTINGS.claude))).toBe(false);
  });

  it("follow a link and keep it, and the file's mode", () => {
    mkdirSync(home.at("dotfiles"));
    home.put("dotfiles/claude.json", '{\n  "model": "opus"\n}\n');
    chmodSync(home.at("dotfiles/claude.json"), 0o640);
    symlinkSync("../dotfiles/claude.json", home.at(SETTINGS.claude));
    home.install("claude");
    expect(lstatSync(home.at(SETTINGS.claude)).isSymbolicLink()).toBe(true);
    expect(statSync(home.at("dotfiles/claude.json")).mode & 0o777).toBe(0o640);
    expect(JSON.parse(home.read("dotfiles/claude.json"))).toHaveProperty("hooks.Stop");
    home.remove("claude");
    expect(home.read("dotfiles/claude.json")).toBe('{\n  "model": "opus"\n}\n');
    expect(readdirSync(home.at("dotfiles"))).toEqual(["claude.json"]);
  });

  it("never remove a file behind a link", () => {
    mkdirSync(home.at("dotfiles"));
    symlinkSync("../dotfiles/claude.json", home.at(SETTINGS.claude));
    home.install("claude");
    home.remove("claude");
    expect(home.read("dotfiles/claude.json").trim()).toBe("{}");
  });

  it.each([
    ["{\n  // why\n}", "JSON has no comments, line 2"],
    ['{\n  "hooks": []\n}', '"hooks" is not an object, line 2'],
    ['{\n  "hooks": {\n    "Stop": {}\n  }\n}', '"hooks.Stop" is not a list, line 3'],
    ['{\n  "permissions": 3\n}', '"permissions" is not an object, line 2'],
    ['{\n  "permissions": {\n    "allow": {}\n  }\n}', '"permissions.allow" is not a list, line 3'],
    ["[]", "it does not hold a JSON object"],
  ])("refuse %j and touch nothing", (text, why) => {
    home.put(SETTINGS.claude, text);
    expect(() => home.install("claude")).toThrow(why);
    expect(home.everything()).toEqual({ [SETTINGS.claude]: text });
    expect(home.stateOf("claude")).toMatchObject({ state: "unreadable", allowRules: "unknown" });
  });

  it("are not written over a change that came in between", () => {
    home.put(SETTINGS.claude, "{}");
    const plan = planInstall(claudeHooks, home.setting, { allowRules: "leave" });
    home.put(SETTINGS.claude, '{"model":"opus"}');
    expect(() => applyPlan(plan)).toThrow("changed by somebody else");
    expect(home.read(SETTINGS.claude)).toBe('{"model":"opus"}');
  });

  it("leave groups alone that they do not understand", () => {
    const odd = '{"hooks":{"Stop":["x",{"hooks":"y"},{"hooks":[null,3,{"command":["sh"]}]}]}}';
    home.put(SETTINGS.claude, odd);
    home.install("claude", "without-rules");
    home.remove("claude");
    expect(home.read(SETTINGS.claude)).toBe(odd);
  });

  it("come with a word on settings that are in the way", () => {
    home.put(SETTINGS.claude, '{"disableAllHooks":true,"permissions":{"defaultMode":"bypassPermissions"}}');
    expect(home.stateOf("claude").advice).toEqual([
      expect.stringContaining("disableAllHooks"),
      expect.stringContaining("crossSessionInbound"),
    ]);
  });
});
