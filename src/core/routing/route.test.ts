import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Source } from "../message.ts";
import { parsePattern, subscriptionMatches } from "./pattern.ts";
import { type Decision, type RouteView, route, type Subscriber } from "./route.ts";

const SESSIONS: Readonly<Record<string, string>> = {
  aaaa0001: "researcher",
  aaaa0002: "researcher",
  bbbb0001: "writer",
};
const AGENTS = ["researcher", "writer", "coder"];

type Subscriptions = readonly (readonly [pattern: string, who: string])[];

/** `who` is an agent's name or a session's id. Every agent has its own address. */
function view(custom: Subscriptions = []): RouteView {
  const all = [...AGENTS.map((name) => [`agent/${name}`, name] as const), ...custom];
  return {
    subscribersOf: ({ text }) =>
      all.filter(([pattern]) => subscriptionMatches(pattern, text)).map(([, who]) => subscriberOf(who)),
    knows: (address) => address.startsWith("person/") || AGENTS.some((name) => address === `agent/${name}`),
    descendantAt: (address) => (address === "agent/writer/coder" ? "coder" : undefined),
    agentOf: (session) => SESSIONS[session],
  };
}

function subscriberOf(who: string): Subscriber {
  const agent = SESSIONS[who];
  return agent === undefined ? { kind: "agent", name: who } : { kind: "session", agent, session: who };
}

function sent(from: string, path: string, to: RouteView, source: Source = "agent"): Decision {
  return route({ from, path: parsePattern(path), source }, to);
}

/** `agent/x!` is a copy that a session handled. */
function recipients(decision: Decision): readonly string[] {
  if (decision.kind === "unmatched") return [decision.reason];
  return decision.deliveries.map((delivery) =>
    delivery.kind === "agent" && delivery.handled ? `${delivery.to}!` : delivery.to,
  );
}

describe("the delivery flow", () => {
  it("1: takes the path without slashes at its ends", () => {
    expect(recipients(sent("agent/writer", "/agent/researcher/", view()))).toEqual(["agent/researcher"]);
  });

  it("3a: finds an agent by its own address, and every agent by a pattern of it", () => {
    expect(recipients(sent("person/dev", "agent/coder", view(), "person"))).toEqual(["agent/coder"]);
    expect(recipients(sent("person/dev", "agent/**", view(), "person"))).toEqual([
      "agent/coder",
      "agent/researcher",
      "agent/writer",
    ]);
  });

  it("3b: finds agents by what they subscribe to, in order of their names", () => {
    const to = view([
      ["slack/**", "writer"],
      ["slack/team/#general", "coder"],
      ["slack/team/#other", "researcher"],
    ]);
    expect(recipients(sent("slack/bridge", "slack/team/#general", to, "bridge"))).toEqual([
      "agent/coder",
      "agent/writer",
    ]);
  });

  it("3c, 3d: finds sessions, and their agents with them", () => {
    const to = view([
      ["slack/team/#general", "bbbb0001"],
      ["slack/*/*", "aaaa0002"],
      ["slack/**", "aaaa0001"],
    ]);
    expect(sent("slack/bridge", "slack/team/#general", to, "bridge")).toEqual({
      kind: "deliver",
      deliveries: [
        { kind: "session", to: "session/aaaa0001", agent: "researcher", session: "aaaa0001" },
        { kind: "session", to: "session/aaaa0002", agent: "researcher", session: "aaaa0002" },
        { kind: "session", to: "session/bbbb0001", agent: "writer", session: "bbbb0001" },
        {
          kind: "agent",
          to: "agent/researcher",
          agent: "researcher",
          handled: true,
          handledBy: [
            { agentId: "researcher", sessionId: "aaaa0001" },
            { agentId: "researcher", sessionId: "aaaa0002" },
          ],
        },
        {
          kind: "agent",
          to: "agent/writer",
          agent: "writer",
          handled: true,
          handledBy: [{ agentId: "writer", sessionId: "bbbb0001" }],
        },
      ],
    });
  });

  it("finds an agent by its place under the one that started it, also when it writes there itself", () => {
    expect(recipients(sent("person/dev", "agent/writer/coder", view(), "person"))).toEqual(["agent/coder"]);
    expect(recipients(sent("agent/coder", "agent/writer/coder", view()))).toEqual(["agent/coder"]);
    expect(recipients(sent("agent/coder", "agent/researcher/coder", view()))).toEqual([
      "nobody subscribes to this path",
    ]);
  });

  it("3e: leaves the sender and its sessions out of what it sends to agents", () => {
    const to = view([
      ["agent/**", "aaaa0001"],
      ["agent/*", "researcher"],
    ]);
    expect(recipients(sent("agent/researcher", "agent/**", to))).toEqual(["agent/coder", "agent/writer"]);
    expect(recipients(sent("session/aaaa0002", "agent/**", to))).toEqual(["agent/coder", "agent/writer"]);
    expect(recipients(sent("agent/researcher", "agent/writer", to))).toEqual(["agent/writer"]);
  });

  it("4: says why nobody gets it", () => {
    const to = view([["team/**", "writer"]]);
    expect(sent("agent/writer", "custom/path", to)).toEqual({
      kind: "unmatched",
      reason: "nobody subscribes to this path",
    });
    expect(recipients(sent("agent/writer", "agent/ghost", to))).toEqual(["nobody has this address"]);
    expect(recipients(sent("agent/writer", "session/ffff0000", to))).toEqual(["nobody has this address"]);
    expect(recipients(sent("agent/writer", "session/*", to))).toEqual(["nobody subscribes to this path"]);
    expect(recipients(sent("agent/writer", "agent/*/x", to))).toEqual(["nobody subscribes to this path"]);
  });

  it("4: says when nobody but the sender would have heard it", () => {
    const to = view([["agent/team/**", "writer"]]);
    expect(recipients(sent("agent/writer", "agent/team/all", to))).toEqual([
      "only its own sender subscribes to this path",
    ]);
  });

  it("5, 6: sessions come before agents; an agent without a session that matched has handled it nowhere", () => {
    const to = view([
      ["news/**", "coder"],
      ["news/**", "bbbb0001"],
    ]);
    expect(recipients(sent("person/dev", "news/today", to, "person"))).toEqual([
      "session/bbbb0001",
      "agent/coder",
      "agent/writer!",
    ]);
    expect(sent("person/dev", "news/today", to, "person")).toMatchObject({
      deliveries: [{}, { agent: "coder", handled: false }, { agent: "writer", handled: true }],
    });
  });
});

