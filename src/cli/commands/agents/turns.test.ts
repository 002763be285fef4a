import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { STANDARD_AUTO_RUN } from "../../../core/turns/auto-run.ts";
import type { ShownAutoRun, ShownTurn, TurnsResponse } from "../../../wire/shapes/turns.ts";

const NOW = new Date(2026, 11, 21, 13, 30, 5).getTime();
const claims = { user: "dev" };

const done: ShownTurn = {
  id: "t4k9p2",
  agent: "night",
  sessionId: "08bc57cf",
  runner: "claude",
  state: "done",
  triggered: false,
  again: false,
  startedAt: NOW - 120_000,
  endedAt: NOW - 60_000,
  verdict: "yes",
  because: "a customer asks",
  answer: "Answered.\nTwice.",
  usd: 0.125,
  tokensIn: 900,
  tokensOut: 40,
  messages: [{ id: "11111111-2222-4333-8444-555555555555", shortId: "m7k2q9", from: "slack/team/ada" }],
};
const open: ShownTurn = {
  id: "t1",
  agent: "night",
  sessionId: "08bc57cf",
  runner: "claude",
  state: "running",
  triggered: true,
  again: true,
  startedAt: NOW - 5_000,
  doing: "runs git log\x1b[2J",
  messages: [],
};
const found: TurnsResponse = {
  switch: { off: true, since: NOW - 1_000, by: "person/dev" },
  turns: [open, done],
  budgets: [
    {
      agent: "night",
      turnsThisHour: 20,
      turnsPerHour: 20,
      turnsToday: 31,
      turnsPerDay: 100,
      usdToday: 1.5,
      usdPerDay: 10,
      until: NOW + 600_000,
    },
  ],
  waiting: [{ agent: "night", messages: 3, release: "goes on at 13:40" }],
};
const standing: ShownAutoRun = {
  values: { ...STANDARD_AUTO_RUN, enabled: true, role: "You look after the shop.", cwd: "/srv/shop" },
  from: { enabled: "config", role: "agent", cwd: "session", runner: "standard" },
};

const stage: Stage = {
  now: NOW,
  answers: {
    turns: async () => found,
    turn_show: async () => done,
    turn_trigger: async ({ agent, messages = [] }) => ({ agent, sessionId: "08bc57cf", messages }),
    turns_switch: async ({ on }) => ({ off: !on, stopped: on ? 0 : 2 }),
    auto_run_show: async () => standing,
    auto_run_set: async ({ autoRun }) => ({
      ...standing,
      values: { ...standing.values, enabled: autoRun !== false },
    }),
    conversation: async () => ({
      entries: [
        { type: "auto-turn", turnId: "t1", sessionId: "s", at: NOW - 1_000, text: "Do it.", messages: [] },
        { type: "auto-turn-result", turnId: "t1", sessionId: "s", at: NOW, text: "Done.", messages: [] },
      ],
    }),
  },
};
const run = (...words: readonly string[]) => perform(words, stage);

describe("bellhop turns", () => {
  it("shows the switch, the turns, the budgets and what waits", async () => {
    const { stdout, asked } = await run("turns", "night", "--session", "main", "--limit", "5");
    expect(asked).toEqual([{ verb: "turns", request: { agent: "night", session: "main", limit: 5 } }]);
    expect(stdout).toMatch(/^No turn starts since 2026-12-21 13:30, by person\/dev/);
    expect(stdout).toMatch(/t1 +night +08bc57cf +running, asked for, again +5s ago +runs git log/);
    expect(stdout).toMatch(/t4k9p2 +night +08bc57cf +done +yes +2m ago +\$0\.13 +Answered\. Twice\.\n/);
    expect(stdout).toMatch(
      /night +20 of 20 turns +31 of 100 turns +\$1\.50 of \$10\.00 +spent; goes on in 10m/,
    );
    expect(stdout).toContain("night: 3 messages wait; goes on at 13:40\n");
    expect(stdout).not.toContain("\x1b");
  });

  it("says when there are none", async () => {
    const none: TurnsResponse = { switch: { off: false }, turns: [], budgets: [], waiting: [] };
    const { stdout } = await perform(["turns"], { answers: { turns: async () => none } });
    expect(stdout).toBe("No turns yet.\n");
  });

  it("prints everything for scripts", async () => {
    expect(JSON.parse((await run("turns", "--json")).stdout)).toEqual(found);
  });

  it("stops and starts them all", async () => {
    const stopped = await run("turns", "stop");
    expect(stopped.asked).toEqual([{ verb: "turns_switch", request: { on: false, claims } }]);
    expect(stopped.stdout).toBe("No automatic turn starts; 2 were stopped\n");
    expect((await run("turns", "start")).stdout).toBe("Automatic turns start again\n");
    expect(JSON.parse((await run("turns", "stop", "--json")).stdout)).toEqual({ off: true, stopped: 2 });
  });
});

