import { describe, expect, it } from "vitest";
import type { Source } from "../message.ts";
import { NO_MORE_RIGHTS, type Right } from "../rights/rights.ts";
import { isAcquainted, refusalOutside } from "./acquaintances.ts";
import { isAdmitted, isPersons } from "./admission.ts";
import type { BridgeName } from "./places.ts";

const ALLOWED: Partial<Record<BridgeName, readonly string[]>> = {
  telegram: ["7", "telegram/-100"],
  email: ["ann@example.org"],
  imessage: ["+15551234"],
};
const HEARD = ["telegram/-200", "email/bot+api@example.org/joe@example.org"];
const KNOWN = {
  channels: ["telegram/42", "email/bot@example.org/me@example.org"],
  allow: (bridge: BridgeName) => ALLOWED[bridge] ?? [],
  hasWritten: (path: string) => HEARD.includes(path),
};

describe("a place where the owner is known", () => {
  it.each([
    ["telegram/42", true],
    ["telegram/7", true],
    ["telegram/-100", true],
    ["telegram/-200", true],
    ["telegram/77", false],
    ["telegram/ann@example.org", false],
    ["telegram/+15551234", false],
    ["email/bot@example.org/me@example.org", true],
    ["email/bot+coder@example.org/me@example.org", true],
    ["email/bot@example.org/ann@example.org", true],
    ["email/bot+api@example.org/joe@example.org", true],
    ["email/bot@example.org/evil@example.com", false],
    ["email/bot@example.org/7", false],
    ["email/ann@example.org/evil@example.com", false],
    ["imessage/+15551234", true],
    ["imessage/+16666666", false],
    ["imessage/42", false],
    ["slack/T1/#general", true],
    ["slack/T1/@U7", true],
    ["agent/coder", true],
    ["telegram/*", true],
  ])("is %s: %s", (path, expected) => {
    expect(isAcquainted(path, KNOWN)).toBe(expected);
  });
});

describe("who may write to a stranger", () => {
  const granted = (right: Right) => ({ everyone: [], byAgent: new Map([["coder", [right]]]) });
  it.each<[string, string, Source, typeof NO_MORE_RIGHTS, boolean]>([
    ["an agent", "agent/coder", "agent", NO_MORE_RIGHTS, false],
    ["an agent with another right", "agent/coder", "agent", granted("raw"), false],
    ["an agent with admin", "agent/coder", "agent", granted("admin"), true],
    ["another agent than that", "agent/api", "agent", granted("admin"), false],
    ["a session that nobody knows", "session/deadbeef", "script", NO_MORE_RIGHTS, false],
    ["a program that nobody knows", "program/claude", "script", NO_MORE_RIGHTS, false],
    ["a script of the owner", "program/nightly", "script", NO_MORE_RIGHTS, true],
    ["the owner", "person/dev", "person", NO_MORE_RIGHTS, true],
    ["Bellhop", "bellhop/notices", "bellhop", NO_MORE_RIGHTS, true],
  ])("%s: %s by %s", (_, from, source, rights, expected) => {
    const refusal = refusalOutside({ from, source }, "telegram/77", rights, KNOWN);
    expect(refusal === undefined).toBe(expected);
    expect(refusalOutside({ from, source }, "telegram/42", rights, KNOWN)).toBeUndefined();
  });

  const CODER = { from: "agent/coder", source: "agent" } as const;

  it("is told that the owner can write, and what it means to allow somebody", () => {
    const path = "email/bot@example.org/evil@example.com";
    const refusal = refusalOutside(CODER, path, NO_MORE_RIGHTS, KNOWN);
    expect(refusal).toMatchObject({
      code: "rights.missing",
      message: expect.stringContaining(`Agent "coder" may not write to strangers outside (${path})`),
      next: expect.stringMatching(
        /^Leave it to the person you work for: they can write there themselves\. .* bridges: \{ email: \{ allow: \["evil@example\.com"\] \} \}\. That is for people who may act for them: /u,
      ),
    });
    expect(refusal?.message).toContain('"admin"');
    expect(refusal?.next).not.toContain("rights:");
  });

  it("is told how a group is allowed, and nobody in it as the owner", () => {
    const refusal = refusalOutside(CODER, "telegram/-300", NO_MORE_RIGHTS, KNOWN);
    const allow = ["telegram/-300"];
    expect(refusal?.next).toContain(`bridges: { telegram: { allow: ${JSON.stringify(allow)} } }`);
    expect(isAcquainted("telegram/-300", { ...KNOWN, allow: () => allow })).toBe(true);
    const member = { path: "telegram/-300", from: "7" };
    expect([isPersons(member, [], allow), isAdmitted(member, allow)]).toEqual([false, true]);
  });
});
