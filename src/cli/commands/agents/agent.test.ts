import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import { agentToken } from "../../../home/token.ts";
import type { ShownAgent } from "../../../wire/shapes/sessions.ts";
import type { ShownAutoRun } from "../../../wire/shapes/turns.ts";

const SINCE = new Date(2026, 11, 21, 13, 30, 5).getTime();
const USED = { title: "monitor", isDefault: false, createdAt: SINCE, lastUsedAt: SINCE };
const bare: ShownAgent = {
  name: "reviewer",
  createdAt: SINCE,
  origin: "added",
  paused: false,
  queued: 2,
  rights: ["send", "urgent"],
  subscriptions: [],
  sessions: [],
};
const full: ShownAgent = {
  ...bare,
  subscriptions: [{ pattern: "slack/**", addedAt: SINCE }],
  sessions: [
    {
      id: "08bc57cf",
      ...USED,
      name: "monitor",
      subscriptions: [{ pattern: "email/*", addedAt: SINCE }],
      program: "",
      live: false,
      label: "",
    },
    { id: "725fe7bb", ...USED, subscriptions: [], program: "claude", live: true, label: "work:0.0" },
    { id: "aaaaaaaa", ...USED, subscriptions: [], program: "codex", live: false, label: "work:0.1" },
  ],
};
const OFF: ShownAutoRun = { values: { enabled: false }, from: { enabled: "standard" } };
const ON: ShownAutoRun = {
  values: { enabled: true, deadlineMs: 90_000 },
  from: { enabled: "agent", deadlineMs: "config" },
  obstacle: "claude is not installed",
};
const stage: Stage = {
  answers: {
    agent_add: async () => bare,
    agent_show: async () => full,
    agent_list: async () => ({ agents: [full] }),
    sub_add: async ({ agent }) => ({ agent, subscriptions: [] }),
    auto_run_show: async () => OFF,
    auto_run_set: async () => ON,
    session_add: async ({ agent, name }) => ({ agent, name, sessionId: "08bc57cf" }),
  },
};
const run = (...words: readonly string[]) => perform(["agent", ...words], stage);

describe("bellhop agent add", () => {
  it("makes a mailbox, and nothing else unless asked", async () => {
    const { stdout, asked } = await run("add", "reviewer");
    expect(stdout).toBe("agent/reviewer has a mailbox\n");
    expect(asked.map(({ verb }) => verb)).toEqual(["agent_add"]);
  });

  it("subscribes it and makes its sessions", async () => {
    const { stdout, asked } = await run(
      ...["add", "reviewer", "--subscribe", "slack/**", "--subscribe", "email/*", "--session", "monitor"],
      "--json",
    );
    expect(asked.map(({ verb, request }) => [verb, request])).toEqual([
      ["agent_add", { name: "reviewer" }],
      ["sub_add", { agent: "reviewer", pattern: "slack/**", claims: { user: "dev" } }],
      ["sub_add", { agent: "reviewer", pattern: "email/*", claims: { user: "dev" } }],
      ["session_add", { agent: "reviewer", name: "monitor" }],
      ["agent_show", { name: "reviewer" }],
    ]);
    expect(JSON.parse(stdout)).toEqual(full);
  });

  it("lets it take turns by itself", async () => {
    const { asked } = await run("add", "reviewer", "--auto-run");
    expect(asked.at(-1)).toEqual({ verb: "auto_run_set", request: { agent: "reviewer", autoRun: true } });
  });

  it.each<[string, readonly string[], string]>([
    ["a pattern that could explode", ["--subscribe", "a/**/b/**/c/**"], "pattern.invalid"],
    ["an empty pattern", ["--subscribe", ""], "name.invalid"],
    ["a pattern of 17 segments", ["--subscribe", "a/".repeat(17)], "name.invalid"],
    ["a control character", ["--subscribe", "a/\x07"], "name.invalid"],
    ["a session with a slash", ["--session", "a/b"], "name.invalid"],
    ["a session without a name", ["--session", ""], "name.invalid"],
  ])("makes nothing at all for %s", async (_, options, code) => {
    const { status, stderr, asked } = await run("add", "reviewer", "--subscribe", "x", ...options, "--json");
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
    expect(asked).toEqual([]);
  });
});

describe("bellhop agent show and list", () => {
  it("say what it receives and what its sessions do", async () => {
    const { stdout } = await run("show", "reviewer");
    expect(stdout).toContain("receives  agent/reviewer, slack/**\n");
    expect(stdout).toContain("  08bc57cf (monitor)  no program yet  subscribed to email/*\n");
    expect(stdout).toContain("  725fe7bb  claude  runs in work:0.0\n");
    expect(stdout).toContain("  aaaaaaaa  codex  has ended\n");
    expect((await run("list")).stdout).toMatch(/reviewer +2 +running +monitor 725fe7bb aaaaaaaa\n/);
  });
});

