import { describe, expect, it } from "vitest";
import {
  AGENT_RIGHTS,
  agentRights,
  mayDismiss,
  NO_MORE_RIGHTS,
  RIGHTS,
  type RightsChoice,
  rightMissing,
  rightsOf,
} from "./rights.ts";

const wider: RightsChoice = { everyone: ["raw"], byAgent: new Map([["coder", ["stop", "admin"]]]) };

describe("rights", () => {
  it("are all the owner's, whatever the config says", () => {
    expect(rightsOf({ kind: "owner" }, NO_MORE_RIGHTS)).toEqual(RIGHTS);
  });

  it("of an agent are to speak, to be reminded, to hear and to have children", () => {
    expect(agentRights("coder", NO_MORE_RIGHTS)).toEqual(AGENT_RIGHTS);
    expect(AGENT_RIGHTS).toEqual(["send", "urgent", "spawn", "remind", "subscribe"]);
  });

  it("are widened for all agents and for one, and never narrowed", () => {
    expect(agentRights("tester", wider)).toEqual(["send", "urgent", "raw", "spawn", "remind", "subscribe"]);
    expect(agentRights("coder", wider)).toEqual([
      "send",
      "urgent",
      "raw",
      "stop",
      "spawn",
      "remind",
      "subscribe",
      "admin",
    ]);
  });

  it.each([
    { kind: "unknown-session", id: "coder" } as const,
    { kind: "unknown-program", program: "coder" } as const,
  ])("of a stranger are those of every agent, never one's own: %j", (speaker) => {
    expect(rightsOf(speaker, wider)).toEqual(agentRights("nobody-in-particular", wider));
  });

  it("that is missing is named, with how a person grants it", () => {
    const error = rightMissing({ kind: "agent", agent: "coder", by: "program" }, "raw");
    expect(error).toMatchObject({ code: "rights.missing", exitCode: 1 });
    expect(error.message).toContain('"raw"');
    expect(error.next).toContain("rights: { agents: { coder: [raw] } }");
  });

  it.each([
    ["person/dev", "person", true],
    ["program/ci", "script", true],
    ["agent/coder", "agent", false],
    ["session/deadbeef", "script", false],
    ["program/claude", "script", false],
    // What Bellhop says for an agent, such as a reminder, is not the owner's word.
    ["bellhop/notices", "bellhop", false],
  ] as const)("to dismiss a dialog: %s (%s)", (from, source, may) => {
    expect(mayDismiss({ from, source }, NO_MORE_RIGHTS)).toBe(may);
    expect(mayDismiss({ from, source }, { everyone: ["dismiss"], byAgent: new Map() })).toBe(true);
  });

  it("to dismiss a dialog is not a script's of another host, whose owner is another one", () => {
    const may = (from: string, source: "script" | "agent" | "person" | "bellhop") =>
      mayDismiss({ from, source }, NO_MORE_RIGHTS);
    expect(may("program/backup", "script")).toBe(true);
    expect(may("program/backup@laptop", "script")).toBe(false);
    expect(may("person/dev@laptop", "script")).toBe(false);
    expect(may("agent/coder@laptop", "agent")).toBe(false);
    expect(may("bellhop/notices@laptop", "bellhop")).toBe(false);
    // It counts as a person's words only if its host may say so.
    expect(may("person/dev@laptop", "person")).toBe(true);
    const all: RightsChoice = { everyone: ["dismiss"], byAgent: new Map() };
    expect(mayDismiss({ from: "agent/coder@laptop", source: "agent" }, all)).toBe(true);
  });
});