describe("bellhop turn", () => {
  it("starts one", async () => {
    const { asked, stdout } = await run(
      "turn",
      "trigger",
      "night",
      "main",
      "--message",
      "a",
      "--message",
      "b",
    );
    expect(asked).toEqual([
      {
        verb: "turn_trigger",
        request: { agent: "night", session: "main", messages: ["a", "b"], claims },
      },
    ]);
    expect(stdout).toBe("A turn of night (session 08bc57cf) begins, about 2 messages\n");
    const plain = await run("turn", "trigger", "night");
    expect(plain.asked).toEqual([{ verb: "turn_trigger", request: { agent: "night", claims } }]);
  });

  it("shows one", async () => {
    const { stdout, asked } = await run("turn", "show", "t4k9p2");
    expect(asked).toEqual([{ verb: "turn_show", request: { id: "t4k9p2" } }]);
    expect(stdout).toContain("about    #m7k2q9 from slack/team/ada\n");
    expect(stdout).toContain("cost     $0.13\n");
    expect(stdout).toContain("tokens   900 in, 40 out\n");
    expect(stdout).toMatch(/\n\nAnswered\.\nTwice\.\n$/);
    expect(stdout).not.toContain("doing");
    expect(JSON.parse((await run("turn", "show", "t4k9p2", "--json")).stdout)).toEqual(done);
  });
});

describe("bellhop agent auto-run", () => {
  it("shows what counts, who said it, in the file's keys and units", async () => {
    const { stdout, asked } = await run("agent", "auto-run", "night", "show");
    expect(asked).toEqual([{ verb: "auto_run_show", request: { agent: "night" } }]);
    expect(stdout).toMatch(/\nenabled +everyone \(config\.yaml\) +true\n/);
    expect(stdout).toMatch(/\nrole +the agent +You look after the shop\.\n/);
    expect(stdout).toMatch(/\ncwd +its session +\/srv\/shop\n/);
    expect(stdout).toMatch(/\nrunner +default +claude\n/);
    expect(stdout).toMatch(/\ndeadline +600\n/);
    expect(stdout).toMatch(/\nalways_accept +none\n/);
    expect(stdout).not.toContain("permission_mode");
  });

  it("says only what is given", async () => {
    const { asked, stdout } = await run(
      ...["agent", "auto-run", "night", "on", "--set", "deadline=90", "--set", "tools=Read,Edit"],
    );
    expect(asked).toEqual([
      {
        verb: "auto_run_set",
        request: {
          agent: "night",
          autoRun: {
            enabled: true,
            deadlineMs: 90_000,
            tools: ["Read", "Edit"],
          },
        },
      },
    ]);
    expect(stdout).toMatch(/^night takes turns by itself\n/);
  });

  it("speaks of a session, and takes back what was said", async () => {
    const off = await run("agent", "auto-run", "night", "off", "--session", "slack");
    expect(off.asked[0]).toEqual({
      verb: "auto_run_set",
      request: { agent: "night", session: "slack", autoRun: { enabled: false } },
    });
    const reset = await run("agent", "auto-run", "night", "reset", "--json");
    expect(reset.asked).toEqual([{ verb: "auto_run_set", request: { agent: "night", autoRun: null } }]);
    expect(JSON.parse(reset.stdout)).toEqual(standing);
  });

  it.each<[string, readonly string[], string]>([
    ["another word", ["onn"], 'Did you mean \\"on\\"?'],
    ["a setting to show", ["show", "--set", "model=x"], "--set does not go with"],
    ["an unknown setting", ["on", "--set", "debounce_m=3"], 'Did you mean \\"debounce_ms\\"?'],
    ["its name in our code", ["on", "--set", "deadlineMs=3"], 'There is no setting \\"deadlineMs\\"'],
    ["no value", ["on", "--set", "model"], "--set model has no value."],
    ["the flag itself", ["on", "--set", "enabled=false"], 'There is no setting \\"enabled\\"'],
    ["a bad value", ["on", "--set", "deadline=soon"], "deadline: expected a number of seconds"],
  ])("asks nothing for %s", async (_, words, told) => {
    const { status, stderr, asked } = await run("agent", "auto-run", "night", ...words, "--json");
    expect([status, asked]).toEqual([2, []]);
    expect(stderr).toContain(told);
  });
});

describe("bellhop history --conversation", () => {
  it("shows the newest last", async () => {
    const { stdout, asked } = await run("history", "night", "--conversation", "--session", "main");
    expect(asked).toEqual([{ verb: "conversation", request: { agent: "night", session: "main" } }]);
    expect(stdout).toMatch(
      /^2026-12-21 13:30:04 {2}auto-turn {2}t1\nDo it\.\n\n.*auto-turn-result {2}t1\nDone\.\n\n$/,
    );
    const scripted = await run("history", "night", "--conversation", "--limit", "2", "--json");
    expect(JSON.parse(scripted.stdout).entries[0].type).toBe("auto-turn");
  });

  it.each([
    [["--conversation"]],
    [["night", "--session", "main"]],
    [["night", "--conversation", "--from", "2h"]],
  ])("is refused with %j", async (words) => {
    const { status, asked } = await run("history", ...words);
    expect([status, asked]).toEqual([2, []]);
  });
});
