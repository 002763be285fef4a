import { describe, expect, it } from "vitest";
import { parsePattern } from "./pattern.ts";
import type { RoutedDelivery } from "./route.ts";
import { type Ears, whyItHears } from "./why.ts";

const ears: Ears = {
  placesOf: (agent) => (agent === "child" ? ["agent/parent/child"] : []),
  subscriptionsOf: (agent) =>
    agent === "api" ? ["slack/**", "slack/team/*", "*/team/x", "**/x", "mail/*"] : [],
  subscriptionsOfSession: () => ["slack/**"],
  nameOf: (session) => `named-${session}`,
};
const agent = (name: string): RoutedDelivery => ({
  kind: "agent",
  to: `agent/${name}`,
  agent: name,
  handled: false,
});
const session: RoutedDelivery = { kind: "session", to: "session/s1", agent: "api", session: "s1" };
const why = (delivery: RoutedDelivery, path: string) => whyItHears(delivery, parsePattern(path), ears);

describe("why somebody hears a path", () => {
  it.each([
    ["its own address", agent("web"), "agent/web", ["it is its own address"]],
    ["its place", agent("child"), "agent/parent/child", ["it is its place under the agent that started it"]],
    ["a broadcast", agent("web"), "agent/**", ["the path matches its own address"]],
    ["a subtree", agent("child"), "agent/parent/*", ["the path matches its place agent/parent/child"]],
    ["a subscription", agent("api"), "mail/ada", ['it subscribes to "mail/*"']],
    ["a session's", session, "slack/other", ['the session subscribes to "slack/**"']],
    ["a session's address", session, "session/s1", ["it is this session's address"]],
    [
      "a person",
      { kind: "person", to: "person/dev" } as const,
      "person/dev",
      ["it is this person's address"],
    ],
    [
      "a bridge",
      { kind: "outlet", to: "bridge/slack" } as const,
      "slack/a/#b",
      ["a bridge takes it outside"],
    ],
  ])("names %s", (_, delivery, path, reasons) => {
    expect(why(delivery, path)).toEqual(reasons);
  });

  it("names three subscriptions, and how many more there are", () => {
    expect(why(agent("api"), "slack/team/x")).toEqual([
      'it subscribes to "slack/**", "slack/team/*", "*/team/x" and 1 more',
    ]);
  });

  it("says that a copy is only there to be received", () => {
    const handledBy = [{ agentId: "web", sessionId: "s1" }];
    expect(
      why({ kind: "agent", to: "agent/web", agent: "web", handled: true, handledBy }, "slack/x"),
    ).toEqual(["its session named-s1 got it: this copy is only there to be received"]);
  });

  it("never says nothing", () => {
    expect(why(agent("web"), "slack/x")).toEqual(["it heard this path a moment ago"]);
  });
});
