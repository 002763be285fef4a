/** What an agent may do at every door of a real office: the answer is the same at each. */
import { describe, expect, it } from "vitest";
import { BrokerStage } from "./broker-stage.ts";
import { askHttp } from "./http-harness.ts";

type Fields = Readonly<Record<string, unknown>>;

const MISSING = {
  code: "rights.missing",
  message: expect.any(String),
  next: expect.stringContaining("rights: {"),
};

/** Two agents, each with a session; something waits for one, and for the person. */
async function stageOfTwo() {
  const stage = await BrokerStage.open();
  await stage.agents("coder", "api");
  const { sessionId: coder } = await stage.use.session_add({ agent: "coder", name: "s" });
  const { sessionId: api } = await stage.use.session_add({ agent: "api", name: "s" });
  const stored = stage.store.read.session(api);
  if (stored === undefined) throw new Error("api has no session");
  const talking = { ...stored, program: REPORT.program, programSessionId: REPORT.payload.session_id };
  await stage.store.write((tx) => tx.putSession(talking));
  const owner = { user: "dev" };
  const others = await stage.use.send({ to: "api", body: "a secret", claims: owner });
  const persons = await stage.use.send({ to: "person/dev", body: "for you", claims: owner });
  const reminder = await stage.use.remind({ to: "api", text: "later", afterMs: 3_600_000, claims: owner });
  return {
    stage,
    sessions: { coder, api },
    ids: { others: others.messageId, persons: persons.messageId, reminder: reminder.id, session: api },
  };
}

/** As a hook reports the end of a turn in api's conversation. */
const REPORT = { program: "claude", payload: { session_id: "talk-of-api" } };

type Ids = Awaited<ReturnType<typeof stageOfTwo>>["ids"];

const ATTACKS: readonly (readonly [
  name: string,
  right: string,
  type: string,
  fields: (ids: Ids) => Fields,
])[] = [
  ["a key into another's dialog", "raw", "send", () => ({ to: "api", body: "", raw: true, keys: ["Enter"] })],
  [
    "a shell command for a read-only agent",
    "raw",
    "send",
    () => ({ to: "api", body: "!touch x", raw: true }),
  ],
  ["a raw answer", "raw", "reply", ({ others }) => ({ id: others, body: "x", raw: true })],
  ["a raw route", "raw", "route", () => ({ path: "agent/api", body: "x", raw: true })],
  ["the keyboard", "raw", "attach", () => ({ who: "api" })],
  ["another's mail", "mail-of-others", "receive", () => ({ agent: "api" })],
  ["another's inbox", "mail-of-others", "inbox", () => ({ who: "api" })],
  ["another's inbox, taking", "mail-of-others", "inbox", () => ({ who: "api", take: true })],
  ["the person's inbox", "mail-of-others", "inbox", () => ({ who: "person/dev", take: true })],
  ["another's message", "mail-of-others", "read", ({ others }) => ({ id: others })],
  ["another's message, shown", "mail-of-others", "show", ({ others }) => ({ id: others })],
  [
    "another's message, acknowledged",
    "mail-of-others",
    "ack",
    ({ others }) => ({ id: others, agent: "api" }),
  ],
  [
    "an answer to another's message",
    "mail-of-others",
    "send",
    ({ others }) => ({ to: "api", body: "x", re: others }),
  ],
  ["everybody's history", "mail-of-others", "history", () => ({})],
  ["everything", "mail-of-others", "export", () => ({})],
  ["the dead letters", "mail-of-others", "unmatched", () => ({})],
  ["another's path", "mail-of-others", "sub_add", () => ({ agent: "coder", pattern: "agent/api" })],
  ["another's queue", "queue-of-others", "queue", () => ({})],
  [
    "another's message now",
    "queue-of-others",
    "queue_change",
    ({ others }) => ({ id: others, change: "now" }),
  ],
  [
    "another's message cancelled",
    "queue-of-others",
    "queue_change",
    ({ others }) => ({ id: others, change: "cancel" }),
  ],
  ["another's queue paused", "queue-of-others", "pause", () => ({ who: "api", paused: true })],
  ["a draft", "queue-of-others", "draft_show", () => ({ who: "api" })],
  ["a draft put back", "queue-of-others", "draft_restore", () => ({ who: "api" })],
  ["another's subscriptions", "queue-of-others", "sub_add", () => ({ agent: "api", pattern: "x/**" })],
  ["another's reminder", "queue-of-others", "reminder_cancel", ({ reminder }) => ({ id: reminder })],
  ["another's state", "queue-of-others", "session", () => ({ who: "api" })],
  ["another's name", "name", "name", () => ({ who: "api", name: "gone" })],
  ["a name that is another's", "name", "name", () => ({ who: "", name: "api" })],
  ["a name that is another's session", "name", "name", ({ session }) => ({ who: "", name: session })],
  [
    "a name that begins another's session",
    "name",
    "name",
    ({ session }) => ({ who: "", name: session.slice(0, 4) }),
  ],
  [
    "a child under another's name",
    "name",
    "run",
    () => ({ command: ["sh"], name: "api", folder: "/", environment: {} }),
  ],
  ["a mailbox", "name", "agent_add", () => ({ name: "more" })],
  ["another removed", "name", "agent_remove", () => ({ name: "api" })],
  ["another stopped", "stop", "session_stop", () => ({ who: "api" })],
  ["another restarted", "stop", "restart", () => ({ who: "api", environment: {} })],
  ["a report of another's turn", "admin", "hook_event", () => ({ event_name: "Stop", ...REPORT })],
  ["the dead letters cleared", "admin", "unmatched_clear", () => ({})],
  ["the daemon stopped", "admin", "stop", () => ({})],
];

