/** `POST /sessions/{session_id}/send` over scripted use-cases: the requests to the office, and every field of the answer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { HOLD_REASONS, LIMITS } from "../../src/core/message.ts";
import { DELIVERY_MODES } from "../../src/wire/http/fields.ts";
import { declared, refused, SEND, SHOWN_HOLD } from "./http-expectations.ts";
import { AUTH, HttpHarness, JSON_TYPE } from "./http-harness.ts";
import {
  SAMPLE_HOLD,
  SAMPLE_IDS,
  sampleAnswers,
  sampleQueued,
  sampleSession,
  sampleShow,
} from "./scripted-use-cases.ts";

let http: HttpHarness;

beforeEach(() => {
  http = new HttpHarness();
});
afterEach(() => http.close());

describe("POST /sessions/{session_id}/send", () => {
  it("answers with where the message stands and what it waits for", async () => {
    const others = [sampleQueued({ id: "other.1" }), sampleQueued()];
    await http.start({ ...sampleAnswers(), session: async () => sampleSession({ deliveries: others }) });
    const answer = await http.post(SEND, { text: "message content" });
    expect(declared("send", answer)).toEqual({
      status: "queued",
      state: "queued",
      queue_position: 2,
      delivery_mode: "sequential",
      estimated_delivery: "waiting_for_idle",
      message_id: SAMPLE_IDS.message,
      short_id: SAMPLE_IDS.shortId,
      hold: SHOWN_HOLD,
    });
    expect(http.asked("send")).toEqual([
      { to: "api", body: "message content", priority: "sequential", claims: { user: "dev" } },
    ]);
    expect(http.asked("verdict")).toEqual([{ id: SAMPLE_IDS.message, timeoutMs: 300 }]);
  });

  it("hands over every field", async () => {
    await http.start(sampleAnswers());
    await http.post("/sessions/08bc57cf/send", {
      text: "message content",
      sender_session_id: "abc123",
      delivery_mode: "important",
      timeout_seconds: 300,
      notify_on_delivery: true,
      notify_after_seconds: 0.25,
      any_way_in: true,
      idempotency_key: "k1",
    });
    expect(http.asked("send")).toEqual([
      {
        to: "08bc57cf",
        body: "message content",
        from: "abc123",
        priority: "important",
        timeoutMs: 300_000,
        notifyOnDelivery: true,
        notifyAfterMs: 250,
        anyWayIn: true,
        idempotencyKey: "k1",
        claims: { user: "dev" },
      },
    ]);
  });

  it("stamps a sender's session that nobody knows as it is, and takes a name for nobody's", async () => {
    const session = async () => {
      throw new BellhopError("recipient.unknown", { message: "No.", next: "Look." });
    };
    await http.start({ ...sampleAnswers(), session });
    for (const sender of ["abc123", "architect", "session/abc123"])
      await http.post(SEND, { text: "x", sender_session_id: sender });
    expect(http.asked("send").map(({ from }) => from)).toEqual([
      "session/abc123",
      "architect",
      "session/abc123",
    ]);
  });

  it("takes null for what is absent", async () => {
    await http.start(sampleAnswers());
    const answer = await http.post(SEND, {
      text: "x",
      sender_session_id: null,
      delivery_mode: null,
      timeout_seconds: null,
      notify_on_delivery: null,
      notify_after_seconds: null,
      idempotency_key: null,
    });
    expect(answer.status).toBe(200);
    expect(http.asked("send")).toEqual([
      { to: "api", body: "x", priority: "sequential", claims: { user: "dev" } },
    ]);
  });

  it.each(DELIVERY_MODES)("takes the mode %s and says it back", async (mode) => {
    await http.start(sampleAnswers());
    const body = declared("send", await http.post(SEND, { text: "x", delivery_mode: mode }));
    expect(body).toMatchObject({ delivery_mode: mode });
    expect(http.asked("send")[0]?.priority).toBe(mode);
    const urgent = mode === "urgent" || mode === "interrupt";
    expect(http.asked("verdict")[0]?.timeoutMs).toBe(urgent ? 30_000 : 300);
    expect(Object.hasOwn(body as object, "interrupted")).toBe(urgent);
  });

  it("answers an urgent one with its outcome", async () => {
    await http.start({
      ...sampleAnswers(),
      verdict: async () => sampleShow({ state: "delivered", interrupted: true }),
    });
    expect(declared("send", await http.post(SEND, { text: "STOP", delivery_mode: "urgent" }))).toEqual({
      status: "delivered",
      delivery_mode: "urgent",
      interrupted: true,
      message_id: SAMPLE_IDS.message,
      short_id: SAMPLE_IDS.shortId,
    });
  });

  it("answers an urgent one that nobody can prove, or that still waits, as it is", async () => {
    let state: "unconfirmed" | "queued" = "unconfirmed";
    const hold = { ...SAMPLE_HOLD, reason: "blocked" } as const;
    await http.start({
      ...sampleAnswers(),
      verdict: async () => sampleShow({ state, ...(state === "queued" ? { hold } : {}) }),
    });
    const urgent = () => http.post(SEND, { text: "STOP", delivery_mode: "urgent" });
    expect(declared("send", await urgent())).toMatchObject({ status: "unconfirmed", interrupted: false });
    state = "queued";
    expect(declared("send", await urgent())).toEqual({
      status: "queued",
      delivery_mode: "urgent",
      interrupted: false,
      message_id: SAMPLE_IDS.message,
      short_id: SAMPLE_IDS.shortId,
      estimated_delivery: "held_blocked",
      hold: { ...SHOWN_HOLD, reason: "blocked" },
    });
  });

  it.each(HOLD_REASONS)("says so when it is held: %s", async (reason) => {
    await http.start({
      ...sampleAnswers(),
      verdict: async () => sampleShow({ hold: { ...SAMPLE_HOLD, reason } }),
    });
    expect(declared("send", await http.post(SEND, { text: "x" }))).toMatchObject({
      estimated_delivery: reason === "busy" ? "waiting_for_idle" : `held_${reason}`,
      hold: { reason },
    });
  });

  it("knows a message that has left the queue already", async () => {
    await http.start({ ...sampleAnswers(), verdict: async () => sampleShow({ state: "delivered" }) });
    const body = declared("send", await http.post(SEND, { text: "x" }));
    expect(body).toMatchObject({
      status: "queued",
      state: "delivered",
      queue_position: 0,
      estimated_delivery: "delivered",
    });
    expect(http.asked("session")).toEqual([]);
  });

  it("says that it is accepted even when nothing more can be learned", async () => {
    const broken = async () => {
      throw new BellhopError("store.failed", { message: "no", next: "no" });
    };
    await http.start({ ...sampleAnswers(), verdict: broken, session: broken });
    expect(declared("send", await http.post(SEND, { text: "x" }))).toMatchObject({
      status: "queued",
      queue_position: 1,
      estimated_delivery: "immediate",
    });
  });

  it("looks up a path first, so that nothing is kept for nobody", async () => {
    await http.start({
      ...sampleAnswers(),
      session: async ({ who }) => {
        throw new BellhopError("session.unknown", { message: `No ${who}.`, next: "Look." });
      },
    });
    refused(await http.post("/sessions/team%2Fx/send", { text: "x" }), 404, "session.unknown");
    expect(http.asked("send")).toEqual([]);
    expect(http.asked("session")).toEqual([{ who: "team/x" }]);
  });

  it("does not call a dead letter accepted", async () => {
    await http.start({
      ...sampleAnswers(),
      send: async () => ({ messageId: "m", shortId: "s", unmatched: true, deliveries: [] }),
    });
    refused(await http.post(SEND, { text: "x" }), 404, "recipient.unknown");
  });

  it.each<[string, number, string]>([
    ["recipient.unknown", 404, "nobody"],
    ["recipient.ambiguous", 409, "two"],
    ["message.conflict", 409, "key"],
    ["request.forbidden", 403, "from"],
    ["store.disk_full", 507, "disk"],
    ["store.failed", 500, "disk"],
    ["daemon.stopping", 503, "late"],
  ])("hands on a refusal of the office: %s", async (code, status, message) => {
    const candidates = ["session/08bc57cf", "agent/beef"];
    await http.start({
      ...sampleAnswers(),
      send: async () => {
        throw new BellhopError(code as "recipient.unknown", { message, next: "Look.", candidates });
      },
    });
    const answer = await http.post(SEND, { text: "x" });
    expect(refused(answer, status, code)).toEqual({ code, message, next: "Look.", candidates });
  });

  it.each<[string, unknown, number, string, string]>([
    ["no text", {}, 400, "request.malformed", "text"],
    ["an empty text", { text: "" }, 400, "message.empty", "text"],
    ["a blank text", { text: " \n\t" }, 400, "message.empty", "text"],
    ["a number for text", { text: 1 }, 400, "request.malformed", "text"],
    ["half a character", '{"text":"\\ud800"}', 400, "message.invalid_utf8", "text"],
    ["a text over the limit", { text: "x".repeat(LIMITS.bodyBytes + 1) }, 413, "message.too_large", "text"],
    [
      "wide characters over it",
      { text: "€".repeat(LIMITS.bodyBytes / 3 + 1) },
      413,
      "message.too_large",
      "text",
    ],
    ["an unknown mode", { text: "x", delivery_mode: "asap" }, 400, "request.malformed", "delivery_mode"],
    ["a negative timeout", { text: "x", timeout_seconds: -1 }, 400, "request.malformed", "timeout_seconds"],
    [
      "an endless timeout",
      '{"text":"x","timeout_seconds":1e999}',
      400,
      "request.malformed",
      "timeout_seconds",
    ],
    [
      "a timeout of a century",
      { text: "x", timeout_seconds: 4e9 },
      400,
      "request.malformed",
      "timeout_seconds",
    ],
    [
      "a word for a number",
      { text: "x", notify_after_seconds: "5" },
      400,
      "request.malformed",
      "notify_after_seconds",
    ],
    [
      "a word for yes",
      { text: "x", notify_on_delivery: "yes" },
      400,
      "request.malformed",
      "notify_on_delivery",
    ],
    ["an empty sender", { text: "x", sender_session_id: "" }, 400, "request.malformed", "sender_session_id"],
    ["an empty key", { text: "x", idempotency_key: "" }, 400, "request.malformed", "idempotency_key"],
    ["an array", [], 400, "request.malformed", "object"],
    ["null", "null", 400, "request.malformed", "object"],
    ["a string", '"text"', 400, "request.malformed", "object"],
  ])("refuses %s", async (_, body, status, code, named) => {
    await http.start(sampleAnswers());
    const { message } = refused(await http.post(SEND, body), status, code);
    expect(message).toContain(named);
    expect(http.script.asked).toEqual([]);
  });

  it.each<[string, string]>([
    ["txt", "text"],
    ["deliveryMode", "delivery_mode"],
    ["time_out_seconds", "timeout_seconds"],
    ["__proto__", "It takes"],
    ["constructor", "It takes"],
  ])("names the nearest of an unknown field: %s", async (field, meant) => {
    await http.start(sampleAnswers());
    const error = refused(await http.post(SEND, `{"text":"x","${field}":1}`), 400, "request.malformed");
    expect(error.next).toContain(meant);
    expect(http.script.asked).toEqual([]);
  });

  it("takes the last of two equal fields, as JSON does", async () => {
    await http.start(sampleAnswers());
    expect((await http.post(SEND, '{"text":"a","text":"b"}')).status).toBe(200);
    expect(http.asked("send")[0]?.body).toBe("b");
  });

  it("takes a text at the limit", async () => {
    await http.start(sampleAnswers());
    expect((await http.post(SEND, { text: "x".repeat(LIMITS.bodyBytes) })).status).toBe(200);
  });

  it("refuses what a query would add", async () => {
    await http.start(sampleAnswers());
    refused(await http.post(`${SEND}?urgent=1`, { text: "x" }), 400, "request.malformed");
  });
});

describe("the idempotency key", () => {
  const withKey = (key: string | string[], body: object) =>
    http.post(SEND, body, {
      headers: { ...AUTH, ...JSON_TYPE, "idempotency-key": key },
      body: JSON.stringify(body),
    });

  it("may come as a header, as a field, or as both if they agree", async () => {
    await http.start(sampleAnswers());
    expect((await withKey("k 1", { text: "x" })).status).toBe(200);
    expect((await withKey("k 1", { text: "x", idempotency_key: "k 1" })).status).toBe(200);
    expect((await http.post(SEND, { text: "x", idempotency_key: "k 1" })).status).toBe(200);
    expect(http.asked("send").map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k 1", "k 1", "k 1"]);
  });

  it.each<[string, string | string[], object]>([
    ["that the field contradicts", "k1", { idempotency_key: "k2" }],
    ["that comes twice", ["k1", "k2"], {}],
    ["that comes twice the same", ["k1", "k1"], {}],
    ["that is empty", "", {}],
    ["that is too long", "k".repeat(257), {}],
    ["with letters of another alphabet", "k\u00e9y", {}],
  ])("is refused as a header %s", async (_, key, more) => {
    await http.start(sampleAnswers());
    const { next } = refused(await withKey(key, { text: "x", ...more }), 400, "request.malformed");
    expect(next).toContain('"Idempotency-Key"');
    expect(http.script.asked).toEqual([]);
  });
});
