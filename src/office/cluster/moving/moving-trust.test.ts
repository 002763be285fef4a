import { describe, expect, it } from "vitest";
import { openHosts } from "../../../../tests/desk/host-desks.ts";
import { CHAT } from "../../../../tests/desk/phone.ts";

const claims = { user: "dev" } as const;
const ID = "0000abcd-0000-4000-8000-000000000001";

type Luggage = Parameters<typeof arrival>[1];

/** The letter with which `a` says that one of its agents moves. */
function arrival(
  name: string,
  luggage: {
    readonly subscriptions?: readonly string[];
    readonly sessions?: readonly { readonly name: string; readonly subscriptions: readonly string[] }[];
  },
  id = ID,
) {
  return {
    ...{ kind: "letter", delivery: `${id}.1` },
    message: {
      ...{
        id,
        shortId: "zzzzzz",
        from: "bellhop/moves@a",
        to: `agent/${name}`,
        body: "moved",
        command: "move",
      },
      ...{ form: { kind: "text" }, priority: "normal", source: "bellhop", hops: 0 },
      payload: { subscriptions: [], sessions: [], ...luggage },
    },
  };
}

/** On `b` runs `coder`; `mail` does not, and hears `team/news`. The person's phone is a channel of `b`. */
async function newHome() {
  const { cluster, desks } = await openHosts("a", "b");
  const [, b] = desks;
  b.settings = { ...b.settings, desk: { ...b.settings.desk, channels: [CHAT] } };
  b.agent("coder");
  await cluster.ready(["send", "move"]);
  await b.done(b.use.agent_add({ name: "mail" }));
  await b.done(b.use.sub_add({ agent: "mail", pattern: "team/news", claims }));
  const moves = async (name: string, luggage: Luggage, id = ID) => {
    cluster.forges("a", "b", [arrival(name, luggage, id)]);
    await cluster.advance(1_000);
    return b.store.read.takenLetter("a", `${id}.1`)?.refusal;
  };
  const hears = async (agent: string) =>
    (await b.done(b.use.sub_list({ agent, claims }))).subscriptions.map(({ pattern }) => pattern);
  return { b, moves, hears };
}

describe("another host that may move agents here", () => {
  it("changes nothing of an agent that runs here", async () => {
    const { moves, hears } = await newHome();
    const words = 'An agent "coder" runs here already';
    expect(await moves("coder", { subscriptions: ["team/**"] })).toBe(words);
    expect(await moves("coder", {}, ID.replace("abcd", "abce"))).toBe(words);
    expect(await hears("coder")).toEqual([]);
  });

  it("nor of one that the config declares", async () => {
    const { b, moves, hears } = await newHome();
    await b.done(b.office.declare([{ name: "declared", subscriptions: ["a/b"], sessions: [] }]));
    expect(await moves("declared", { subscriptions: ["team/**"] })).toBe(
      'An agent "declared" is declared in config.yaml here',
    );
    expect(await hears("declared")).toEqual(["a/b"]);
  });

  it("takes the place of none that is here, whatever that hears", async () => {
    const { b, moves, hears } = await newHome();
    const id = (last: string) => ID.replace("abcd", last);
    const words = 'An agent "mail" is here already';
    expect(await moves("mail", { subscriptions: ["team/**"] })).toBe(words);
    expect(await moves("mail", { subscriptions: ["team/news"] }, id("abce"))).toBe(words);
    expect(await moves("mail", {}, id("abcf"))).toBe(words);
    expect(await hears("mail")).toEqual(["team/news"]);
    const luggage = { subscriptions: ["x/**"], sessions: [{ name: "night", subscriptions: ["y"] }] };
    expect(await moves("new", luggage, id("abd0"))).toBeUndefined();
    expect(await hears("new")).toEqual(["x/**"]);
    expect(b.store.read.sessionsOf("new").map(({ name }) => name)).toContain("night");
  });

  it.each([
    "**",
    "*/x",
    "agent/**",
    "session/*",
    "person/dev",
    "program/*",
    "bellhop/**",
    CHAT,
    "telegram/**",
  ])("brings nobody who hears %s", async (pattern) => {
    const { b, moves } = await newHome();
    expect(await moves("spy", { subscriptions: ["team/news", pattern] })).toBe(
      `An agent may not subscribe to ${pattern} here by itself`,
    );
    const sessions = [{ name: "night", subscriptions: [pattern] }];
    expect(await moves("spy", { sessions }, ID.replace("abcd", "abce"))).toMatch(/may not subscribe/u);
    expect(b.store.read.agent("spy")).toBeUndefined();
    expect(b.store.read.subscriptions().map((one) => one.pattern)).toEqual(["team/news"]);
  });

  it("an agent may bring its own address", async () => {
    const { moves } = await newHome();
    expect(await moves("new", { subscriptions: ["agent/new"] })).toBeUndefined();
  });
});

/** Carol of `c` has written to `coder` of `a`, where it waits; `c` lets all others move agents. */
async function waitingOnA() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const carol = c.agent("carol");
  await cluster.ready(["send", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  await cluster.advance();
  const { messageId } = await c.sendAs(carol, "a:coder", "only for a");
  await cluster.advance();
  const says = async (host: string, moved: readonly string[]) => {
    const number = cluster.clock.now() + 1;
    const news = { kind: "news", delivery: `${messageId}.1`, number, state: "cancelled", taken: true, moved };
    cluster.forges(host, "c", [news]);
    await cluster.advance();
    return c.byBody("only for a").map(({ to, state }) => [to, state]);
  };
  return { b, says };
}

describe("a host that says where an agent has moved", () => {
  it("is believed only if the message went to it", async () => {
    const { b, says } = await waitingOnA();
    expect(await says("b", ["agent/coder@b"])).toEqual([["host/a", "delivering"]]);
    expect(b.byBody("only for a")).toEqual([]);
  });

  it.each(["person/dev@b", "session/0a0b0c0d@b", "team/news", "agent/coder@a", "host/b"])(
    "cannot send it to %s",
    async (place) => {
      const { says } = await waitingOnA();
      expect(await says("a", [place])).toEqual([["host/a", "cancelled"]]);
    },
  );

  it("sends it on once, however often it says so", async () => {
    const { b, says } = await waitingOnA();
    await b.done(b.use.agent_add({ name: "coder" }));
    await says("a", ["agent/coder@b"]);
    const twice = await says("a", ["agent/coder@b", "agent/coder@b"]);
    expect(twice.map(([to]) => to)).toEqual(["host/a", "host/b"]);
    expect(b.byBody("only for a")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
  });
});
