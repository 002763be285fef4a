/** The broker over HTTP: who hears what, who would get a message, who wrote to whom, and dead letters. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EverySubscription, RouteTried, Traffic } from "../../src/wire/shapes/broker.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import { declared, refused } from "./http-expectations.ts";
import { AUTH, HttpHarness } from "./http-harness.ts";

const EVERY: EverySubscription = {
  subscriptions: [
    { agent: "api", pattern: "slack/**", addedAt: 5, origin: "asked" },
    { agent: "web", session: "night", pattern: "x/*", addedAt: 6, origin: "declared" },
  ],
  next: "web 08bc57cf x/*",
  listeners: [{ mailbox: "agent/api", owner: "agent/api", hearing: 1, consuming: 0 }],
};
const TRIED: RouteTried = {
  path: "slack/team/#general",
  from: "person/dev",
  recipients: [{ to: "agent/api", owner: "agent/api", why: ['it subscribes to "slack/**"'] }],
  more: 0,
  notes: [],
};
const TRAFFIC: Traffic = {
  until: 9,
  since: 1,
  talks: [{ from: "agent/api", to: "agent/web", messages: 4 }],
  others: { pairs: 1, messages: 2 },
  unmatched: [{ from: "agent/api", messages: 1 }],
};
const LETTER = {
  id: "m",
  shortId: "m7k2q9",
  from: "api",
  path: "x/y",
  command: "message",
  payload: { keptAsItIs: 1 },
  body: "hello",
  status: "pending",
  timestamp: 5,
  source: "internal",
  externalId: null,
  reason: "nobody subscribes to this path",
} as const;
const ANSWERS: Partial<UseCases> = {
  sub_all: async () => EVERY,
  route_try: async () => TRIED,
  traffic: async () => TRAFFIC,
  unmatched: async () => ({ messages: [LETTER] }),
  unmatched_clear: async () => ({ cleared: 2 }),
  unmatched_reroute: async () => ({ rerouted: 1, left: 3 }),
};

let http: HttpHarness;
beforeEach(async () => {
  http = new HttpHarness();
  await http.start(ANSWERS);
});
afterEach(() => http.close());

describe("the broker over HTTP", () => {
  it("lists every subscription, page by page", async () => {
    expect(declared("subscriptions", await http.get("/subscriptions"))).toMatchObject({
      subscriptions: [{ agent: "api", added_at: 5 }, { session: "night" }],
      listeners: [{ hearing: 1 }],
    });
    const after = "web 08bc57cf x/a b/*";
    await http.get(`/subscriptions?limit=3&after=${encodeURIComponent(after)}`);
    expect(http.asked("sub_all")).toEqual([{}, { limit: 3, after }]);
    for (const query of ["after=", "limit=0", "limit=1001", "who=api"])
      refused(await http.get(`/subscriptions?${query}`), 400, "request.malformed");
  });

  it("says who would get a message", async () => {
    const path = encodeURIComponent(TRIED.path);
    expect(declared("tryRoute", await http.get(`/routes/try?path=${path}&from=api`))).toEqual(TRIED);
    expect(http.asked("route_try")).toMatchObject([{ path: TRIED.path, from: "api" }]);
    refused(await http.get("/routes/try"), 400, "request.malformed");
  });

  it("counts who wrote to whom", async () => {
    expect(declared("traffic", await http.get("/traffic?within_ms=900000"))).toEqual(TRAFFIC);
    await http.get("/traffic");
    expect(http.asked("traffic")).toEqual([{ withinMs: 900_000 }, {}]);
    refused(await http.get("/traffic?within_ms=-1"), 400, "request.malformed");
  });

  it("lists dead letters with their payload as it was, sends all again, and deletes them", async () => {
    const listed = declared("deadLetters", await http.get("/unmatched?limit=5"));
    expect(listed).toMatchObject({ messages: [{ short_id: "m7k2q9", payload: { keptAsItIs: 1 } }] });
    expect(http.asked("unmatched")).toEqual([{ limit: 5 }]);
    expect(declared("rerouteAll", await http.post("/unmatched/reroute", undefined))).toEqual({
      rerouted: 1,
      left: 3,
    });
    expect(http.asked("unmatched_reroute")).toEqual([{}]);
    const cleared = await http.ask({ method: "DELETE", path: "/unmatched", headers: AUTH });
    expect(declared("clearDeadLetters", cleared)).toEqual({ cleared: 2 });
  });

  it.each([
    ["POST", "/unmatched/reroute", "unmatched_reroute"],
    ["DELETE", "/unmatched", "unmatched_clear"],
  ] as const)("%s %s needs a token on the socket too", async (method, path, verb) => {
    const headers = { "content-type": "application/json" };
    refused(await http.ask({ method, path, headers, local: true }), 401, "request.unauthorised");
    expect(http.asked(verb)).toEqual([]);
  });
});
