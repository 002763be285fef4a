/** The other endpoints over scripted use-cases: the requests to the office, and every field of the answer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { declared, refused, SEND, SHOWN_HOLD } from "./http-expectations.ts";
import { AGENT_TOKEN, AUTH, HttpHarness, JSON_TYPE } from "./http-harness.ts";
import {
  SAMPLE_HOLD,
  SAMPLE_IDS,
  sampleAnswers,
  sampleQueued,
  sampleReminder,
  sampleSession,
} from "./scripted-use-cases.ts";

let http: HttpHarness;

beforeEach(() => {
  http = new HttpHarness();
});
afterEach(() => http.close());

describe("GET /sessions/{session_id}/send-queue", () => {
  it("shows what waits, in the order in which it goes out", async () => {
    const deliveries = [
      sampleQueued({ id: "d0", state: "delivering" }),
      sampleQueued({ timeoutAt: Date.UTC(2024, 0, 15, 10, 5), hold: SAMPLE_HOLD }),
      sampleQueued({ messageId: "second", from: "person/dev", priority: "normal" }),
      sampleQueued({ messageId: "third", from: "slack/team/#general", priority: "idle-first" }),
      sampleQueued({ messageId: "fourth", priority: "interrupt" }),
    ];
    await http.start({ session: async () => sampleSession({ deliveries }) });
    const answer = await http.get("/sessions/api/send-queue");
    const queuedAt = { queued_at: "2024-01-15T10:00:00.000Z", timeout_at: null };
    expect(declared("sendQueue", answer)).toEqual({
      session_id: SAMPLE_IDS.session,
      is_idle: false,
      pending_count: 4,
      pending_messages: [
        {
          id: SAMPLE_IDS.message,
          sender: "architect",
          queued_at: "2024-01-15T10:00:00.000Z",
          timeout_at: "2024-01-15T10:05:00.000Z",
          delivery_mode: "sequential",
          hold: SHOWN_HOLD,
        },
        { id: "second", sender: "dev", ...queuedAt, delivery_mode: "important" },
        { id: "third", sender: "slack/team/#general", ...queuedAt, delivery_mode: "idle-first" },
        { id: "fourth", sender: "architect", ...queuedAt, delivery_mode: "urgent" },
      ],
      saved_user_input: null,
    });
    expect(http.asked("session")).toEqual([{ who: "api" }]);
  });

  it("shows what a person had typed, and calls an agent without a program by its name", async () => {
    const draft = { id: "d1", sessionId: "08bc57cf", agent: "api", exact: true, state: "kept" };
    const drafts = [
      { ...draft, text: "older", keptAt: 1 },
      { ...draft, text: "I am typing something", keptAt: 2 },
    ];
    const { sessionId: _, ...offline } = sampleSession({ readiness: "idle", deliveries: [], drafts });
    await http.start({ session: async () => offline });
    expect(declared("sendQueue", await http.get("/sessions/api/send-queue"))).toEqual({
      session_id: "api",
      is_idle: true,
      pending_count: 0,
      pending_messages: [],
      saved_user_input: "I am typing something",
    });
  });
});

describe("the scheduler", () => {
  const REMIND = "/scheduler/remind";

  it("schedules a reminder to oneself", async () => {
    await http.start(sampleAnswers());
    const answer = await http.post(REMIND, {
      session_id: SAMPLE_IDS.session,
      delay_seconds: 300,
      message: "check on engineer",
    });
    expect(declared("remind", answer)).toEqual({
      status: "scheduled",
      reminder_id: "r4k9",
      session_id: SAMPLE_IDS.session,
      set_by: "agent/api",
      fire_at: "2024-01-15T10:00:00.000Z",
      message: "check on engineer",
    });
    expect(http.asked("remind")).toEqual([
      {
        text: "check on engineer",
        to: SAMPLE_IDS.session,
        from: SAMPLE_IDS.session,
        afterMs: 300_000,
        claims: { user: "dev" },
      },
    ]);
  });

  it.each<[object, object]>([
    [{ every_seconds: 1_800 }, { everyMs: 1_800_000 }],
    [{ cron: "0 9 * * 1-5" }, { cron: "0 9 * * 1-5" }],
    [{ at: "2030-01-07T09:00:00Z" }, { at: Date.UTC(2030, 0, 7, 9) }],
    [{ at: "2030-01-07T09:00:00.5+02:00" }, { at: Date.UTC(2030, 0, 7, 7, 0, 0, 500) }],
    [{ at: null, cron: null, delay_seconds: 0 }, { afterMs: 0 }],
  ])("understands %j", async (when, request) => {
    await http.start(sampleAnswers());
    expect((await http.post(REMIND, { session_id: "api", message: "x", ...when })).status).toBe(200);
    const [{ text: _text, to: _to, from: _from, claims: _claims, ...rest } = {}] = http.asked("remind");
    expect(rest).toEqual(request);
  });

  it("by an agent's name is told which session that is now, and who set it, if another does", async () => {
    const { sessionId: _, ...byName } = sampleReminder({ setBy: "person/dev" });
    await http.start({ ...sampleAnswers(), remind: async () => byName });
    const body = { session_id: "api", message: "x", delay_seconds: 1, set_by: "person/dev" };
    expect(declared("remind", await http.post(REMIND, body))).toMatchObject({
      session_id: SAMPLE_IDS.session,
      set_by: "person/dev",
    });
    expect(http.asked("remind")).toMatchObject([{ to: "api", from: "person/dev" }]);
  });

  it("by the name of an agent without a program answers that name", async () => {
    const { sessionId: _, ...byName } = sampleReminder();
    const { sessionId: __, ...mailbox } = sampleSession();
    await http.start({ ...sampleAnswers(), remind: async () => byName, session: async () => mailbox });
    const body = { session_id: "api", message: "x", delay_seconds: 1 };
    expect(declared("remind", await http.post(REMIND, body))).toMatchObject({ session_id: "api" });
  });

  it("is scheduled once by a key, in a header or in the body", async () => {
    await http.start(sampleAnswers());
    const body = { session_id: "api", message: "x", delay_seconds: 1 };
    const headers = { ...AUTH, ...JSON_TYPE, "idempotency-key": "k 1" };
    expect((await http.post(REMIND, body, { headers, body: JSON.stringify(body) })).status).toBe(200);
    expect((await http.post(REMIND, { ...body, idempotency_key: "k 1" })).status).toBe(200);
    expect(http.asked("remind").map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k 1", "k 1"]);
  });

  it("lists reminders with their times in milliseconds, and cancels one", async () => {
    await http.start(sampleAnswers());
    expect(declared("reminders", await http.get("/scheduler/reminders"))).toEqual({
      reminders: [
        {
          id: "r4k9",
          to: "agent/api",
          session_id: SAMPLE_IDS.session,
          text: "check on engineer",
          set_by: "agent/api",
          due_at: 1_705_312_800_000,
          every_ms: 60_000,
          created_at: 1_705_312_500_000,
          fired: 0,
        },
      ],
    });
    const cancel = (body?: string, headers = {}) =>
      http.ask({
        method: "DELETE",
        path: "/scheduler/reminders/r4k9",
        headers: { ...AUTH, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    expect(declared("cancelReminder", await cancel())).toMatchObject({ id: "r4k9", cron: "0 9 * * 1-5" });
    expect((await cancel("{}", { ...JSON_TYPE, "content-length": "2" })).status).toBe(200);
    expect((await cancel(undefined, JSON_TYPE)).status).toBe(200);
    expect(http.script.asked.at(-1)).toEqual({ verb: "reminder_cancel", request: { id: "r4k9" } });
    refused(await cancel('{"all":1}', { ...JSON_TYPE, "content-length": "9" }), 400, "request.malformed");
    refused(await cancel("{}", { "content-length": "2" }), 415, "request.malformed");
  });

  it("does not know a reminder that is not there", async () => {
    await http.start({
      reminder_cancel: async () => {
        throw new BellhopError("reminder.unknown", { message: "No.", next: "Look." });
      },
    });
    const path = "/scheduler/reminders/gone";
    refused(await http.ask({ method: "DELETE", path, headers: AUTH }), 404, "reminder.unknown");
  });
});

describe("an agent with a token of its own", () => {
  const asAgent = (path: string, body: object) =>
    http.post(path, body, {
      headers: { authorization: `Bearer ${AGENT_TOKEN}`, ...JSON_TYPE },
      body: JSON.stringify(body),
    });

  it("speaks for itself, and says whom it wanted to speak for", async () => {
    const others = [sampleQueued({ id: "other.1" }), sampleQueued()];
    await http.start({ ...sampleAnswers(), session: async () => sampleSession({ deliveries: others }) });
    const answer = await asAgent("/sessions/agent%2Fweb/send", { text: "x" });
    expect(declared("send", answer)).toMatchObject({ queue_position: 2 });
    await asAgent("/sessions/web/send", { text: "x", sender_session_id: "web" });
    expect(http.asked("send").map(({ claims, from }) => ({ claims, from }))).toEqual([
      { claims: { user: "dev", agent: "api" } },
      { claims: { user: "dev", agent: "api" }, from: "web" },
    ]);
  });

  it("sets reminders in its own name", async () => {
    await http.start(sampleAnswers());
    await asAgent("/scheduler/remind", { session_id: "web", delay_seconds: 1, message: "x" });
    expect(http.asked("remind")).toEqual([
      { text: "x", to: "web", afterMs: 1_000, claims: { user: "dev", agent: "api" } },
    ]);
  });
});

describe("looking things up", () => {
  it("lists sessions", async () => {
    await http.start(sampleAnswers());
    expect(declared("sessions", await http.get("/sessions"))).toEqual({
      sessions: [
        {
          id: SAMPLE_IDS.session,
          agent: "api",
          label: "work:0.0",
          program: "claude",
          terminal: { kind: "tmux", server: "/tmp/tmux", pane: "%0" },
          readiness: "idle",
          queued: 0,
          headline: "tidy the imports",
        },
      ],
    });
  });

  it("shows a message with its payload as it was sent", async () => {
    await http.start(sampleAnswers());
    expect(declared("message", await http.get("/messages/m7k2q9"))).toMatchObject({
      message: { short_id: "m7k2q9", created_at: 1_705_312_800_000, payload: { keptAsItIs: true } },
      deliveries: [{ queued_at: 1_705_312_800_000, receipts: [{ at: 1_705_312_800_000 }] }],
    });
    expect(http.script.asked).toEqual([{ verb: "show", request: { id: "m7k2q9" } }]);
    expect(declared("explain", await http.get("/messages/%23m7k2q9/explain"))).toMatchObject({
      message_id: SAMPLE_IDS.message,
      deliveries: [{ because: ["It is held."] }],
    });
    expect(http.script.asked.at(-1)?.request).toEqual({ id: "#m7k2q9" });
  });

  it("shows the history within limits", async () => {
    await http.start(sampleAnswers());
    const path = "/sessions/api/history";
    expect(declared("history", await http.get(path))).toMatchObject({
      entries: [{ message: { id: SAMPLE_IDS.message }, delivery: { state: "queued" } }],
    });
    await http.get(`${path}?limit=1000&from_time=0&to_time=8640000000000000`);
    expect(http.asked("history")).toEqual([
      { who: "api" },
      { who: "api", limit: 1_000, fromTime: 0, toTime: 8_640_000_000_000_000 },
    ]);
    for (const query of [
      "limit=0",
      "limit=1001",
      "limit=",
      "limit=1e2",
      "limit=0x10",
      "limit=%201",
      "limit=-1",
      "limit=1.5",
      "limit=1&limit=2",
      "from_time=8640000000000001",
      "from_time=99999999999999999999",
      "since=1",
      "__proto__=1",
    ])
      refused(await http.get(`${path}?${query}`), 400, "request.malformed");
    expect(http.asked("history").length).toBe(2);
  });

  it("tells how the daemon stands", async () => {
    await http.start(sampleAnswers());
    expect(declared("status", await http.get("/status"))).toMatchObject({
      running: true,
      token_file: "/home/dev/.bellhop/token",
      started_at: 1_705_312_800_000,
    });
  });

  it("describes itself, the same each time", async () => {
    await http.start(sampleAnswers());
    const first = await http.get("/openapi.json");
    declared("openapi", first);
    expect((await http.get("/openapi.json")).text).toBe(first.text);
    expect((await http.ask({ path: "/openapi.json" })).status).toBe(401);
  });

  it("answers on the Unix socket alike, without a token", async () => {
    await http.start(sampleAnswers());
    const post = { method: "POST", headers: JSON_TYPE, local: true } as const;
    const sent = await http.ask({ ...post, path: SEND, body: '{"text":"x"}' });
    expect(declared("send", sent)).toMatchObject({ status: "queued" });
    expect(declared("sessions", await http.ask({ path: "/sessions", local: true }))).toBeDefined();
  });
});

describe("a path", () => {
  it("may hold anything that is a word for somebody", async () => {
    await http.start(sampleAnswers());
    for (const word of ["work:0.1", "Web API", "agent/api", "ü", "a".repeat(1_000), "%"]) {
      expect((await http.get(`/sessions/${encodeURIComponent(word)}/send-queue`)).status).toBe(200);
      expect(http.asked("session").at(-1)).toEqual({ who: word });
    }
  });

  it.each<[string, number]>([
    [`/sessions/${"a".repeat(1_025)}/send-queue`, 400],
    [`/messages/${"a".repeat(129)}`, 400],
    [`/sessions/${"a".repeat(10_000)}/send-queue`, 400],
    ["/sessions//send-queue", 400],
    ["/sessions/a/b/send-queue", 404],
    ["/sessions/", 404],
    ["/Sessions", 404],
    ["/sessions/%ff/send-queue", 400],
    ["/sessions/%/send-queue", 400],
    ["//sessions", 404],
    ["/../sessions", 404],
    ["/openapi.json/", 404],
  ])("%s is refused with %i", async (path, status) => {
    await http.start(sampleAnswers());
    refused(await http.get(path), status, "request.malformed");
    expect(http.script.asked).toEqual([]);
  });
});
