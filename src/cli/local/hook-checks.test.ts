import { describe, expect, it } from "vitest";
import type { HooksStatus } from "../../hooks/status.ts";
import { checkHooks } from "./hook-checks.ts";

const STATUS: HooksStatus = {
  program: "claude",
  present: true,
  settings: "/home/dev/.claude/settings.json",
  state: "installed",
  allowRules: "installed",
  advice: [],
};

function verdicts(change: Partial<HooksStatus>): readonly string[] {
  return checkHooks({ ...STATUS, ...change }).map(({ verdict }) => verdict);
}

describe("checkHooks", () => {
  it("is content with hooks and rules in place", () => {
    expect(checkHooks(STATUS)).toEqual([
      { name: "hooks of claude", verdict: "ok", detail: "installed in /home/dev/.claude/settings.json" },
    ]);
  });

  it("warns of what is missing, old or in the way", () => {
    expect(verdicts({ state: "absent", allowRules: "absent" })).toEqual(["warn"]);
    expect(verdicts({ state: "outdated", advice: ["x"] })).toEqual(["warn"]);
    expect(verdicts({ state: "foreign" })).toEqual(["warn"]);
    expect(verdicts({ allowRules: "absent" })).toEqual(["ok", "warn"]);
    expect(verdicts({ advice: ["bypass mode"] })).toEqual(["ok", "warn"]);
  });

  it("fails on settings that cannot be read, and says which", () => {
    const [finding] = checkHooks({
      ...STATUS,
      state: "unreadable",
      allowRules: "unknown",
      advice: ["line 3"],
    });
    expect(finding).toMatchObject({ verdict: "fail", detail: "line 3" });
  });
});
