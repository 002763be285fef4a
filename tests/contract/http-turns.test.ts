/** Automatic turns over HTTP, on scripted use-cases: the requests to the office, and every field of the answer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { STANDARD_AUTO_RUN } from "../../src/core/turns/auto-run.ts";
import type { ShownAutoRun, ShownTurn } from "../../src/wire/shapes/turns.ts";
import { declared, refused } from "./http-expectations.ts";
import { AUTH, HttpHarness, JSON_TYPE } from "./http-harness.ts";

let http: HttpHarness;
beforeEach(() => {
  http = new HttpHarness();
});
afterEach(() => http.close());

const TURN: ShownTurn = {
  id: "t4k9p2",
  agent: "night",
  sessionId: "08bc57cf",
  runner: "claude",
  state: "running",
  triggered: true,
  again: false,
  startedAt: 1,
  verdict: "yes",
  because: "it asks",
  usd: 0.5,
  tokensIn: 1,
  tokensOut: 2,
  messages: [{ id: "m", shortId: "m7k2q9", from: "person/dev" }],
  doing: "reads",
};
const SHOWN: ShownAutoRun = {
  values: { ...STANDARD_AUTO_RUN, alwaysAccept: [{ path: "slack/**" }] },
  from: { debounceMs: "config", enabled: "standard" },
  obstacle: "claude is not installed",
};
const put = (path: string, body: unknown, headers: Record<string, string> = AUTH, local = false) => {
  const text = JSON.stringify(body);
  const length = { "content-length": String(Buffer.byteLength(text)) };
  return http.ask({
    method: "PUT",
    path,
    headers: { ...headers, ...JSON_TYPE, ...length },
    body: text,
    local,
  });
};

describe("automatic turns over HTTP", () => {
  it("lists them, and shows one", async () => {
    const budget = { agent: "night", turnsThisHour: 1, turnsPerHour: 2, turnsToday: 3, turnsPerDay: 4 };
    await http.start({
      turns: async () => ({
        switch: { off: true, since: 5, by: "person/dev" },
        turns: [TURN],
        budgets: [{ ...budget, usdToday: 0.5, usdPerDay: 10, until: 9 }],
        waiting: [{ agent: "night", messages: 2, release: "later" }],
      }),
      turn_show: async () => TURN,
    });
    const all = declared("turns", await http.get("/turns?agent=night&session=main&limit=5"));
    expect(all).toMatchObject({
      turns: [{ session_id: "08bc57cf", tokens_in: 1 }],
      waiting: [{ messages: 2 }],
    });
    expect(http.asked("turns")).toEqual([{ agent: "night", session: "main", limit: 5 }]);
    expect(declared("turn", await http.get("/turns/t4k9p2"))).toMatchObject({ id: "t4k9p2", doing: "reads" });
    expect(http.asked("turn_show")).toEqual([{ id: "t4k9p2" }]);
  });

  it("does not know a turn that is not there", async () => {
    await http.start({
      turn_show: async () => {
        throw new BellhopError("turn.unknown", { message: "No.", next: "Look." });
      },
    });
    refused(await http.get("/turns/gone"), 404, "turn.unknown");
  });

  it("stops and starts them all", async () => {
    await http.start({ turns_switch: async ({ on }) => ({ off: !on, stopped: 2 }) });
    expect(declared("switchTurns", await put("/turns/switch", { on: false }))).toEqual({
      off: true,
      stopped: 2,
    });
    expect(http.asked("turns_switch")).toMatchObject([{ on: false }]);
    refused(await put("/turns/switch", {}), 400, "request.malformed");
  });

  it("starts one, with texts or about what waits", async () => {
    await http.start({
      turn_trigger: async ({ agent }) => ({ agent, sessionId: "08bc57cf", messages: ["m"] }),
    });
    const started = await http.post("/agents/night/turns", { session: "main", messages: ["look"] });
    expect(declared("triggerTurn", started)).toEqual({
      agent: "night",
      session_id: "08bc57cf",
      messages: ["m"],
    });
    await http.post("/agents/night/turns", { session: null });
    expect(http.asked("turn_trigger")).toMatchObject([
      { agent: "night", session: "main", messages: ["look"] },
      { agent: "night" },
    ]);
    refused(await http.post("/agents/night/turns", { messages: [""] }), 400, "message.empty");
  });

  it("shows and says how they go, in snake_case", async () => {
    await http.start({ auto_run_show: async () => SHOWN, auto_run_set: async () => SHOWN });
    expect(declared("autoRun", await http.get("/agents/night/auto-run?session=main"))).toMatchObject({
      values: { debounce_ms: 3_000, always_accept: [{ path: "slack/**" }] },
      from: { debounce_ms: "config" },
    });
    const words = { enabled: true, deadline_ms: 90_000, always_reject: [{ text: "x" }] };
    declared("setAutoRun", await put("/agents/night/auto-run?session=main", { auto_run: words }));
    for (const said of [true, false, null]) await put("/agents/night/auto-run", { auto_run: said });
    expect(http.asked("auto_run_set")).toEqual([
      {
        agent: "night",
        session: "main",
        autoRun: { enabled: true, deadlineMs: 90_000, alwaysReject: [{ text: "x" }] },
      },
      ...[true, false, null].map((autoRun) => ({ agent: "night", autoRun })),
    ]);
    for (const said of [{ deadlineMs: 1_000 }, { deadline_ms: 1 }, { always_accept: [{}] }, "on"])
      refused(await put("/agents/night/auto-run", { auto_run: said }), 400, "request.malformed");
  });

  it("pages through a conversation", async () => {
    const entry = {
      type: "auto-turn",
      turnId: "t",
      sessionId: "s",
      at: 1,
      text: "x",
      messages: ["m"],
    } as const;
    await http.start({ conversation: async () => ({ entries: [entry], before: 7 }) });
    const page = await http.get("/agents/night/conversation?session=main&limit=1&before=9");
    expect(declared("conversation", page)).toMatchObject({ entries: [{ turn_id: "t" }], before: 7 });
    expect(http.asked("conversation")).toEqual([{ agent: "night", session: "main", limit: 1, before: 9 }]);
  });

  it("lets nobody without a token start or steer them, not even on the socket", async () => {
    await http.start({});
    for (const [path, body] of [
      ["/turns/switch", { on: true }],
      ["/agents/night/auto-run", { auto_run: true }],
    ] as const)
      expect((await put(path, body, {}, true)).status).toBe(401);
    const trigger = { method: "POST", path: "/agents/night/turns", headers: JSON_TYPE, local: true } as const;
    expect((await http.ask({ ...trigger, body: "{}" })).status).toBe(401);
    expect(http.script.asked).toEqual([]);
  });
});
