import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import type { RouteTried, SubscriptionsResponse } from "../../../wire/shapes/broker.ts";
import type { ShownAgent } from "../../../wire/shapes/sessions.ts";

const ADDED = new Date(2026, 11, 21, 13, 30).getTime();
const USED = { title: "slack", isDefault: false, createdAt: ADDED, lastUsedAt: ADDED };
const hears = (...patterns: readonly string[]) => patterns.map((pattern) => ({ pattern, addedAt: ADDED }));
const answer = (request: { agent: string; session?: string }, patterns: readonly string[]) => ({
  agent: request.agent,
  ...(request.session === undefined ? {} : { session: request.session }),
  subscriptions: hears(...patterns),
});
const agents: readonly ShownAgent[] = [
  {
    name: "api",
    createdAt: ADDED,
    origin: "added",
    paused: false,
    queued: 0,
    rights: [],
    subscriptions: hears("email/**"),
    sessions: [
      {
        id: "08bc57cf",
        ...USED,
        name: "slack",
        subscriptions: hears("slack/*/*"),
        program: "",
        live: false,
        label: "",
      },
      {
        id: "725fe7bb",
        ...USED,
        subscriptions: hears("team"),
        program: "claude",
        live: true,
        label: "w:0.0",
      },
      { id: "aaaaaaaa", ...USED, subscriptions: [], program: "claude", live: true, label: "w:0.1" },
    ],
  },
  {
    name: "web",
    createdAt: ADDED,
    origin: "added",
    paused: false,
    queued: 0,
    rights: [],
    subscriptions: [],
    sessions: [],
  },
];
const stage: Stage = {
  answers: {
    sub_add: async (request) => answer(request, ["email/**", request.pattern]),
    sub_remove: async (request) => answer(request, ["email/**"]),
    sub_list: async (request) => answer(request, request.agent === "deaf" ? [] : ["slack/\x1b[31m**"]),
    agent_list: async () => ({ agents }),
  },
};
const sub = (...words: readonly string[]) => perform(["sub", ...words], stage);

describe("bellhop sub", () => {
  it("adds and removes, for an agent and for a session", async () => {
    const added = await sub("add", "api", "slack/**");
    expect(added.stdout).toBe("api is subscribed to slack/**\n");
    expect(added.asked).toEqual([
      { verb: "sub_add", request: { agent: "api", pattern: "slack/**", claims: { user: "dev" } } },
    ]);
    const ofSession = await sub("add", "api", "slack/**", "--session", "monitor");
    expect(ofSession.stdout).toBe("session monitor of api is subscribed to slack/**\n");
    expect(ofSession.asked[0]?.request).toMatchObject({ session: "monitor" });
    const removed = await sub("remove", "api", "slack/**", "--session", "main");
    expect(removed.stdout).toBe("session main of api is no longer subscribed to slack/**\n");
    expect(removed.asked[0]).toMatchObject({ verb: "sub_remove", request: { session: "main" } });
  });

  it("gives scripts what is heard now", async () => {
    const { stdout } = await sub("add", "api", "x/*", "--json");
    const shown = JSON.parse(stdout) as SubscriptionsResponse;
    expect(shown).toEqual({ agent: "api", subscriptions: hears("email/**", "x/*") });
  });

  it("lists one owner's", async () => {
    const { stdout, asked } = await sub("list", "api", "--session", "slack");
    expect(stdout).toMatch(/^AGENT +SESSION +SINCE +PATTERN\napi +slack +2026-12-21 13:30 +slack\/\*\*\n$/);
    expect(asked[0]?.request).toEqual({ agent: "api", session: "slack", claims: { user: "dev" } });
    expect((await sub("list", "api")).stdout).toMatch(/^AGENT +SINCE +PATTERN\n/);
    expect((await sub("list", "deaf")).stdout).toBe(
      "deaf has no subscriptions: it gets only what is sent to its own address.\n",
    );
  });

  it("tries a path, says who would get it and why, and fails if nobody would", async () => {
    const recipients = [
      { to: "session/08bc57cf", owner: "agent/api", why: ['the session subscribes to "x/\x1b[31m*"'] },
      { to: "agent/web", owner: "agent/web", why: ["it is its own address"] },
    ];
    const tried = { path: "x/y", from: "person/dev", recipients, more: 2, notes: ["And so on."] };
    const attempt = (answer: RouteTried, ...words: readonly string[]) =>
      perform(["sub", "try", "x/y", ...words], { answers: { route_try: async () => answer } });
    const said = await attempt(tried, "--from", "web");
    expect(said.asked).toEqual([
      { verb: "route_try", request: { path: "x/y", from: "web", claims: { user: "dev" } } },
    ]);
    expect(said.status).toBe(0);
    expect(said.stdout.split("\n")).toEqual([
      "→ session/08bc57cf (agent/api)",
      '  because the session subscribes to "x/*"',
      "→ agent/web",
      "  because it is its own address",
      "and 2 more",
      "And so on.",
      "",
    ]);
    const nobody = await attempt({ ...tried, recipients: [], more: 0, notes: [], reason: "nobody hears it" });
    expect([nobody.status, nobody.stdout]).toEqual([3, "Nobody would get it: nobody hears it.\n"]);
    expect(JSON.parse((await attempt(tried, "--json")).stdout)).toEqual(tried);
  });

  it("lists everybody's", async () => {
    const { stdout, asked } = await sub("list");
    expect(asked).toEqual([{ verb: "agent_list", request: {} }]);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "AGENT SESSION SINCE PATTERN",
      "api 2026-12-21 13:30 email/**",
      "api slack 2026-12-21 13:30 slack/*/*",
      "api 725fe7bb 2026-12-21 13:30 team",
      "",
    ]);
    const scripted = JSON.parse((await sub("list", "--json")).stdout) as readonly SubscriptionsResponse[];
    expect(scripted.map(({ agent, session }) => [agent, session])).toEqual([
      ["api", undefined],
      ["api", "slack"],
      ["api", "725fe7bb"],
    ]);
    const nobody = await perform(["sub", "list"], { answers: { agent_list: async () => ({ agents: [] }) } });
    expect(nobody.stdout).toBe(
      "There are no subscriptions: everyone gets only what is sent to their own address.\n",
    );
  });

  it.each([
    ["add"],
    ["add", "api"],
    ["add", "api", "a", "b"],
    ["remove", "api"],
    ["list", "api", "x"],
    ["list", "--session", "main"],
    ["add", "api", "x", "--session"],
    ["rm", "api", "x"],
  ])("refuses %s %s %s", async (...words) => {
    const { status, asked } = await sub(...words);
    expect(status).toBe(2);
    expect(asked).toEqual([]);
  });

  it("explains itself", async () => {
    const { status, stdout } = await sub();
    expect(status).toBe(2);
    expect(stdout).toContain("bellhop sub add|remove AGENT PATTERN");
  });
});
