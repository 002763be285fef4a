import { describe, expect, it } from "vitest";
import { HookedHome, SETTINGS } from "../../../../tests/hooked-home.ts";

const home = new HookedHome();
const RULES = ".config/opencode/opencode.json";
const PLUGIN = ".bellhop/hooks/opencode/plugin.mjs";

describe("the plugin", () => {
  it("is named in tui.json beside the person's own, and goes without a trace", () => {
    const mine = '{\n  "theme": "nord",\n  "plugin": ["./mine.ts", ["other", { "a": 1 }]]\n}\n';
    home.put(SETTINGS.opencode, mine);
    home.install("opencode");
    const { plugin } = JSON.parse(home.read(SETTINGS.opencode));
    expect(plugin).toEqual(["./mine.ts", ["other", { a: 1 }], home.at(PLUGIN)]);
    expect(home.read(PLUGIN)).toContain("export default");
    home.remove("opencode");
    expect(home.everything()).toEqual({ [SETTINGS.opencode]: mine });
  });

  it("is outdated if a file of it was changed, or has its path in another form", () => {
    home.install("opencode");
    home.put(PLUGIN, "// older");
    expect(home.stateOf("opencode")).toMatchObject({ state: "outdated" });
    home.install("opencode");
    home.put(SETTINGS.opencode, JSON.stringify({ plugin: [`file://${home.at(PLUGIN)}`, home.at(PLUGIN)] }));
    expect(home.stateOf("opencode")).toMatchObject({ state: "outdated" });
    home.install("opencode");
    expect(JSON.parse(home.read(SETTINGS.opencode))).toEqual({ plugin: [home.at(PLUGIN)] });
    expect(home.stateOf("opencode")).toMatchObject({ state: "installed" });
  });

  it("of a Bellhop with another home is foreign, and stays", () => {
    const foreign = JSON.stringify({ plugin: ["/home/else/.bellhop/hooks/opencode/plugin.mjs"] });
    home.put(SETTINGS.opencode, foreign);
    expect(home.stateOf("opencode")).toMatchObject({ state: "foreign" });
    home.install("opencode");
    expect(home.stateOf("opencode")).toMatchObject({ state: "installed" });
    home.remove("opencode");
    expect(home.read(SETTINGS.opencode)).toBe(foreign);
  });

  it.each(["{", '{ "plugin": {} }', "[]", '{ // mine\n "theme": "nord" }'])(
    "is not put into a file that cannot be read: %s",
    (text) => {
      home.put(SETTINGS.opencode, text);
      expect(() => home.install("opencode")).toThrow("cannot be changed");
      expect(home.everything()).toEqual({ [SETTINGS.opencode]: text });
      expect(home.stateOf("opencode")).toMatchObject({ state: "unreadable" });
    },
  );

  it("is looked for where XDG_CONFIG_HOME says", () => {
    home.setting = { ...home.setting, environment: { XDG_CONFIG_HOME: home.at("settings") } };
    home.install("opencode");
    expect(home.read("settings/opencode/tui.json")).toContain("plugin.mjs");
  });
});

describe("the rules", () => {
  const permission = () => JSON.parse(home.read(RULES)).permission;
  const messages = () => home.at(".bellhop/messages/*");

  it("only let the agent read messages where it runs every command unasked", () => {
    for (const text of ["{}", '{"permission":{"bash":"allow"}}', '{"permission":{"bash":{"*":"allow"}}}']) {
      home.put(RULES, text);
      home.install("opencode");
      const { bash: _, ...rest } = permission();
      expect(rest).toEqual({ external_directory: { [messages()]: "allow" } });
      expect(home.read(RULES)).not.toContain("bellhop send");
      home.remove("opencode");
    }
  });

  it.each([
    '{"permission":{"bash":"ask","edit":"ask"}}',
    '{"permission":{"bash":{"*":"ask","git *":"allow"}}}',
    '{"permission":{"*":"ask"}}',
    '{"permission":{"bash":"ask","external_directory":"ask"}}',
  ])("let it run our commands where it asks, and leave %s as it was", (text) => {
    home.put(RULES, text);
    home.install("opencode");
    expect(permission().bash).toMatchObject({ "bellhop send *": "allow", "bellhop ls *": "allow" });
    expect(permission().bash).not.toHaveProperty("bellhop cancel *");
    // The last rule that matches decides: these come after.
    expect(Object.keys(permission().bash).slice(-4)).toEqual([
      "bellhop *>*",
      "bellhop *<*",
      "bellhop *$*",
      "bellhop *`*",
    ]);
    expect(home.stateOf("opencode")).toMatchObject({ state: "installed", allowRules: "installed" });
    home.remove("opencode");
    expect(home.read(RULES)).toBe(text);
  });

  it.each([
    '{"permission":"ask"}',
    '{"permission":"allow"}',
    '{"permission":{"bash":"deny","external_directory":"deny"}}',
    '{"permission":{"*":"deny"}}',
    '{"permission":{"bash":{"*":"ask","bellhop *":"deny"},"external_directory":"allow"}}',
    '{"permission":{"bash":{"*":"ask","bellhop send *":"deny"},"external_directory":"allow"}}',
  ])("change nothing where the owner has said it for everything, or denies a command of ours: %s", (text) => {
    home.put(RULES, text);
    home.install("opencode");
    expect(home.read(RULES)).toBe(text);
  });

  it("leave a rule that the owner wrote for one of our commands, also when they go", () => {
    const text = '{"permission":{"bash":{"*":"ask","bellhop send *":"ask"}}}';
    home.put(RULES, text);
    home.install("opencode");
    expect(permission().bash).toMatchObject({ "bellhop send *": "ask", "bellhop ls *": "allow" });
    home.remove("opencode");
    expect(home.read(RULES)).toBe(text);
  });

  it("are missing once the owner lets it ask", () => {
    home.install("opencode");
    home.put(RULES, '{"permission":{"bash":"ask"}}');
    expect(home.stateOf("opencode")).toMatchObject({ allowRules: "absent" });
  });
});