describe("route", () => {
  it("lets an agent write to itself", () => {
    expect(recipients(sent("agent/writer", "agent/writer", view()))).toEqual(["agent/writer"]);
    expect(recipients(sent("session/bbbb0001", "agent/writer", view()))).toEqual(["agent/writer"]);
    expect(recipients(sent("agent/writer", "agent/writer", view([["agent/writer", "bbbb0001"]])))).toEqual([
      "session/bbbb0001",
      "agent/writer!",
    ]);
  });

  it("lets an agent hear what it says on a path of no agent", () => {
    expect(recipients(sent("agent/writer", "team/news", view([["team/**", "writer"]])))).toEqual([
      "agent/writer",
    ]);
  });

  it("takes a pattern that begins with a wildcard for a broadcast", () => {
    const to = view([["team/news", "writer"]]);
    expect(recipients(sent("agent/writer", "**", to))).toEqual(["agent/coder", "agent/researcher"]);
    expect(recipients(sent("agent/writer", "*/writer", to))).toEqual([
      "only its own sender subscribes to this path",
    ]);
  });

  it("leaves no agent out for a person, who has no subscriptions", () => {
    expect(recipients(sent("person/writer", "agent/*", view(), "person"))).toContain("agent/writer");
  });

  it("reports nobody twice", () => {
    const to = view([
      ["**", "coder"],
      ["agent/*", "coder"],
      ["agent/coder", "coder"],
    ]);
    expect(recipients(sent("person/dev", "agent/coder", to, "person"))).toEqual(["agent/coder"]);
  });

  it("gives a message to a session to that session alone", () => {
    expect(sent("agent/writer", "session/aaaa0001", view())).toEqual({
      kind: "deliver",
      deliveries: [{ kind: "session", to: "session/aaaa0001", agent: "researcher", session: "aaaa0001" }],
    });
    expect(recipients(sent("session/aaaa0001", "session/aaaa0001", view()))).toEqual(["session/aaaa0001"]);
  });

  it("marks the agent's copy as handled when it hears what goes to its session", () => {
    expect(recipients(sent("agent/writer", "session/aaaa0001", view([["**", "researcher"]])))).toEqual([
      "session/aaaa0001",
      "agent/researcher!",
    ]);
  });

  it("gives a message to a person to that person, and to who subscribes to it", () => {
    expect(sent("agent/writer", "person/dev", view())).toEqual({
      kind: "deliver",
      deliveries: [{ kind: "person", to: "person/dev" }],
    });
    expect(recipients(sent("agent/writer", "person/dev", view([["person/*", "coder"]])))).toEqual([
      "agent/coder",
      "person/dev",
    ]);
    expect(recipients(sent("agent/writer", "person/*", view()))).toEqual(["nobody subscribes to this path"]);
  });
});

