import { describe, expect, it } from "vitest";
import { isRuleText, type RuledMessage, ruleShown, ruling, type TurnRule } from "./rules.ts";

const message = (told: Partial<RuledMessage> = {}): RuledMessage => ({
  from: "slack/team/@ada",
  to: "slack/team/#general",
  body: "The Build FAILED again.",
  ...told,
});
const accepts = (rule: TurnRule, told: Partial<RuledMessage> = {}): boolean =>
  ruling(message(told), { alwaysAccept: [rule], alwaysReject: [] })?.verdict === "accept";

describe("a rule", () => {
  it.each([
    [{ path: "slack/team/#general" }, true],
    [{ path: "/slack/team/#general/" }, true],
    [{ path: "slack/*/#general" }, true],
    [{ path: "slack/**" }, true],
    [{ path: "**" }, true],
    [{ path: "**/#general" }, true],
    [{ path: "slack/*" }, false],
    [{ path: "slack/team/#gen*" }, false],
    [{ from: "slack/**" }, true],
    [{ from: "agent/*" }, false],
    [{ text: "build failed" }, true],
    [{ text: "passed" }, false],
    [{ path: "slack/**", text: "failed" }, true],
    [{ path: "slack/**", text: "passed" }, false],
    [{ path: "slack/**", from: "agent/*", text: "failed" }, false],
    [{}, false],
    [{ text: "" }, false],
    [{ text: "\0" }, false],
    [{ text: "\u200b\u2060" }, false],
    [{ text: " \n" }, false],
    [{ text: "\u00ad" }, false],
    [{ text: "\x1b[31m" }, false],
    [{ text: "\0", path: "slack/**" }, false],
    [{ path: "", from: "", text: "" }, false],
    [{ text: "", from: "slack/**" }, true],
    [{ text: "", from: "agent/**" }, false],
  ])("%j decides: %s", (rule, expected) => {
    expect(accepts(rule)).toBe(expected);
  });

  it("is about the path that was written: a message to everybody is not one to an agent", () => {
    expect(accepts({ path: "agent/coder" }, { to: "agent/**" })).toBe(false);
    expect(accepts({ path: "agent/**" }, { to: "agent/**" })).toBe(true);
  });

  it("sees the text as the agent would read it", () => {
    expect(accepts({ text: "failed" }, { body: "f\u200bai\x1b[31ml\u{e0041}ed" })).toBe(true);
    expect(accepts({ text: "caf\u00e9" }, { body: "CAFE\u0301" })).toBe(true);
    expect(accepts({ text: "two\nlines" }, { body: "two\r\nlines" })).toBe(true);
    expect(accepts({ text: "a.b" }, { body: "axb" })).toBe(false);
  });

  it("with a text that nobody can see matches nothing, also where it stands", () => {
    expect(accepts({ text: "\u00ad" }, { body: "a\u00adb" })).toBe(false);
    expect(["x", "é", "👍", "…"].map(isRuleText)).toEqual([true, true, true, true]);
  });

  it("is shown in words, on one short line", () => {
    expect(ruleShown({ path: "slack/**", from: "agent/x", text: "go" })).toBe(
      'to slack/**, from agent/x, with "go"',
    );
    expect(ruleShown({ text: "a\nb\u202e" })).toBe('with "a b"');
    expect(ruleShown({ text: "x".repeat(500) }).length).toBeLessThanOrEqual(80);
  });
});

describe("the ruling", () => {
  it("says nothing without rules, and names the rule otherwise", () => {
    expect(ruling(message(), { alwaysAccept: [], alwaysReject: [] })).toBeUndefined();
    expect(ruling(message(), { alwaysAccept: [{ text: "passed" }], alwaysReject: [{}] })).toBeUndefined();
    expect(ruling(message(), { alwaysAccept: [{}, { text: "FAILED" }], alwaysReject: [] })).toEqual({
      verdict: "accept",
      because: 'a rule: with "FAILED"',
    });
  });

  it("rejects what another rule accepts", () => {
    const rules = { alwaysAccept: [{ text: "failed" }], alwaysReject: [{ from: "slack/**" }] };
    expect(ruling(message(), rules)).toEqual({ verdict: "reject", because: "a rule: from slack/**" });
  });

  it("reads a long body once, however many rules there are", () => {
    const rules = Array.from({ length: 100 }, (_, index) => ({ text: `never ${index}` }));
    let reads = 0;
    const long = {
      ...message(),
      get body() {
        reads += 1;
        return "\u00e9".repeat(128 * 1024);
      },
    };
    expect(ruling(long, { alwaysAccept: rules, alwaysReject: rules })).toBeUndefined();
    expect(reads).toBe(1);
  });
});
