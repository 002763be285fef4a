import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import { deskWith, WORKS } from "../../../tests/desk/turn-takers.ts";
import type { StoredSession } from "../../ports/store.ts";

const states = (desk: Desk) => desk.store.read.turns({}).map(({ state }) => state);
const AFTER_WINDOW_MS = 4_000;

describe("a message to an agent without a terminal", () => {
  it("becomes a turn once nobody has written for a moment, and its answer goes back", async () => {
    const desk = await deskWith(WORKS, "coder");
    const sent = await desk.send("coder", "what is two and two?");
    expect(desk.delivery(sent).hold?.reason).toBe("turn");
    await desk.advance(2_000);
    expect(desk.runner.orders).toEqual([]);
    await desk.advance(2_000);
    expect(desk.runner.orders).toMatchObject([
      { agent: "coder", folder: "/home/dev/repo", runner: "claude" },
    ]);
    expect(desk.runner.orders[0]?.prompt).toMatch(/^\[message from: dev #\w+\]\nwhat is two and two\?$/u);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered", "read", "replied"]);
    const [turn] = desk.store.read.turns({});
    expect(turn).toMatchObject({ state: "done", usd: 0.01, tokensIn: 10, tokensOut: 5, verdict: "yes" });
    const reply = desk.store.read.answerTo(sent.messageId);
    expect(reply).toMatchObject({ from: "agent/coder", to: "person/dev", body: turn?.answer });
  });

  it("shares a turn with the others of a burst: twenty, then ten", async () => {
    const desk = await deskWith(WORKS, "coder");
    for (let number = 1; number <= 30; number += 1) await desk.send("coder", `message ${number}`);
    await desk.advance(60_000);
    const counts = desk.runner.orders.map(({ prompt }) => prompt.match(/^message \d+$/gmu)?.length);
    expect(counts).toEqual([20, 10]);
  });

  it("waits for the turn that runs, and goes into the next one, in the same conversation", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = undefined;
    await desk.send("coder", "first");
    await desk.advance(AFTER_WINDOW_MS);
    await desk.send("coder", "second");
    await desk.advance(60_000);
    expect(desk.runner.orders).toHaveLength(1);
    for (const turn of desk.runner.running)
      turn.end({ kind: "answered", answer: "one", conversation: "c-1" });
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders.map(({ conversation }) => conversation)).toEqual([undefined, "c-1"]);
    expect(desk.runner.mostOfOne).toBe(1);
  });

  it("that went to many is answered by each of them", async () => {
    const desk = await deskWith(WORKS, "coder", "tester", "writer");
    await desk.send("agent/**", "who is there?");
    await desk.advance(60_000);
    const came = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(came.map(({ message }) => message.from).toSorted()).toEqual([
      "agent/coder",
      "agent/tester",
      "agent/writer",
    ]);
  });

  it("is declined by triage, with its reason, and nothing runs", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    desk.runner.verdict = () => ({ answer: "NO\nIt only says thanks." });
    const sent = await desk.send("coder", "thanks!");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders).toEqual([]);
    expect(desk.store.read.turns({})).toMatchObject([
      { state: "declined", verdict: "no", because: "It only says thanks." },
    ]);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.store.read.receiptsOf(desk.delivery(sent).id).at(-1)?.note).toBe(
      "no turn: It only says thanks.",
    );
  });

  it("runs if triage fails and it came from inside", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    desk.runner.verdict = () => ({ none: "no answer within 60 s" });
    await desk.send("coder", "do it");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.store.read.turns({})).toMatchObject([
      { state: "done", because: "triage failed: no answer within 60 s" },
    ]);
  });

  it("is held back if triage fails and it came from outside, and the owner is told", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    desk.runner.verdict = () => ({ none: "no answer" });
    await desk.done(desk.use.sub_add({ agent: "coder", pattern: "slack/team", claims: { user: "dev" } }));
    const sent = await desk.send("slack/team", "from outside", { channel: "slack", from: "bridge-of-ours" });
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders).toEqual([]);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", release: "withheld" });
    expect(desk.store.read.turns({})).toMatchObject([
      { state: "declined", because: "triage failed: no answer" },
    ]);
    const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(told.map(({ message }) => message.body)).toEqual([
      expect.stringContaining("nobody could say whether it is worth a turn"),
    ]);
  });

  it("is decided by a rule, without asking anybody", async () => {
    const rules = { alwaysAccept: [{ text: "urgent" }], alwaysReject: [{ from: "person/dev", text: "fyi" }] };
    const desk = await deskWith({ ...WORKS, triageModel: "haiku", ...rules }, "coder");
    await desk.send("coder", "fyi: urgent or not");
    await desk.advance(AFTER_WINDOW_MS);
    expect(states(desk)).toEqual([]);
    await desk.send("coder", "URGENT: look");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.questions).toEqual([]);
    expect(desk.store.read.turns({})).toMatchObject([{ state: "done", because: 'a rule: with "urgent"' }]);
  });

  it("goes to the terminal while there is one, and on without it when it has ended", async () => {
    const desk = await openDesk();
    desk.settings = { ...AS_SHIPPED, turns: { ...AS_SHIPPED.turns, any: true, everyone: WORKS } };
    const coder = desk.agent("coder");
    await desk.ready();
    await desk.send("coder", "typed");
    await desk.advance(10_000);
    expect(coder.program.submitted).toHaveLength(1);
    desk.ends(coder);
    await desk.done(desk.office.scan());
    await desk.send("coder", "without a terminal");
    await desk.advance(10_000);
    expect(desk.runner.orders).toHaveLength(1);
  });
});

