import { describe, expect, it } from "vitest";
import { problemsOf } from "../../tests/config-problems.ts";
import { AGENT_LIMITS } from "./agents.ts";
import { parseConfig } from "./config.ts";

const agentsIn = (text: string) => parseConfig(text, "/home/config.yaml").values.agents;

describe("agents in config.yaml", () => {
  it("are read with their subscriptions and sessions", () => {
    const text = `agents:
  - name: researcher
    subscriptions: [slack/team/#general, "email/**"]
    sessions:
      - name: slack-monitor
        subscriptions:
          - slack/**
      - name: quiet
  - name: writer
`;
    expect(agentsIn(text)).toEqual([
      {
        name: "researcher",
        subscriptions: ["slack/team/#general", "email/**"],
        sessions: [
          { name: "slack-monitor", subscriptions: ["slack/**"] },
          { name: "quiet", subscriptions: [] },
        ],
      },
      { name: "writer", subscriptions: [], sessions: [] },
    ]);
    const { origins, shown } = parseConfig(text, "/home/config.yaml");
    expect(origins.agents).toEqual({ kind: "file", line: 1 });
    expect(shown.agents).toHaveLength(2);
  });

  it("are none by default, and where the section is empty", () => {
    expect(agentsIn("")).toEqual([]);
    expect(agentsIn("agents:\n")).toEqual([]);
    expect(agentsIn("agents: []")).toEqual([]);
  });

  it("hear a path once, however often and in whichever form it is written", () => {
    expect(agentsIn("agents: [{ name: a, subscriptions: [/x/, x, x/y] }]")[0]?.subscriptions).toEqual([
      "x",
      "x/y",
    ]);
  });

  it.each<[string, string, string]>([
    ["no list", "agents: { name: a }", ":1: agents: expected a list"],
    ["a bare name", "agents:\n  - coder\n", ":2: agents: expected keys with values"],
    ["no name", "agents:\n  - subscriptions: [x]\n", ":2: agents.name is missing"],
    ["a name that is none", "agents:\n  - name: Not A Name\n", ':2: agents.name: "Not A Name" must match'],
    ["a number as a name", "agents:\n  - name: 7\n", ":2: agents.name: expected a text, found 7"],
    ["two of one name", "agents:\n  - name: a\n  - name: a\n", ':3: agents: two are called "a"'],
    ["an unknown key", "agents:\n  - name: a\n    subs: [x]\n", ':3: unknown key "agents.subs"'],
    [
      "a pattern that could explode",
      "agents:\n  - name: a\n    subscriptions:\n      - x\n      - '**/a/**/b/**'\n",
      ':5: agents.subscriptions: "**/a/**/b/**" has more than 2',
    ],
    ["a path that is none", "agents:\n  - { name: a, subscriptions: [x//y] }\n", ":2: agents.subscriptions:"],
    [
      "a subscription that is no text",
      "agents:\n  - { name: a, subscriptions: [3] }\n",
      ":2: agents.subscriptions: expected a text",
    ],
    [
      "a session without a name",
      "agents:\n  - name: a\n    sessions:\n      - subscriptions: [x]\n",
      ":4: agents.sessions.name is missing",
    ],
    [
      "two sessions of one name",
      "agents:\n  - name: a\n    sessions: [{ name: s }, { name: s }]\n",
      ':3: agents.sessions: two are called "s"',
    ],
    [
      "sessions of sessions",
      "agents:\n  - name: a\n    sessions: [{ name: s, sessions: [] }]\n",
      ':3: unknown key "agents.sessions.sessions"',
    ],
  ])("are refused with %s, and told where", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each<[string, (count: number) => string, number]>([
    ["agents", (count) => `agents: [${names(count)}]`, AGENT_LIMITS.agents],
    ["sessions", (count) => `agents: [{ name: a, sessions: [${names(count)}] }]`, AGENT_LIMITS.sessions],
    [
      "subscriptions",
      (count) => `agents: [{ name: a, subscriptions: [${paths(count)}] }]`,
      AGENT_LIMITS.subscriptions,
    ],
  ])("may be so many %s and no more", (_, text, most) => {
    expect(problemsOf(text(most))).toBe("");
    expect(problemsOf(text(most + 1))).toContain(`at most ${most} entries`);
  });
});

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `{ name: n${index} }`).join(", ");
const paths = (count: number) => Array.from({ length: count }, (_, index) => `p/${index}`).join(", ");
