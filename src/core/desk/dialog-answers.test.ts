import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capturedScreens } from "../../../tests/screens.ts";
import { claudeProfile } from "../../programs/claude/profile.ts";
import { PROVEN_CLAUDE_RELEASES } from "../../programs/claude/versions.ts";
import { codexProfile } from "../../programs/codex/profile.ts";
import { dialogKeys, isWhole, LONGEST_QUESTION, questionOf } from "./dialog-answers.ts";

const captured = [
  ...PROVEN_CLAUDE_RELEASES.flatMap((version) =>
    capturedScreens("claude", version).map((one) => ({ ...one, profile: claudeProfile, version })),
  ),
  ...capturedScreens("codex", "0.166.0").map((one) => ({ ...one, profile: codexProfile, version: "codex" })),
].flatMap(({ name, screen, profile, version }) => {
  const reading = profile.read(screen);
  if (reading.kind !== "dialog") return [];
  const rows = screen.lines.map(({ text }) => text);
  const keys = isWhole(reading, rows) ? dialogKeys(reading, ["Escape"]) : undefined;
  return [{ name: `${version}/${name}`, reading, keys }];
});

const shown = (lines: readonly string[]) => ({ title: lines[0] ?? "", fingerprint: lines.join("\n") });
const MENU = ["❯ 1. Yes", "2. Yes, and don't ask again", "3. No", "Esc to cancel"];

describe("the dialogs of the real programs", () => {
  it("can be answered if they ask for one permission, and are whole", () => {
    const answerable = captured.filter(({ keys }) => keys !== undefined).map(({ name }) => name);
    expect(answerable).toEqual([
      "2.1.150/permission-bash",
      "2.1.197/permission-bash",
      "2.1.224/permission-bash",
      "2.1.260/permission-bash",
      "2.1.300/permission-bash",
      "2.1.325/narrow-40x20-permission",
      "2.1.325/narrow-80x24-permission",
      "2.1.325/permission-fetch",
      "2.1.325/permission-prompt",
      "2.1.325/permission-prompt-with-draft",
      "2.1.325/permission-write",
      "codex/narrow-80x24-permission",
      "codex/permission-prompt",
      "codex/permission-prompt-with-draft",
      "codex/permission-prompt-with-queued",
    ]);
  });

  it("are approved once and denied by the choice that says so", () => {
    for (const { name, reading, keys } of captured) {
      if (keys === undefined) continue;
      const choice = (key = "") => {
        const sign = key === "Escape" ? "(esc)" : `(${key})`;
        return reading.fingerprint
          .split("\n")
          .find((line) => line.replace(/^[❯›] /u, "").startsWith(`${key}. `) || line.endsWith(sign));
      };
      expect(choice(keys.approve[0]), name).toMatch(/^[❯›] 1\. Yes(?:, proceed \(y\))?$/u);
      expect(choice(keys.deny[0]), name).toMatch(/^\d\. No\b/u);
    }
  });

  it.each([
    "2.1.325/question",
    "2.1.325/plan-approval",
    "2.1.325/model-picker",
    "2.1.325/permissions-dialog",
    "2.1.325/narrow-120x10-permission",
    "2.1.325/narrow-30x12-permission",
    "2.1.325/narrow-80x6-permission",
    "2.1.325/narrow-80x8-permission",
    "codex/narrow-30x12-permission",
    "codex/narrow-80x8-permission",
    "codex/permissions-picker",
    "codex/model-picker",
  ])("cannot be answered from outside: %s", (name) => {
    const found = captured.find((one) => one.name === name);
    expect(found).toBeDefined();
    expect(found?.keys).toBeUndefined();
  });
});

describe("the keys that answer a dialog", () => {
  it("are those of the last menu, though the command shows another", () => {
    const menu = ["❯ 1. Yes, and always allow it", "2. Yes", "3. No", "Esc to cancel"];
    const keys = dialogKeys(shown(["Bash command", "echo", "❯ 1. Yes", "2. No", "Proceed?", ...menu]));
    expect(keys).toEqual({ approve: ["2"], deny: ["3"] });
  });

  it("are unknown if the choices are out of order, have no pointer or no plain yes", () => {
    const of = (...menu: readonly string[]) => dialogKeys(shown(["Bash command", "x", ...menu]), ["Escape"]);
    expect(of("❯ 1. Yes", "3. No")).toBeUndefined();
    expect(of("1. Yes", "2. No")).toBeUndefined();
    expect(of("❯ 1. Yes, always", "2. No")).toBeUndefined();
    expect(of("❯ 1. Yes", "and don't ask again", "2. No")).toBeUndefined();
    expect(of("❯ 1. Yes", "2. No, never ask again", "x")).toBeUndefined();
    expect(of("❯ 1. Yes", "2. Later", "Esc to cancel")).toEqual({ approve: ["1"], deny: ["Escape"] });
  });

  it("are unknown if not all of the question can be shown to the person", () => {
    const long = ["Bash command", "x".repeat(LONGEST_QUESTION)];
    expect(dialogKeys(shown([...long, ...MENU]))).toBeUndefined();
    expect(questionOf(shown([...long, ...MENU])).text).toHaveLength(LONGEST_QUESTION + 1);
    expect(isWhole(shown(["Bash command"]), ["  Bash   command"])).toBe(false);
    expect(isWhole(shown(["rest"]), ["", " ╌╌╌", "rest"])).toBe(false);
    expect(isWhole(shown(["Bash command"]), ["────", "Bash command"])).toBe(true);
  });

  const line = fc.oneof(
    fc.constantFrom(...MENU, "❯ 1. Yes", "2. Yes", "1. No", "3. Yes, always", "↓ 2. No", "[… 9 lines]"),
    fc.string({ maxLength: 20 }),
  );

  it("never approve more than once, whatever is shown", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const keys = dialogKeys(shown(lines), ["Escape"]);
        if (keys === undefined) return;
        const approved = lines.map((one) => one.trim()).filter((one) => /^(?:[❯›]\s*)?\d+\.\s/u.test(one));
        const texts = approved.filter((one) =>
          one.replace(/^[❯›]\s*/u, "").startsWith(`${keys.approve[0]}.`),
        );
        expect(texts.some((one) => /^(?:[❯›]\s*)?\d+\.\s+(?:yes|allow|approve)\b/iu.test(one))).toBe(true);
        expect(keys.approve).toHaveLength(1);
        expect(keys.deny).not.toEqual(keys.approve);
      }),
    );
  });

  it("are the same wherever in the command lines look like choices", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (command) => {
        const keys = dialogKeys(shown(["Bash command", ...command, "Do you want to proceed?", ...MENU]));
        if (keys !== undefined) expect(keys).toEqual({ approve: ["1"], deny: ["3"] });
      }),
    );
  });
});