describe("paths that lead out", () => {
  const outside: readonly Source[] = ["bridge", "webhook"];
  const to = view([["slack/**", "coder"]]);

  it.each(outside)("are heard by subscribers: from %s", (source) => {
    expect(recipients(sent("slack/team/@ann", "slack/team/#general", to, source))).toEqual(["agent/coder"]);
    expect(recipients(sent("slack/team/@ann", "email/a/b", to, source))).toEqual([
      "nobody subscribes to this path",
    ]);
  });

  it("may hold wildcards", () => {
    expect(recipients(sent("agent/writer", "slack/**", to))).toEqual(["agent/coder"]);
  });

  it("are nothing but paths: a longer word is another", () => {
    expect(recipients(sent("agent/writer", "slack", to))).toEqual(["agent/coder"]);
    expect(recipients(sent("agent/writer", "slackers/x", to))).toEqual(["nobody subscribes to this path"]);
  });

  it("are heard by subscribers, and never by a sender from inside", () => {
    const without = view([
      ["slack/**", "coder"],
      ["slack/**", "writer"],
      ["slack/**", "bbbb0001"],
    ]);
    expect(recipients(sent("agent/writer", "slack/team/#general", without))).toEqual(["agent/coder"]);
    expect(recipients(sent("slack/team/@ann", "slack/team/#general", without, "bridge"))).toEqual([
      "session/bbbb0001",
      "agent/coder",
      "agent/writer!",
    ]);
  });
});

describe("whatever is routed", () => {
  const segment = fc.constantFrom(
    "agent",
    "session",
    "slack",
    ...AGENTS,
    ...Object.keys(SESSIONS),
    "*",
    "**",
  );
  const path = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .filter((segments) => segments.filter((one) => one === "**").length <= 2)
    .map((segments) => segments.join("/"));
  const broadcast = fc.constantFrom("agent/**", "agent/*", "agent/*/**", "**", "**/*");
  const who = fc.constantFrom(...AGENTS, ...Object.keys(SESSIONS));
  const subscriptions = fc.array(fc.tuple(path, who), { maxLength: 12 });
  const sender = fc.constantFrom(...AGENTS.map((name) => `agent/${name}`), "session/aaaa0001", "person/dev");
  const source = fc.constantFrom<Source>("agent", "person", "script", "bellhop", "bridge", "webhook");

  it("no sender is in its own broadcast, nor any of its sessions", () => {
    fc.assert(
      fc.property(subscriptions, fc.constantFrom(...AGENTS), broadcast, (custom, name, to) => {
        const decision = sent(`agent/${name}`, to, view(custom));
        if (decision.kind === "unmatched") return;
        for (const delivery of decision.deliveries) expect(delivery).not.toMatchObject({ agent: name });
      }),
    );
  });

  it("every matched session's agent is in, handled if and only if one of its sessions is", () => {
    fc.assert(
      fc.property(subscriptions, sender, path, source, (custom, from, to, by) => {
        const decision = sent(from, to, view(custom), by);
        const deliveries = decision.kind === "deliver" ? decision.deliveries : [];
        const handlers = deliveries.flatMap((one) => (one.kind === "session" ? [one] : []));
        const agents = deliveries.flatMap((one) => (one.kind === "agent" ? [one] : []));
        for (const { agent, session } of handlers) {
          const meant = to === `session/${session}`;
          if (!meant) expect(agents.map((copy) => copy.agent)).toContain(agent);
        }
        for (const copy of agents) {
          const own = handlers.filter(({ agent }) => agent === copy.agent).map(({ session }) => session);
          expect(copy.handled).toBe(own.length > 0);
          if (copy.handled) expect(copy.handledBy.map(({ sessionId }) => sessionId)).toEqual(own);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("it reaches exactly who matches or is meant, each once, and never by the order of subscriptions", () => {
    fc.assert(
      fc.property(subscriptions, sender, path, source, (custom, from, to, by) => {
        const decision = sent(from, to, view(custom), by);
        const mailboxes = decision.kind === "deliver" ? decision.deliveries.map((one) => one.to) : [];
        expect(new Set(mailboxes).size).toBe(mailboxes.length);
        expect(sent(from, to, view(custom.toReversed()), by)).toEqual(decision);
        expect(decision.kind === "deliver").toBe(mailboxes.length > 0);
        const self = from === "session/aaaa0001" ? "researcher" : from.replace(/^.*\//, "");
        const expected = new Set<string>();
        for (const [pattern, name] of [...AGENTS.map((one) => [`agent/${one}`, one] as const), ...custom]) {
          const agent = SESSIONS[name] ?? name;
          const isBroadcast = /^(agent\/|\*)/.test(to) && to !== `agent/${self}`;
          const isEcho = /^slack(\/|$)/.test(to) && by !== "bridge" && by !== "webhook";
          if (!subscriptionMatches(pattern, to) || (agent === self && (isBroadcast || isEcho))) continue;
          expected.add(`agent/${agent}`);
          if (agent !== name) expected.add(`session/${name}`);
        }
        if (SESSIONS[to.replace("session/", "")] !== undefined && to.startsWith("session/")) expected.add(to);
        expect(new Set(mailboxes)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