describe("an agent on the Unix socket", () => {
  const speakers = {
    "by its session variable": ({ coder }: { coder: string }) => ({ session: coder }),
    "by a session variable that nobody has": () => ({ session: "deadbeef" }),
    "by the variable of a program that nobody knows": () => ({
      program_sessions: { CLAUDE_CODE_SESSION_ID: "x" },
    }),
  };

  it.each(Object.entries(speakers))(
    "%s, is refused what is not its own, and told which right is missing",
    async (_, claimed) => {
      const { stage, sessions, ids } = await stageOfTwo();
      const caller = await stage.unix();
      const claims = { user: "dev", ...claimed(sessions) };
      for (const [name, right, type, fields] of ATTACKS) {
        const answer = await caller.ask({ type, ...fields(ids), claims });
        expect(answer, name).toMatchObject({ ok: false, error: MISSING });
        // A stranger has no agent of its own: of two missing rights, another one is reported first.
        if ("session" in claims && claims.session === sessions.coder)
          expect((answer as { error: { message: string } }).error.message, name).toContain(`"${right}"`);
      }
      const streams = [
        { type: "listen", agent: "api", consume: true },
        { type: "follow", who: "api" },
      ];
      for (const [index, stream] of streams.entries())
        expect(await caller.ask({ ...stream, req_id: index + 1, claims })).toMatchObject({
          ok: false,
          error: MISSING,
        });
      // Nothing was done.
      const states = [ids.others, ids.persons].flatMap((id) =>
        stage.store.read.deliveriesOf(id).map(({ state, release }) => [state, release]),
      );
      expect(states).toEqual([
        ["queued", "by-rule"],
        ["queued", "by-rule"],
      ]);
    },
  );

  it("never speaks as the person when its session is unknown, nor as anybody it names", async () => {
    const { stage } = await stageOfTwo();
    const caller = await stage.unix();
    const claims = { user: "dev", session: "deadbeef" };
    const sent = await caller.ask({ type: "route", path: "agent/api", body: "x", claims });
    expect(sent).toMatchObject({ ok: true, result: { message: { from: "session/deadbeef" } } });
    const named = await caller.ask({ type: "send", to: "api", body: "x", from: "person/dev", claims });
    expect(named).toMatchObject({ ok: false, error: { code: "request.forbidden" } });
  });

  it("does not acknowledge for another what it sent there itself, unknown as it is", async () => {
    const { stage } = await stageOfTwo();
    const caller = await stage.unix();
    const claims = { user: "dev", session: "deadbeef" };
    const sent = await caller.ask({ type: "send", to: "api", body: "x", claims });
    const { message_id: id } = (sent as { result: { message_id: string } }).result;
    expect(await caller.ask({ type: "ack", id, claims })).toMatchObject({
      ok: false,
      error: { code: "message.unknown" },
    });
    expect(stage.store.read.deliveriesOf(id).map(({ state }) => state)).toEqual(["queued"]);
  });

  it("speaks, takes its own mail, takes back what it sent, lists and names itself", async () => {
    const { stage, sessions } = await stageOfTwo();
    const caller = await stage.unix();
    const ask = async (request: Fields) => {
      const answer = await caller.ask({ claims: { user: "dev", session: sessions.coder }, ...request });
      expect(answer, JSON.stringify(request)).toMatchObject({ ok: true });
      return (answer as { result: Record<string, unknown> }).result;
    };
    for (const priority of ["normal", "idle-first", "idle", "urgent"])
      await ask({ type: "send", to: "api", body: "hello", priority });
    const { message_id: sent } = await ask({ type: "send", to: "api", body: "not that" });
    await ask({ type: "show", id: sent });
    await ask({ type: "queue_change", id: sent, change: "cancel" });
    const mine = await stage.use.send({ to: "coder", body: "for you", claims: { user: "dev" } });
    await ask({ type: "read", id: mine.messageId });
    await ask({ type: "inbox", take: true });
    expect(
      stage.store.read.receiptsOf(stage.store.read.deliveriesOf(mine.messageId)[0]?.id ?? "").at(-1),
    ).toMatchObject({
      state: "delivered",
      note: "taken by agent/coder",
    });
    await ask({ type: "reply", id: mine.messageId, body: "done" });
    await ask({ type: "remind", to: "api", text: "look", after_ms: 3_600_000 });
    await ask({ type: "sub_add", agent: "coder", pattern: "news/**" });
    await ask({ type: "history", who: "coder" });
    // No program runs in that terminal; looking needs no right.
    const looked = await caller.ask({
      type: "peek",
      who: "api",
      claims: { user: "dev", session: sessions.coder },
    });
    expect(looked).not.toMatchObject({ error: { code: "rights.missing" } });
    for (const type of ["ls", "agent_list", "status"]) await ask({ type });
    expect(await ask({ type: "agent_show", name: "coder" })).toMatchObject({
      rights: ["send", "urgent", "spawn", "remind", "subscribe"],
    });
  });
});

