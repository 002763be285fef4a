import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { LIMITS } from "../../core/message.ts";
import { LONGEST_GRACE_MS } from "../host/host.ts";
import { REQUEST_LIMITS } from "./fields.ts";
import { VERBS, type Verb } from "./index.ts";
import { TURN_LIMITS } from "./turns.ts";

const claims = { user: "dev" };
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe("requests", () => {
  it.each<[string, (count: number) => unknown, Verb, number]>([
    ["address", (n) => ({ to: "x".repeat(n), body: "b", claims }), "send", REQUEST_LIMITS.addressCharacters],
    ["id", (n) => ({ id: "x".repeat(n) }), "show", REQUEST_LIMITS.idCharacters],
    ["name", (n) => ({ name: "x".repeat(n) }), "agent_add", REQUEST_LIMITS.nameCharacters],
    ["body", (n) => ({ to: "a", body: "x".repeat(n), claims }), "send", LIMITS.bodyBytes],
    [
      "keys",
      (n) => ({ to: "a", body: "", raw: true, keys: Array(n).fill("Up"), claims }),
      "send",
      REQUEST_LIMITS.keys,
    ],
    [
      "key name",
      (n) => ({ to: "a", body: "", raw: true, keys: ["x".repeat(n)], claims }),
      "send",
      REQUEST_LIMITS.keyNameCharacters,
    ],
    ["grace", (n) => ({ who: "a", graceMs: n }), "session_stop", LONGEST_GRACE_MS],
    ["wait", (n) => ({ id: "a", state: "read", timeoutMs: n }), "wait", REQUEST_LIMITS.waitMs],
    [
      "program sessions",
      (n) => ({ to: "a", body: "b", claims: { user: "d", programSessions: entries(n) } }),
      "send",
      REQUEST_LIMITS.programSessions,
    ],
    [
      "texts of a turn",
      (n) => ({ agent: "a", messages: Array(n).fill("x"), claims }),
      "turn_trigger",
      TURN_LIMITS.messages,
    ],
    [
      "rules",
      (n) => ({ agent: "a", autoRun: { alwaysAccept: Array(n).fill({ text: "x" }) } }),
      "auto_run_set",
      TURN_LIMITS.rules,
    ],
    [
      "tools",
      (n) => ({ agent: "a", autoRun: { tools: Array(n).fill("x") } }),
      "auto_run_set",
      TURN_LIMITS.tools,
    ],
    [
      "role",
      (n) => ({ agent: "a", autoRun: { role: "x".repeat(n) } }),
      "auto_run_set",
      TURN_LIMITS.roleCharacters,
    ],
    ["batch", (n) => ({ agent: "a", autoRun: { maxBatchSize: n } }), "auto_run_set", TURN_LIMITS.batch],
    [
      "environment",
      (n) => ({ eventName: "Stop", program: "claude", emittedAt: 1, payload: null, environment: entries(n) }),
      "hook_event",
      REQUEST_LIMITS.environmentEntries,
    ],
  ])("take %s at the limit and nothing more", (_, request, verb, limit) => {
    expect(takes(VERBS[verb].request, request(limit))).toBe(true);
    expect(takes(VERBS[verb].request, request(limit + 1))).toBe(false);
  });

  it("counts a body in bytes, not in letters", () => {
    const body = "漢".repeat(Math.floor(LIMITS.bodyBytes / 3) + 1);
    expect(takes(VERBS.send.request, { to: "a", body, claims })).toBe(false);
  });

  it("takes keys alone in raw form only, and an empty name for oneself", () => {
    expect(takes(VERBS.send.request, { to: "a", body: "", raw: true, keys: ["Enter"], claims })).toBe(true);
    expect(takes(VERBS.send.request, { to: "a", body: "", raw: true, claims })).toBe(false);
    expect(takes(VERBS.name.request, { who: "", name: "coder", claims })).toBe(true);
  });

  it("answers a dialog in raw form only", () => {
    const answer = { to: "a", body: "1", dialog: "k7x2qp", claims };
    expect(takes(VERBS.send.request, { ...answer, raw: true })).toBe(true);
    expect(takes(VERBS.send.request, answer)).toBe(false);
  });

  it("binds `before` to a move", () => {
    expect(takes(VERBS.queue_change.request, { id: "a", change: "move", before: "b" })).toBe(true);
    expect(takes(VERBS.queue_change.request, { id: "a", change: "move" })).toBe(false);
    expect(takes(VERBS.queue_change.request, { id: "a", change: "now", before: "b" })).toBe(false);
  });

  it("takes a flag, an object or null about automatic turns, and no empty rule", () => {
    const says = (autoRun: unknown) => takes(VERBS.auto_run_set.request, { agent: "a", autoRun });
    for (const said of [true, false, null, {}, { enabled: true }, { alwaysReject: [{ from: "x/**" }] }])
      expect(says(said)).toBe(true);
    for (const said of [undefined, "on", { alwaysReject: [{}] }, { runner: "/bin/sh" }, { debounce: 1 }])
      expect(says(said)).toBe(false);
  });

  it("takes nothing where nothing is asked", () => {
    for (const verb of ["ls", "status", "stop", "diagnose", "agent_list"] as const) {
      expect(takes(VERBS[verb].request, {})).toBe(true);
      expect(takes(VERBS[verb].request, { extra: 1 })).toBe(false);
    }
  });
});

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`NAME_${index}`, "x"]));
}
