import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { problemsOf } from "../../tests/config-problems.ts";
import { settingsFrom } from "../daemon/settings.ts";
import { autoRunWords } from "../wire/verbs/turns.ts";
import { parseAutoRunValue } from "./auto-run.ts";
import {
  AUTO_RUN_KEYS,
  AUTO_RUN_SETTINGS,
  type AutoRunRule,
  type AutoRunSettingKey,
} from "./auto-run-settings.ts";
import { parseConfig } from "./config.ts";

const turnsIn = (text: string) => settingsFrom(parseConfig(text, "/home/config.yaml")).turns;

const EVERYTHING = `turns:
  enabled: false
  triage_model: ""
  debounce_ms: 0
  max_batch_size: 100
  always_accept: [{ path: /slack/**, from: agent/* }]
  always_reject:
    - text: unsubscribe
  runner: command
  command: [node, answer.mjs]
  cwd: /srv/shop
  role: You look after the shop.
  model: sonnet
  tools: [Read, "Bash(git log:*)"]
  permission_mode: acceptEdits
  deadline: 1.5
  turns_per_hour: 0
  turns_per_day: 100000
  usd_per_day: 2.5
  untriaged: run
`;

describe("auto_run in config.yaml", () => {
  it("is read with every key, in our units", () => {
    expect(turnsIn(EVERYTHING).everyone).toEqual({
      enabled: false,
      triageModel: "",
      debounceMs: 0,
      maxBatchSize: 100,
      alwaysAccept: [{ path: "slack/**", from: "agent/*" }],
      alwaysReject: [{ text: "unsubscribe" }],
      runner: "command",
      command: ["node", "answer.mjs"],
      cwd: "/srv/shop",
      role: "You look after the shop.",
      model: "sonnet",
      tools: ["Read", "Bash(git log:*)"],
      permissionMode: "acceptEdits",
      deadlineMs: 1_500,
      turnsPerHour: 0,
      turnsPerDay: 100_000,
      usdPerDay: 2.5,
      untriaged: "run",
    });
    for (const key of AUTO_RUN_KEYS) expect(EVERYTHING).toContain(`  ${key}:`);
  });

  it("is said of agents and of their sessions, each for itself", () => {
    const turns = turnsIn(`turns: { at_once: 2, budget: { turns_per_hour: 3 }, debounce_ms: 50 }
agents:
  - name: night
    auto_run: true
    sessions:
      - { name: slack, auto_run: { role: Be brief. } }
      - { name: quiet, auto_run: false }
      - { name: plain }
  - name: off
    auto_run: { enabled: false, model: opus }
`);
    expect(turns.atOnce).toBe(2);
    expect(turns.everyone).toEqual({ turnsPerHour: 3, debounceMs: 50 });
    expect(turns.of("night")).toEqual({ enabled: true });
    expect(turns.of("night", "slack")).toEqual({ role: "Be brief." });
    expect(turns.of("night", "quiet")).toEqual({ enabled: false });
    expect(turns.of("night", "plain")).toBeUndefined();
    expect(turns.of("off")).toEqual({ enabled: false, model: "opus" });
    expect(turns.of("nobody")).toBeUndefined();
  });

  it("may have a role of several lines, and a folder in the home of the owner", () => {
    const { everyone } = turnsIn("turns:\n  role: |\n    One.\n    \tTwo.\n  cwd: ~/shop\n");
    expect(everyone).toEqual({ role: "One.\n\tTwo.\n", cwd: join(homedir(), "shop") });
  });

  it("is nothing where nothing is written", () => {
    expect(turnsIn("")).toMatchObject({ atOnce: 5, everyone: undefined });
    expect(turnsIn("turns:\n")).toMatchObject({ atOnce: 5, everyone: undefined });
  });

  it.each<[string, string, string]>([
    [
      "a word",
      "agents: [{ name: a, auto_run: yes }]",
      ':1: agents.auto_run: expected true, false, or keys with values, found the text "yes"',
    ],
    ["a list", "turns: [true]", ":1: turns: expected keys with values, found a list"],
    ["an unknown key", "turns:\n  debounce: 3\n", ':2: unknown key "turns.debounce"'],
    ["its name in our code", "turns: { debounceMs: 3 }", 'did you mean "debounce_ms"?'],
    [
      "half a message",
      "turns:\n  max_batch_size: 1.5\n",
      ":2: turns.max_batch_size: expected a whole number from 1 to 100, found 1.5",
    ],
    ["a word as a number", "turns: { deadline: soon }", "expected a number of seconds"],
    ["no deadline", "turns: { deadline: 0 }", "expected a number from 1 to 86400, found 0"],
    ["another choice", "turns: { untriaged: drop }", 'expected one of hold, run, found "drop"'],
    ["no runner", "turns: { runner: /bin/sh }", "must match"],
    ["one tool", "turns: { tools: Read }", "expected a list"],
    ["an empty model", 'turns: { model: "" }', "turns.model: expected a text"],
    ["an empty rule", "turns:\n  always_accept:\n    - {}\n", ":3: turns.always_accept: a rule needs"],
    [
      "a rule of something else",
      "turns:\n  always_reject:\n    - { sender: x }\n",
      ':3: unknown key "turns.always_reject.sender"',
    ],
    [
      "a pattern that could explode",
      "turns: { always_accept: [{ path: '**/a/**/b/**' }] }",
      ':1: turns.always_accept.path: "**/a/**/b/**" has more than 2',
    ],
    [
      "an agent's mistake",
      "agents:\n  - name: a\n    auto_run:\n      deadline: x\n",
      ":4: agents.auto_run.deadline: expected a number of seconds",
    ],
    [
      "a session's mistake",
      "agents:\n  - name: a\n    sessions:\n      - name: s\n        auto_run: 3\n",
      ":5: agents.sessions.auto_run: expected true, false",
    ],
    ["a NUL in a word", 'turns: { command: [cat, "a\\0b"] }', "turns.command: control characters"],
    ["a line end in a model", 'turns: { model: "a\\nb" }', "turns.model: control characters"],
    ["an escape in a role", 'turns: { role: "a\\eb" }', "turns.role: control characters"],
    [
      "a folder of nobody's",
      "turns: { cwd: shop }",
      ':1: turns.cwd: expected a path from / or ~/, found "shop"',
    ],
    [
      "a rule that nobody can see",
      'turns:\n  always_accept:\n    - { path: slack/**, text: "\\u200b " }\n',
      ":3: turns.always_accept.text: nothing in it can be seen",
    ],
    ["another limit", "turns: { budget: { eur_per_day: 3 } }", 'unknown key "turns.budget.eur_per_day"'],
    ["too much in a budget", "turns:\n  budget:\n    usd_per_day: -1\n", ":3: turns.budget.usd_per_day"],
    ["too many turns at once", "turns: { at_once: 101 }", "expected a whole number from 1 to 100"],
  ])("is refused with %s, and told where", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each(AUTO_RUN_KEYS)("%s has the limits of the doors", (key) => {
    const { as, rule }: { readonly as: string; readonly rule: AutoRunRule } = AUTO_RUN_SETTINGS[key];
    for (const [written, isRight] of edges(rule)) {
      const file = problemsOf(JSON.stringify({ turns: { [key]: written } })) === "";
      const said = { [as]: rule.kind === "number" ? (written as number) * (rule.times ?? 1) : written };
      expect([JSON.stringify(written).slice(0, 40), file]).toEqual([
        JSON.stringify(written).slice(0, 40),
        isRight,
      ]);
      expect(autoRunWords.safeParse(said).success).toBe(isRight);
    }
  });
});

/** Values at the limit and beyond it. */
function edges(rule: AutoRunRule): readonly (readonly [unknown, boolean])[] {
  switch (rule.kind) {
    case "flag":
      return [
        [true, true],
        ["true", false],
      ];
    case "number":
      return [
        [rule.least, true],
        [rule.most, true],
        [rule.least - 1, false],
        [rule.most + 1, false],
      ];
    case "choice":
      return [...rule.of.map((word) => [word, true] as const), ["other", false]];
    case "text": {
      const first = rule.form === "folder" ? "/" : "x";
      return [
        [first + "x".repeat(rule.most - 1), true],
        [first + "x".repeat(rule.most), false],
        ["", rule.empty === "allowed"],
        [`${first}\0`, false],
        [`${first}\n\t`, rule.form === "lines"],
        ["x", rule.form !== "folder"],
      ];
    }
    case "texts":
      return [
        [Array(rule.most).fill("x"), true],
        [Array(rule.most + 1).fill("x"), false],
        [["x".repeat(rule.longest)], true],
        [["x".repeat(rule.longest + 1)], false],
        [[""], false],
        [["x\0"], false],
        [["x\u0085"], false],
      ];
    case "rules":
      return [
        [Array(rule.most).fill({ text: "x" }), true],
        [Array(rule.most + 1).fill({ text: "x" }), false],
        [[{ text: "x".repeat(256) }], true],
        [[{ text: "x".repeat(257) }], false],
        [[{}], false],
        [[{ text: "\0" }], false],
        [[{ text: "\u200b \ufe0f" }], false],
      ];
  }
}

describe("a value on the command line", () => {
  it.each<[AutoRunSettingKey, string, object]>([
    ["enabled", "false", { enabled: false }],
    ["debounce_ms", "500", { debounceMs: 500 }],
    ["deadline", "90", { deadlineMs: 90_000 }],
    ["usd_per_day", "2.5", { usdPerDay: 2.5 }],
    ["role", "Answer: briefly, # and well", { role: "Answer: briefly, # and well" }],
    ["model", "007", { model: "007" }],
    ["triage_model", "", { triageModel: "" }],
    ["tools", "Read, Bash(git log:*)", { tools: ["Read", "Bash(git log:*)"] }],
    ["tools", '["Read,Write"]', { tools: ["Read,Write"] }],
    ["tools", "", { tools: [] }],
    ["always_accept", '[{"from":"person/*"}]', { alwaysAccept: [{ from: "person/*" }] }],
    ["untriaged", "run", { untriaged: "run" }],
  ])("%s=%s", (key, text, words) => {
    expect(parseAutoRunValue(key, text)).toEqual(words);
  });

  it.each<[AutoRunSettingKey, string, string]>([
    ["enabled", "yes", "enabled: expected true or false"],
    ["cwd", "shop", "cwd: expected a path from / or ~/"],
    ["command", '["cat","a\\u0000"]', "command: control characters"],
    ["always_accept", '[{"text":"\\u200b"}]', "always_accept.text: nothing in it can be seen"],
    ["debounce_ms", "3s", "debounce_ms: expected a number of milliseconds"],
    ["turns_per_day", "-1", "turns_per_day: expected a number of turns"],
    ["always_accept", "[{", "always_accept: expected a list"],
    ["always_accept", "slack/**", "always_accept: expected keys with values"],
    ["untriaged", "maybe", 'untriaged: expected one of hold, run, found "maybe"'],
  ])("is refused: %s=%s", (key, text, problem) => {
    expect(() => parseAutoRunValue(key, text)).toThrow(problem);
  });
});
