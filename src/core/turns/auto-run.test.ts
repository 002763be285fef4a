import { describe, expect, it } from "vitest";
import { type AutoRunWords, autoRunWords, resolveAutoRun, STANDARD_AUTO_RUN } from "./auto-run.ts";

describe("how automatic turns go", () => {
  it("is off and limited if nobody says anything", () => {
    const { autoRun, from } = resolveAutoRun({});
    expect(autoRun).toEqual(STANDARD_AUTO_RUN);
    expect(autoRun).toMatchObject({ enabled: false, debounceMs: 3_000, maxBatchSize: 20, untriaged: "hold" });
    expect(new Set(Object.values(from))).toEqual(new Set(["standard"]));
    expect(from.cwd).toBeUndefined();
  });

  it("is what the session says over its agent over the config, each value for itself", () => {
    const { autoRun, from } = resolveAutoRun({
      config: { enabled: true, debounceMs: 1, maxBatchSize: 1, cwd: "/config" },
      agent: { debounceMs: 2, maxBatchSize: 2 },
      session: { maxBatchSize: 3, role: "You test." },
    });
    expect(autoRun).toMatchObject({
      enabled: true,
      debounceMs: 2,
      maxBatchSize: 3,
      cwd: "/config",
      role: "You test.",
    });
    expect(from).toMatchObject({
      enabled: "config",
      debounceMs: "agent",
      maxBatchSize: "session",
      cwd: "config",
      role: "session",
      runner: "standard",
    });
  });

  it("takes off, 0 and nothing as words", () => {
    const { autoRun } = resolveAutoRun({
      agent: { enabled: true, alwaysReject: [{ text: "x" }], triageModel: "haiku", turnsPerDay: 5 },
      session: { enabled: false, alwaysReject: [], triageModel: "", turnsPerDay: 0 },
    });
    expect(autoRun).toMatchObject({ enabled: false, alwaysReject: [], triageModel: "", turnsPerDay: 0 });
  });

  it("takes a field that is there and undefined as nothing said", () => {
    const empty = { enabled: undefined, debounceMs: undefined } as unknown as AutoRunWords;
    const { autoRun, from } = resolveAutoRun({ session: empty, agent: { enabled: true } });
    expect(autoRun).toMatchObject({ enabled: true, debounceMs: 3_000 });
    expect(from).toMatchObject({ enabled: "agent", debounceMs: "standard" });
  });

  it.each([
    ["claude", "haiku"],
    ["codex", "default"],
    ["opencode", "default"],
    ["command", ""],
  ])("asks with what %s can ask with, unless something else is said: %s", (runner, triageModel) => {
    const { autoRun, from } = resolveAutoRun({ config: { runner } });
    expect([autoRun.triageModel, from.triageModel]).toEqual([triageModel, "standard"]);
    const said = resolveAutoRun({ config: { runner, triageModel: "haiku" } });
    expect(said.autoRun.triageModel).toBe("haiku");
  });

  it("never changes what is standard", () => {
    const before = structuredClone(STANDARD_AUTO_RUN);
    resolveAutoRun({ session: { enabled: true, tools: ["Bash"] } });
    expect(STANDARD_AUTO_RUN).toEqual(before);
  });
});

it("a flag is short for `enabled`, and an object turns on only what it says: a limit starts no turns", () => {
  expect(autoRunWords(true)).toEqual({ enabled: true });
  expect(autoRunWords(false)).toEqual({ enabled: false });
  expect(autoRunWords({ turnsPerDay: 5 })).toEqual({ turnsPerDay: 5 });
  expect(resolveAutoRun({ config: autoRunWords({ turnsPerDay: 5 }) }).autoRun.enabled).toBe(false);
  expect(autoRunWords({ enabled: true, turnsPerDay: 5 })).toEqual({ enabled: true, turnsPerDay: 5 });
});
