import { describe, expect, it } from "vitest";
import { REQUEST_SCHEMAS, STREAM_SCHEMAS } from "../../wire/schemas.ts";
import { NEEDS, type Need } from "./needs.ts";
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
    // What an agent had Bellhop say for it, such as a reminder, is not the owner's word.
    ["bellhop/notices", "bellhop", false],
  ] as const)("to dismiss a dialog: %s (%s)", (from, source, may) => {
    expect(mayDismiss({ from, source }, NO_MORE_RIGHTS)).toBe(may);
    expect(mayDismiss({ from, source }, { everyone: ["dismiss"], byAgent: new Map() })).toBe(true);
  });
});

describe("what a request needs", () => {
  it("is known of every verb and every stream", () => {
    const streams = Object.keys(STREAM_SCHEMAS).filter((verb) => !verb.startsWith("un"));
    expect(Object.keys(NEEDS).toSorted()).toEqual([...Object.keys(REQUEST_SCHEMAS), ...streams].toSorted());
  });

  const words = (needs: readonly Need[]) => needs.map(({ right }) => right);

  it.each([
    [{}, ["send"]],
    [{ priority: "idle" }, ["send"]],
    [{ priority: "urgent" }, ["send", "urgent"]],
    [{ priority: "interrupt" }, ["send", "urgent"]],
    [{ raw: true }, ["send", "raw"]],
    [{ raw: true, keys: ["Enter"] }, ["send", "raw"]],
    [{ keys: [] }, ["send", "raw"]],
    [{ re: "m7k2q9" }, ["send", "mail-of-others"]],
  ])("to send with %j", (fields, needed) => {
    expect(words(NEEDS.send(fields))).toEqual(needed);
    expect(words(NEEDS.route(fields))).toEqual(needed);
    const { re = "m7k2q9", ...rest } = fields as { readonly re?: string };
    expect(words(NEEDS.reply({ ...rest, id: re }))).toEqual([...new Set([...needed, "mail-of-others"])]);
  });

  it("to have a keyboard is that of raw keys, and a draft is never an agent's", () => {
    expect(NEEDS.attach()).toEqual([{ right: "raw" }]);
    expect(NEEDS.draft_restore()).toEqual([{ right: "queue-of-others" }]);
  });

  it.each(["stop", "unmatched_clear", "unmatched_reroute"] as const)("for %s is to steer Bellhop", (verb) => {
    expect(NEEDS[verb]()).toEqual([{ right: "admin" }]);
  });
});
