import { describe, expect, it } from "vitest";
import { HookedHome, SETTINGS } from "../../tests/hooked-home.ts";

const home = new HookedHome();

describe("hooks of both", () => {
  it("share the script until the last one goes", () => {
    home.install("claude");
    home.install("codex");
    expect(home.remove("claude")).not.toContain(".bellhop/hooks/bellhop-hook");
    expect(home.remove("codex")).toContain(".bellhop/hooks/bellhop-hook");
    expect(home.everything()).toEqual({});
  });

  it("keep the script while the other program's settings cannot be read", () => {
    home.install("claude");
    home.put(SETTINGS.codex, "{");
    expect(home.remove("claude")).toEqual([".claude/settings.json", ".bellhop/hooks/allow-rules"]);
  });

  it("leave a handler alone that a person wrote for a program they taught, and the script that it runs", () => {
    const command = `sh ${home.at(".bellhop/hooks/bellhop-hook")} my-agent Stop`;
    const mine = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    for (const program of ["claude", "codex"] as const) {
      home.put(SETTINGS[program], mine);
      expect(home.stateOf(program)).toMatchObject({ state: "absent" });
      home.install(program);
      expect(home.stateOf(program)).toMatchObject({ state: "installed" });
      expect(home.remove(program)).not.toContain(".bellhop/hooks/bellhop-hook");
      expect(home.read(SETTINGS[program])).toBe(mine);
    }
  });

  it("refuse a home that no command can name", () => {
    home.setting = { ...home.setting, bellhopHome: `${home.root}/a\nb` };
    expect(() => home.install("claude")).toThrow("which a hook cannot name");
  });
});