describe("an agent that was added, and has run in a terminal too", () => {
  const IN_TERMINAL = {
    ...{ id: "0000aaaa", agent: "coder", main: true, hooked: true, program: "claude", label: "", title: "" },
    ...{ programSessionId: "c-terminal", folder: "/home/dev/repo", startedAt: 1, exitedAt: 3 },
  };
  const ends = (desk: Desk, more: Partial<StoredSession> = {}) =>
    desk.store.write((tx) => tx.putSession({ ...IN_TERMINAL, lastActiveAt: desk.clock.now(), ...more }));
  const conversations = (desk: Desk) => desk.runner.orders.map(({ conversation }) => conversation);

  it("goes on with the conversation from there, and keeps it", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = ({ conversation = "c-new" }) => ({
      kind: "answered",
      answer: "done",
      conversation,
    });
    await desk.advance(1_000);
    await ends(desk);
    for (const body of ["first", "second"]) {
      await desk.send("coder", body);
      await desk.advance(AFTER_WINDOW_MS);
    }
    expect(conversations(desk)).toEqual(["c-terminal", "c-terminal"]);
  });

  it.each<[string, Partial<StoredSession>]>([
    ["that another program had", { program: "codex" }],
    ["from another folder, where its program would not find it", { folder: "/elsewhere" }],
    ["of a session that is not its main one", { main: false }],
  ])("begins anew instead of a conversation %s", async (_, more) => {
    const desk = await deskWith(WORKS, "coder");
    await ends(desk, more);
    await desk.send("coder", "first");
    await desk.advance(AFTER_WINDOW_MS);
    expect(conversations(desk)).toEqual([undefined]);
  });

  it("prefers the conversation of its last turn if that is newer", async () => {
    const desk = await deskWith(WORKS, "coder");
    await ends(desk, { lastActiveAt: 2 });
    desk.runner.behaves = () => ({ kind: "answered", answer: "done", conversation: "c-turn" });
    for (const body of ["first", "second"]) {
      await desk.send("coder", body);
      await desk.advance(AFTER_WINDOW_MS);
    }
    expect(conversations(desk).at(-1)).toBe("c-turn");
  });

  it("gets what comes for its main session in the terminal, also after a turn without one", async () => {
    const desk = await openDesk();
    const hosts = new DeskHosts(desk);
    desk.hosts = hosts;
    desk.settings = { ...AS_SHIPPED, turns: { ...AS_SHIPPED.turns, any: true, everyone: WORKS } };
    await desk.open();
    await desk.done(desk.use.agent_add({ name: "coder" }));
    await desk.send("coder", "first");
    await desk.advance(AFTER_WINDOW_MS);
    const claims = { user: "dev" };
    const started = { command: ["plain"], name: "coder", folder: "/home/dev/repo", environment: {}, claims };
    const { sessionId } = await desk.done(desk.use.run(started));
    const main = desk.store.read.sessionByName("coder", "main");
    await desk.send(`session/${main?.id}`, "second");
    await desk.advance(10_000);
    expect(hosts.agent(sessionId).program.submitted.join()).toContain("second");
    expect(desk.runner.orders).toHaveLength(1);
  });
});

