/** Sessions, inboxes and queues over HTTP: the requests and answers of the verbs of the same names. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { declared, refused } from "./http-expectations.ts";
import { AGENT_TOKEN, AUTH, HttpHarness } from "./http-harness.ts";
import { SAMPLE_IDS, sampleAnswers } from "./scripted-use-cases.ts";

let http: HttpHarness;

beforeEach(() => {
  http = new HttpHarness();
});
afterEach(() => http.close());

describe("GET /sessions/{session_id}/peek", () => {
  it("shows the screen, or so many lines, with colours if asked", async () => {
    await http.start(sampleAnswers());
    expect(declared("peek", await http.get("/sessions/api/peek"))).toEqual({
      session_id: SAMPLE_IDS.session,
      screen: "> ",
    });
    await http.get("/sessions/api/peek?lines=50&ansi=true");
    expect(http.asked("peek")).toEqual([{ who: "api" }, { who: "api", lines: 50, ansi: true }]);
    for (const query of ["lines=0", "lines=x", "ansi=yes", "ansi=1"])
      refused(await http.get(`/sessions/api/peek?${query}`), 400, "request.malformed");
  });

  it("says that it has ended where nothing is kept", async () => {
    const exited = new BellhopError("session.exited", { message: "It has ended.", next: "Look." });
    await http.start({ peek: () => Promise.reject(exited) });
    refused(await http.get("/sessions/api/peek"), 410, "session.exited");
  });
});

describe("POST /sessions/{session_id}/pause", () => {
  it("pauses without a word, and opens again by one", async () => {
    await http.start(sampleAnswers());
    const pause = "/sessions/api/pause";
    expect(declared("pause", await http.post(pause, undefined))).toEqual({ agent: "api", paused: true });
    expect(declared("pause", await http.post(pause, { paused: false }))).toMatchObject({ paused: false });
    expect(http.asked("pause")).toEqual([
      { who: "api", paused: true },
      { who: "api", paused: false },
    ]);
    refused(await http.post(pause, { pausd: true }), 400, "request.malformed");
  });
});

describe("POST /sessions/{session_id}/stop", () => {
  it("stops it within the time that it is given", async () => {
    await http.start(sampleAnswers());
    expect(declared("stop", await http.post("/sessions/api/stop", undefined))).toEqual({
      session_id: SAMPLE_IDS.session,
      agent: "api",
      outcome: "stopped",
    });
    await http.post("/sessions/api/stop", { grace_seconds: 0.5 });
    expect(http.asked("session_stop")).toEqual([{ who: "api" }, { who: "api", graceMs: 500 }]);
  });
});

describe("POST /sessions/{session_id}/restart", () => {
  it("starts it again with the daemon's variables, with its conversation if asked to", async () => {
    await http.start(sampleAnswers());
    expect(declared("restart", await http.post("/sessions/api/restart", undefined))).toEqual({
      session_id: SAMPLE_IDS.session,
      agent: "api",
      terminal: { kind: "pty" },
    });
    await http.post("/sessions/api/restart", { resume: true });
    const environment = { PATH: "/usr/bin" };
    expect(http.asked("restart")).toEqual([
      { who: "api", environment },
      { who: "api", resume: true, environment },
    ]);
  });
});

describe("POST /sessions/{session_id}/name", () => {
  it("calls it by another name", async () => {
    await http.start(sampleAnswers());
    const answer = await http.post("/sessions/api/name", { name: "web" });
    expect(declared("rename", answer)).toEqual({ agent: "web", session_id: SAMPLE_IDS.session });
    expect(http.asked("name")).toEqual([{ who: "api", name: "web", claims: { user: "dev" } }]);
  });
});

describe("what waits, over HTTP", () => {
  it("is listed in order, with what is kept for the person", async () => {
    await http.start(sampleAnswers());
    expect(declared("queue", await http.get("/sessions/api/queue"))).toMatchObject({
      deliveries: [{ short_id: SAMPLE_IDS.shortId, hold: { release: "when its turn ends" } }],
      drafts: [{ text: "half a thought" }],
    });
    expect(http.asked("queue")).toEqual([{ who: "api" }]);
  });

  it("is changed, moved and ranked by its id", async () => {
    await http.start(sampleAnswers());
    const path = `/messages/${SAMPLE_IDS.message}.1/queue`;
    for (const body of [
      { change: "hold" },
      { change: "unhold" },
      { change: "move", before: "a1b2c3", after: null },
      { change: "move", after: "a1b2c3" },
      { change: "priority", priority: "idle-first" },
    ])
      declared("changeQueue", await http.post(path, body));
    const id = `${SAMPLE_IDS.message}.1`;
    expect(http.asked("queue_change")).toEqual([
      { id, change: "hold" },
      { id, change: "unhold" },
      { id, change: "move", before: "a1b2c3" },
      { id, change: "move", after: "a1b2c3" },
      { id, change: "priority", priority: "idle-first" },
    ]);
    for (const body of [
      { change: "move" },
      { change: "move", before: "a", after: "b" },
      { change: "hold", after: "a1b2c3" },
      { change: "priority" },
      { change: "priority", priority: "loud" },
      { change: "explode" },
      {},
    ])
      refused(await http.post(path, body), 400, "request.malformed");
    expect(http.asked("queue_change")).toHaveLength(5);
  });

  it("leaves texts of the person, which are shown, put back and given up", async () => {
    await http.start(sampleAnswers());
    const drafts = "/sessions/api/drafts";
    expect(declared("drafts", await http.get(drafts))).toMatchObject({ drafts: [{ id: "0f8fad5b" }] });
    declared("restoreDraft", await http.post("/sessions/api/restore-draft", undefined));
    declared("discardDraft", await http.ask({ method: "DELETE", path: `${drafts}/0f8fad5b`, headers: AUTH }));
    expect(http.asked("draft_restore")).toEqual([{ who: "api" }]);
    expect(http.asked("draft_discard")).toEqual([{ who: "api", id: "0f8fad5b" }]);
  });
});

describe("GET /agents/{agent}/timeline", () => {
  it("is one page, and from where to go on", async () => {
    await http.start(sampleAnswers());
    const page = await http.get("/agents/api/timeline?limit=20&before=131073");
    expect(declared("timeline", page)).toMatchObject({
      entries: [{ number: 65_537, re: "a1b2c3", release: "withheld" }],
      before: 65_537,
    });
    expect(http.asked("timeline")).toEqual([{ agent: "api", limit: 20, before: 131_073 }]);
    for (const query of ["limit=0", "limit=201", "before=-1", "before=x"])
      refused(await http.get(`/agents/api/timeline?${query}`), 400, "request.malformed");
  });
});

describe("files that come with a message", () => {
  const send = "/sessions/api/send";
  const attachment = (bytes: number) => ({ name: "a.bin", content: Buffer.alloc(bytes).toString("base64") });

  it("go with it, up to four megabytes together", async () => {
    await http.start(sampleAnswers());
    const attachments = [attachment(4 * 1024 * 1024 - 3), attachment(3)];
    declared("send", await http.post(send, { text: "look", re: "a1b2c3", attachments }));
    expect(http.asked("send")).toMatchObject([{ body: "look", re: "a1b2c3", attachments }]);
  });

  it("are refused if they are too much, too many, or no files", async () => {
    await http.start(sampleAnswers());
    const text = "look";
    const most = attachment(4 * 1024 * 1024);
    refused(await http.post(send, { text, attachments: [most, attachment(1)] }), 413, "message.too_large");
    for (const attachments of [
      [],
      Array.from({ length: 9 }, () => attachment(1)),
      [{ name: "a", content: "not base64!" }],
      [{ name: "", content: "" }],
      [{ name: "a" }],
    ])
      refused(await http.post(send, { text, attachments }), 400, "request.malformed");
    expect(http.asked("send")).toEqual([]);
  });
});

describe("what needs the person", () => {
  it("is answered by its id, with one of two words", async () => {
    await http.start(sampleAnswers());
    const path = "/attention/08bc57cf.3f9a01/answer";
    expect(declared("answerAttention", await http.post(path, { answer: "approve" }))).toMatchObject({
      short_id: SAMPLE_IDS.shortId,
    });
    refused(await http.post(path, { answer: "always" }), 400, "request.malformed");
    expect(http.asked("attention_answer")).toEqual([
      { id: "08bc57cf.3f9a01", answer: "approve", claims: { user: "dev" } },
    ]);
  });

  it("is sent again if it is a dead letter", async () => {
    await http.start(sampleAnswers());
    const answer = await http.post("/unmatched/m7k2q9/reroute", undefined);
    expect(declared("reroute", answer)).toEqual({ rerouted: 1, left: 0 });
    expect(http.asked("unmatched_reroute")).toEqual([{ id: "m7k2q9" }]);
  });
});

describe("POST /sessions", () => {
  const body = { prompt: "implement the login", folder: "/home/dev/shop" };

  it("starts Claude Code in a folder, with the daemon's variables, and says what it was told", async () => {
    await http.start(sampleAnswers());
    expect(declared("spawn", await http.post("/sessions", body))).toEqual({
      session_id: SAMPLE_IDS.session,
      agent: "login",
      terminal: { kind: "pty" },
      message_id: SAMPLE_IDS.message,
      short_id: SAMPLE_IDS.shortId,
    });
    expect(http.asked("spawn")).toEqual([
      { ...body, command: ["claude"], environment: { PATH: "/usr/bin" }, claims: { user: "dev" } },
    ]);
  });

  it("starts what it is told to, by the name and with the variables that it is given", async () => {
    await http.start(sampleAnswers());
    const more = { command: ["codex", "-a", "never"], name: "login", role: "developer", where: "tmux" };
    await http.post("/sessions", { ...body, ...more, environment: { API: "x" } });
    expect(http.asked("spawn")).toMatchObject([{ ...more, environment: { PATH: "/usr/bin", API: "x" } }]);
  });

  it("is the child of the agent whose token it is", async () => {
    await http.start(sampleAnswers());
    const headers = { authorization: `Bearer ${AGENT_TOKEN}`, "content-type": "application/json" };
    await http.post("/sessions", body, { headers });
    expect(http.asked("spawn")).toMatchObject([{ claims: { user: "dev", agent: expect.any(String) } }]);
  });

  it.each([
    [{ ...body, folder: "shop" }, "folder"],
    [{ ...body, prompt: " " }, "prompt"],
    [{ ...body, command: [] }, "command"],
    [{ prompt: "x" }, "folder"],
  ])("refuses %j", async (wrong, field) => {
    await http.start(sampleAnswers());
    const answer = await http.post("/sessions", wrong);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(field);
    expect(http.asked("spawn")).toEqual([]);
  });
});

describe("the inbox", () => {
  it("is looked at, one's own or another's", async () => {
    await http.start(sampleAnswers());
    expect(declared("inbox", await http.get("/inbox"))).toMatchObject({
      who: "person/dev",
      entries: [{ message: { id: SAMPLE_IDS.message }, delivery: { state: "queued" } }],
    });
    await http.get("/inbox?who=reviewer&limit=5");
    expect(http.asked("inbox")).toEqual([
      { claims: { user: "dev" } },
      { who: "reviewer", limit: 5, claims: { user: "dev" } },
    ]);
  });

  it("is taken from only when that is said", async () => {
    await http.start(sampleAnswers());
    declared("take", await http.post("/inbox/take", undefined));
    await http.post("/inbox/take", { who: "reviewer", limit: 1 });
    expect(http.asked("inbox")).toEqual([
      { take: true, claims: { user: "dev" } },
      { who: "reviewer", limit: 1, take: true, claims: { user: "dev" } },
    ]);
  });
});

describe("DELETE /messages/{message_id}", () => {
  it("cancels what waits", async () => {
    await http.start(sampleAnswers());
    expect(
      declared("cancel", await http.ask({ method: "DELETE", path: "/messages/m7k2q9", headers: AUTH })),
    ).toEqual({
      deliveries: [{ id: `${SAMPLE_IDS.message}.1`, to: "agent/api", state: "cancelled" }],
    });
    expect(http.asked("queue_change")).toEqual([{ id: "m7k2q9", change: "cancel" }]);
  });

  it("refuses what does not wait any more", async () => {
    const gone = new BellhopError("delivery.not_queued", { message: "It is delivered.", next: "Look." });
    await http.start({ queue_change: () => Promise.reject(gone) });
    refused(
      await http.ask({ method: "DELETE", path: "/messages/m7k2q9", headers: AUTH }),
      409,
      "delivery.not_queued",
    );
  });
});

describe("on the socket, where few need a token", () => {
  const spawning = { prompt: "build it", folder: "/tmp", command: ["claude"] };

  it.each([
    ["/sessions", spawning, "spawn"],
    ["/sessions/api/stop", {}, "session_stop"],
    ["/sessions/api/restart", {}, "restart"],
    ["/sessions/api/name", { name: "web" }, "name"],
    ["/attention/08bc57cf.3f9a01/answer", { answer: "deny" }, "attention_answer"],
    ["/unmatched/m7k2q9/reroute", undefined, "unmatched_reroute"],
  ] as const)("%s needs one all the same", async (path, body, verb) => {
    await http.start(sampleAnswers());
    const sent = { method: "POST", path, local: true, body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    refused(await http.ask({ ...sent, headers }), 401, "request.unauthorised");
    expect(http.asked(verb)).toEqual([]);
    expect((await http.ask({ ...sent, headers: { ...headers, ...AUTH } })).status).toBe(200);
    expect(http.asked(verb)).toHaveLength(1);
  });
});