describe("an agent's token", () => {
  it.each(["port", "socket"] as const)(
    "opens no more by HTTP on the %s, and the answer is 403",
    async (at) => {
      const { stage, ids } = await stageOfTwo();
      const { port, socketPath } = stage.doors.http;
      const target = at === "port" ? { port } : { socketPath };
      const headers = {
        authorization: `Bearer ${stage.tokenOf("coder")}`,
        "content-type": "application/json",
      };
      const refused = [
        { path: "/sessions/api/send-queue" },
        { path: `/messages/${ids.others}` },
        { path: `/messages/${ids.others}/explain` },
        { path: "/sessions/api/history" },
        { path: "/scheduler/reminders" },
        { method: "DELETE", path: `/scheduler/reminders/${ids.reminder}` },
        { method: "POST", path: "/hooks/Stop", body: JSON.stringify({ program: "claude", payload: {} }) },
        { method: "POST", path: "/hooks/Stop", body: JSON.stringify(REPORT) },
      ] as const;
      for (const request of refused) {
        const answer = await askHttp(target, { headers, ...request });
        expect([request.path, answer.status]).toEqual([request.path, 403]);
        expect(JSON.parse(answer.text)).toMatchObject({ error: MISSING });
      }
    },
  );

  it("reports by HTTP what its own program does", async () => {
    const { stage } = await stageOfTwo();
    const { socketPath } = stage.doors.http;
    const headers = {
      authorization: `Bearer ${stage.tokenOf("api")}`,
      "content-type": "application/json",
    };
    const request = { method: "POST", path: "/hooks/Stop", headers, body: JSON.stringify(REPORT) } as const;
    expect((await askHttp({ socketPath }, request)).status).toBeLessThan(300);
  });

  it("that is none is refused on the socket too, where nobody has to show one", async () => {
    const { stage } = await stageOfTwo();
    const { socketPath } = stage.doors.http;
    const ask = async (headers: Record<string, string>) =>
      (await askHttp({ socketPath }, { path: "/sessions/api/history", headers })).status;
    expect(await ask({})).toBe(200);
    expect(await ask({ authorization: `Bearer ${stage.token}` })).toBe(200);
    expect(await ask({ authorization: "Bearer coder.none" })).toBe(401);
  });

  it("opens no more by WebSocket", async () => {
    const { stage, ids } = await stageOfTwo();
    const coder = await stage.ws(stage.tokenOf("coder"));
    for (const frame of [
      { type: "msg.receive", agentId: "api" },
      { type: "msg.listen", agentId: "api", consume: true },
      { type: "msg.ack", messageId: ids.others },
      { type: "msg.unmatched.clear" },
    ])
      expect(await coder.ask(frame)).toMatchObject({ type: `${frame.type}.error`, ...MISSING });
  });

  it("opens no more by MCP", async () => {
    const { stage, ids } = await stageOfTwo();
    const headers = {
      authorization: `Bearer ${stage.tokenOf("coder")}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    for (const [name, input] of [
      ["message_status", { id: ids.others }],
      ["reply", { message_id: ids.others, text: "x" }],
      ["send_message", { to: "api", text: "x", reply_to: ids.others }],
      ["subscribe", { pattern: "agent/api" }],
    ] as const) {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: input },
      });
      const answer = await askHttp({ port: stage.port }, { method: "POST", path: "/mcp", headers, body });
      expect(answer.text, name).toContain("rights.missing");
    }
  });
});

describe("the owner", () => {
  it("may look without taking, and take with their name on the receipt", async () => {
    const { stage, ids } = await stageOfTwo();
    const claims = { user: "dev" };
    const receipt = () =>
      stage.store.read.receiptsOf(stage.store.read.deliveriesOf(ids.others)[0]?.id ?? "").at(-1);
    await stage.use.read({ id: ids.others, claims });
    await stage.use.inbox({ who: "api", claims });
    expect(stage.store.read.deliveriesOf(ids.others)[0]?.state).toBe("queued");
    await stage.use.inbox({ who: "api", take: true, claims });
    expect(receipt()).toMatchObject({ state: "delivered", note: "taken by person/dev" });
  });

  it("empties their own mailbox by reading, and nobody else's", async () => {
    const { stage, ids } = await stageOfTwo();
    await stage.use.read({ id: ids.persons, claims: { user: "somebody" } });
    expect(stage.store.read.deliveriesOf(ids.persons)[0]?.state).toBe("queued");
    await stage.use.read({ id: ids.persons, claims: { user: "dev" } });
    expect(stage.store.read.deliveriesOf(ids.persons)[0]?.state).toBe("read");
  });
});