describe("bellhop agent show of an agent that takes turns by itself", () => {
  const turning: Stage = { answers: { ...stage.answers, auto_run_show: async () => ON } };

  it("says what counts and where it comes from", async () => {
    const { stdout } = await perform(["agent", "show", "reviewer"], turning);
    expect(stdout).toContain("turns     by itself, as follows\n");
    expect(stdout).toContain("No turn can run: claude is not installed\n");
    expect(stdout).toMatch(/\nenabled +the agent +true\ndeadline +everyone \(config\.yaml\) +90\n$/);
    const scripted = await perform(["agent", "show", "reviewer", "--json"], turning);
    expect(JSON.parse(scripted.stdout)).toEqual({ ...full, autoRun: ON });
  });

  it("says that one runs", async () => {
    const answers = { ...stage.answers, auto_run_show: async () => ({ ...ON, running: "t4k9p2" }) };
    const { stdout } = await perform(["agent", "show", "reviewer"], { answers });
    expect(stdout).toContain("turns     one runs now (bellhop peek reviewer); by itself, as follows\n");
  });

  it("says nothing of it to an agent that may not see it", async () => {
    const auto_run_show = async () => {
      throw new BellhopError("rights.missing", { message: "No.", next: "Ask." });
    };
    const answers = { ...stage.answers, auto_run_show };
    const { stdout } = await perform(["agent", "show", "reviewer", "--json"], { answers });
    expect(JSON.parse(stdout)).toEqual(full);
  });

  it("says nothing of it where it is off", async () => {
    expect(JSON.parse((await run("show", "reviewer", "--json")).stdout)).toEqual(full);
    expect((await run("show", "reviewer")).stdout).not.toContain("enabled");
  });
});

describe("bellhop agent remove", () => {
  const removing: Stage = {
    answers: { agent_remove: async ({ name }) => ({ name, cancelled: 1, reminders: 2 }) },
  };

  it("says what was cancelled with it", async () => {
    const { stdout, asked } = await perform(["agent", "remove", "reviewer", "--force"], removing);
    expect(stdout).toBe("agent/reviewer is removed; 1 message and 2 reminders cancelled\n");
    expect(asked).toMatchObject([{ verb: "agent_remove", request: { name: "reviewer", force: true } }]);
  });

  it("says it to scripts too", async () => {
    const { stdout } = await perform(["agent", "remove", "reviewer", "--json"], removing);
    expect(JSON.parse(stdout)).toEqual({ name: "reviewer", cancelled: 1, reminders: 2 });
  });
});

describe("bellhop agent token", () => {
  const owner = "ab".repeat(32);
  const withToken = async (content: string | undefined, ...words: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "bh-token-"));
    try {
      const token = join(folder, "token");
      if (content !== undefined) writeFileSync(token, content, { mode: 0o600 });
      return await perform(["agent", "token", ...words], { ...stage, home: { token } });
    } finally {
      chmodSync(folder, 0o700);
      rmSync(folder, { recursive: true });
    }
  };

  it("prints the agent's own token and nothing else", async () => {
    const token = agentToken(owner, "reviewer");
    expect(await withToken(`${owner}\n`, "reviewer")).toMatchObject({ status: 0, stdout: `${token}\n` });
    const scripted = await withToken(owner, "reviewer", "--json");
    expect(JSON.parse(scripted.stdout)).toEqual({ agent: "reviewer", token });
    expect(scripted.stdout).not.toContain(owner);
  });

  it("refuses where there is no token to make it of, and shows none", async () => {
    const absent = await withToken(undefined, "reviewer", "--json");
    expect(absent).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(absent.stderr)).toMatchObject({ error: { code: "file.missing" } });
    const broken = await withToken("secret nonsense", "reviewer", "--json");
    expect(JSON.parse(broken.stderr)).toMatchObject({ error: { code: "file.unsafe" } });
    expect(broken.stderr).not.toContain("nonsense");
  });
});

describe("bellhop agent move", () => {
  const moved = { agent: "reviewer", host: "box", subscriptions: 2, messages: 1, sentOn: 0 };
  const run = (answer: object, ...options: readonly string[]) =>
    perform(["agent", "move", "reviewer", "box", ...options], {
      answers: { agent_move: async () => ({ ...moved, ...answer }) },
    });

  it("says what went along, and what follows from other hosts", async () => {
    const { stdout, asked } = await run({});
    expect(asked[0]?.request).toMatchObject({ name: "reviewer", host: "box" });
    expect(stdout).toBe("✓ reviewer moved to box, with 2 subscriptions and 1 message.\n");
    expect((await run({ sentOn: 3 })).stdout).toContain("3 messages from other hosts: these send them on");
    expect(JSON.parse((await run({}, "--json")).stdout)).toEqual(moved);
  });
});