describe("a turn", () => {
  it("that fails is told to who wrote, and its message is failed", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = () => ({ kind: "failed", why: "overloaded" });
    const sent = await desk.send("coder", "do it");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.state(sent)).toBe("failed");
    expect(states(desk)).toEqual(["failed"]);
    const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(told.map(({ message }) => message.body)).toEqual([
      expect.stringContaining('its turn failed: "overloaded"'),
    ]);
  });

  it("waits while the queue is paused, unless it is released by hand", async () => {
    const desk = await deskWith(WORKS, "coder");
    await desk.done(desk.use.pause({ who: "coder", paused: true }));
    const sent = await desk.send("coder", "first");
    const other = await desk.send("coder", "second");
    await desk.advance(60_000);
    expect(desk.delivery(sent).hold?.release).toContain("bellhop queue unpause coder");
    await desk.done(desk.use.queue_change({ id: sent.shortId, change: "now" }));
    await desk.advance(AFTER_WINDOW_MS);
    expect([desk.state(sent), desk.state(other)]).toEqual(["replied", "queued"]);
    await desk.done(desk.use.pause({ who: "coder", paused: false }));
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.state(other)).toBe("replied");
  });

  it("goes on by itself once its program is there", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.why = '"claude" is not installed here';
    const sent = await desk.send("coder", "first");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.delivery(sent).hold?.release).toContain("is not installed here");
    desk.runner.why = undefined;
    await desk.advance(120_000);
    expect(desk.state(sent)).toBe("replied");
  });

  it("begins a new conversation if the program does not know the old one", async () => {
    const desk = await deskWith(WORKS, "coder");
    await desk.send("coder", "first");
    await desk.advance(AFTER_WINDOW_MS);
    desk.runner.behaves = ({ conversation }) =>
      conversation === undefined
        ? { kind: "answered", answer: "anew", conversation: "c-2" }
        : { kind: "failed", why: "No conversation found with session ID: c-1" };
    await desk.send("coder", "second");
    await desk.advance(AFTER_WINDOW_MS);
    expect(states(desk)).toEqual(["done", "done"]);
  });

  it("is asked for by a person: without triage and beyond the budget, but not beside another", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku", turnsPerHour: 0 }, "coder");
    const claims = { user: "dev" };
    const asked = { agent: "coder", messages: ["now, please"], claims };
    await desk.done(desk.use.turn_trigger(asked));
    await desk.advance(100);
    expect(desk.runner.questions).toEqual([]);
    expect(desk.store.read.turns({})).toMatchObject([{ state: "done", triggered: true }]);
    desk.runner.behaves = undefined;
    await desk.done(desk.use.turn_trigger(asked));
    await desk.done(desk.use.turn_trigger(asked));
    await desk.advance(60_000);
    expect(desk.runner.mostOfOne).toBe(1);
  });

  it("is stopped by the switch, goes again marked when it is turned on, and none begins meanwhile", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = undefined;
    const sent = await desk.send("coder", "long work");
    await desk.advance(AFTER_WINDOW_MS);
    const claims = { user: "dev" };
    expect(await desk.done(desk.use.turns_switch({ on: false, claims }))).toEqual({ off: true, stopped: 1 });
    await desk.advance(60_000);
    expect(states(desk)).toEqual(["stopped"]);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", possibleDuplicate: true });
    expect(desk.delivery(sent).hold?.release).toContain("bellhop turns start");
    await desk.done(desk.use.turns_switch({ on: true, claims }));
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders).toHaveLength(2);
    expect(desk.runner.orders[1]?.prompt).toContain("[bellhop] The turn before this one was interrupted");
    expect(desk.store.read.turns({})[0]).toMatchObject({ state: "running", again: true });
  });
});

it("is shown step by step while it runs, like a screen", async () => {
  const desk = await deskWith(WORKS, "coder");
  desk.runner.behaves = undefined;
  await desk.send("coder", "work");
  await desk.advance(AFTER_WINDOW_MS);
  const [turn] = desk.runner.running;
  for (const step of ["Read: README.md", "Bash: git log"]) turn?.handover.doing(step);
  const { screen, sessionId } = await desk.done(desk.use.peek({ who: "coder" }));
  expect(sessionId).toBe(turn?.order.sessionId);
  expect(screen).toMatch(/^turn \w+ of coder: running since .*\(claude\)\nRead: README\.md\nBash: git log$/u);
  const listed = await desk.done(desk.use.turns({}));
  expect(listed.turns).toMatchObject([{ state: "running", doing: "Bash: git log" }]);
  turn?.end({ kind: "answered", answer: "done" });
  await desk.advance(10);
  await expect(desk.done(desk.use.peek({ who: "coder" }))).rejects.toMatchObject({ code: "session.exited" });
});
