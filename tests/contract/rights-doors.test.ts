/** What an agent may do at every door of a real office: the answer is the same at each. */
import { describe, expect, it } from "vitest";
import { OWN_CHANNELS } from "./broker-doors.ts";
import { MISSING, REPORT, stageOfTwo } from "./rights-stage.ts";

type Fields = Readonly<Record<string, unknown>>;

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
  ["a draft given up", "queue-of-others", "draft_discard", () => ({ who: "api" })],
  ["another's timeline", "mail-of-others", "timeline", () => ({ agent: "api" })],
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
  ["whether the person is away", "admin", "away", () => ({})],
  ["that the person is away", "admin", "away", () => ({ mode: "on" })],
  ["a stranger outside", "admin", "send", () => ({ to: "telegram/77", body: "x" })],
  ["a stranger outside, by route", "admin", "route", () => ({ path: "telegram/77", body: "x" })],
  [
    "a stranger outside, by mail",
    "admin",
    "send",
    () => ({ to: "email/bot@example.org/evil@example.com", body: "x" }),
  ],
  [
    "a stranger outside, later",
    "admin",
    "remind",
    () => ({ to: "telegram/77", text: "x", after_ms: 3_600_000 }),
  ],
  ["everybody's turns", "mail-of-others", "turns", () => ({})],
  ["another's turns", "mail-of-others", "turns", () => ({ agent: "api" })],
  ["another's turn", "mail-of-others", "turn_show", () => ({ id: "t4k9p2" })],
  ["another's conversation", "mail-of-others", "conversation", () => ({ agent: "api" })],
  ["a turn", "admin", "turn_trigger", () => ({ agent: "coder", messages: ["x"] })],
  [
    "a program of its own choice",
    "admin",
    "auto_run_set",
    () => ({ agent: "coder", auto_run: { command: ["sh"] } }),
  ],
  ["the kill switch", "admin", "turns_switch", () => ({ on: true })],
  ["the desk", "admin", "desk_try", () => ({ text: "[api] hello" })],
  [
    "the person's own channel",
    "mail-of-others",
    "sub_add",
    () => ({ agent: "coder", pattern: OWN_CHANNELS[0] ?? "" }),
  ],
  ["every channel like it", "mail-of-others", "sub_add", () => ({ agent: "coder", pattern: "telegram/**" })],
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
        { type: "routes" },
        { type: "watch_all" },
        { type: "watch_all", topics: ["agents", "attention"] },
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
