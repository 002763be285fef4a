/** Turns without a terminal beside everything else that happens to a message, a terminal, a disk and a daemon. */
import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { deskWith, WORKS } from "../../../tests/desk/turn-takers.ts";
import type { AutoRunWords } from "../../core/turns/auto-run.ts";

const AFTER_WINDOW_MS = 4_000;
const claims = { user: "dev" };

const bodiesFor = (desk: Desk, mailbox: string) =>
  desk.store.read.deliveries({ mailboxes: [mailbox] }).map(({ message }) => message.body);
const states = (desk: Desk) => desk.store.read.turns({}).map(({ state }) => state);
const say = (desk: Desk, words: AutoRunWords) => {
  desk.settings = { ...desk.settings, turns: { ...desk.settings.turns, any: true, everyone: words } };
};

describe("an answer that nobody takes", () => {
  it("keeps neither the next sender nor the next daemon from theirs", async () => {
    const desk = await deskWith(WORKS, "coder", "other");
    desk.runner.behaves = ({ agent }) => ({
      kind: "answered",
      answer: agent === "coder" ? "x".repeat(300_000) : "fine",
    });
    await desk.send("coder", "too much, please");
    await desk.advance(AFTER_WINDOW_MS);
    expect(states(desk)).toEqual(["done"]);
    expect(desk.store.read.turns({})[0]?.error).toContain("256 KiB");
    expect(bodiesFor(desk, "person/dev")).toEqual([expect.stringContaining("could not be sent")]);
    await desk.open();
    await desk.send("other", "hello");
    await desk.advance(AFTER_WINDOW_MS);
    expect(bodiesFor(desk, "person/dev")).toContain("fine");
  });

  it("is given to everybody who asked, and ends the wait of who gets no turn", async () => {
    const desk = await deskWith(WORKS, "coder");
    const ask = (body: string) => desk.done(desk.use.send({ to: "coder", body, asks: true, claims }));
    const asked = [await ask("one?"), await ask("two?")];
    const waits = asked.map(({ messageId: id }) => desk.use.answer({ id, timeoutMs: 600_000, take: true }));
    await desk.advance(AFTER_WINDOW_MS);
    for (const wait of waits) expect((await desk.done(wait)).answer?.from).toBe("agent/coder");
    expect(desk.runner.orders).toHaveLength(1);

    say(desk, { ...WORKS, triageModel: "haiku" });
    desk.runner.verdict = () => ({ answer: "NO\nIt is chat." });
    const { messageId: id } = await ask("hm?");
    const wait = desk.use.answer({ id, timeoutMs: 600_000, take: true });
    await desk.advance(AFTER_WINDOW_MS);
    expect(await desk.done(wait)).toMatchObject({ state: "delivered" });
  });
});

describe("a turn that cannot start", () => {
  it("is tried again after a minute, not at once, and before any money is spent", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    desk.runner.behaves = () => ({ kind: "not-started", why: "it is broken" });
    await desk.send("coder", "work");
    await desk.advance(50_000);
    expect(desk.runner.orders).toHaveLength(1);
    await desk.advance(20_000);
    expect(desk.runner.orders).toHaveLength(2);
    desk.runner.why = "its folder is not there";
    await desk.advance(600_000);
    expect(desk.runner.questions).toHaveLength(2);
  });
});

describe("a terminal of the same session", () => {
  it("ends the turn when it opens, and gets what the turn had", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder", { program: "stashing", registry: { programSessionId: "c-1" } });
    say(desk, WORKS);
    await desk.ready();
    desk.ends(coder);
    await desk.done(desk.office.scan());
    desk.runner.behaves = undefined;
    const sent = await desk.send("coder", "long work");
    await desk.advance(AFTER_WINDOW_MS);
    const [turn] = desk.runner.running;
    expect(turn?.handover.signal.aborted).toBe(false);
    desk.agent("coder", { program: "stashing", registry: { programSessionId: "c-1" } });
    await desk.done(desk.office.scan());
    await desk.advance(1_000);
    expect(turn?.handover.signal.aborted).toBe(true);
    expect(states(desk)).toEqual(["stopped"]);
    expect(desk.delivery(sent).possibleDuplicate).toBe(true);
    expect(desk.runner.orders).toHaveLength(1);
  });

  it("that is not seen, but not known to have ended, is not run beside", async () => {
    const desk = await openDesk();
    desk.agent("coder", { program: "stashing" });
    say(desk, WORKS);
    await desk.ready();
    desk.scan = "unknown";
    await desk.open();
    const sent = await desk.send("coder", "hello");
    await desk.advance(60_000);
    expect(desk.runner.orders).toEqual([]);
    expect(desk.state(sent)).toBe("queued");
  });
});

describe("a disk that is full for a moment", () => {
  it("costs no answer that was paid for", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = undefined;
    const sent = await desk.send("coder", "work");
    await desk.advance(AFTER_WINDOW_MS);
    desk.disk.state = "full";
    for (const turn of desk.runner.running) turn.end({ kind: "answered", answer: "the answer" });
    await desk.advance(5_000);
    desk.disk.state = "works";
    await desk.advance(60_000);
    expect(states(desk)).toEqual(["done"]);
    expect(desk.state(sent)).toBe("replied");
    expect(desk.runner.orders).toHaveLength(1);
  });
});

describe("a person's word during triage", () => {
  it("counts over the model's", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    let decide = (_: { answer: string }): void => {};
    desk.runner.verdict = () => new Promise<{ answer: string }>((resolve) => (decide = resolve)) as never;
    const [held, now] = [await desk.send("coder", "keep it"), await desk.send("coder", "do it")];
    await desk.advance(AFTER_WINDOW_MS);
    await desk.done(desk.use.queue_change({ id: held.messageId, change: "hold" }));
    await desk.done(desk.use.queue_change({ id: now.messageId, change: "now" }));
    decide({ answer: "NO\nnothing" });
    await desk.advance(AFTER_WINDOW_MS);
    expect([desk.state(held), desk.state(now)]).toEqual(["queued", "replied"]);
  });
});

describe("what is judged", () => {
  it("is judged apart: a stranger neither silences a person nor comes along with them", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku" }, "coder");
    desk.runner.verdict = ({ prompt }) => ({ answer: prompt.includes("SPAM") ? "NO" : "YES" });
    const urgent = await desk.send("coder", "Production is down.");
    await desk.done(desk.use.sub_add({ agent: "coder", pattern: "slack/team", claims }));
    const spam = await desk.send("slack/team", "SPAM", { channel: "slack", from: "bridge-of-ours" });
    await desk.advance(60_000);
    expect(desk.state(urgent)).toBe("replied");
    expect(desk.state(spam)).toBe("delivered");
    expect(desk.runner.orders).toHaveLength(1);
  });

  it("is looked at ten times as often as there may be turns, and no more", async () => {
    const desk = await deskWith({ ...WORKS, triageModel: "haiku", turnsPerHour: 1 }, "coder");
    desk.runner.verdict = () => ({ answer: "NO" });
    for (let number = 0; number < 14; number += 1) {
      await desk.send("coder", `spam ${number}`);
      await desk.advance(AFTER_WINDOW_MS);
    }
    expect(desk.runner.questions).toHaveLength(10);
  });
});

describe("what is interrupted", () => {
  it("again and again is left to the owner, also if somebody had asked for it", async () => {
    const desk = await deskWith(WORKS, "coder");
    desk.runner.behaves = undefined;
    await desk.done(desk.use.turn_trigger({ agent: "coder", messages: ["crash"], claims }));
    for (let life = 0; life < 6; life += 1) {
      await desk.advance(AFTER_WINDOW_MS);
      await desk.open();
    }
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders).toHaveLength(3);
    expect(bodiesFor(desk, "person/dev")).toEqual([expect.stringContaining("was interrupted several times")]);
  });
});

describe("what waits", () => {
  it("says what it waits for when turns are turned off, and raw messages wait for a terminal", async () => {
    const desk = await deskWith(WORKS, "coder");
    const sent = await desk.send("coder", "hello");
    const raw = await desk.send("coder", "/compact", { raw: true });
    expect(desk.delivery(raw).hold?.reason).toBe("offline");
    await desk.done(desk.use.auto_run_set({ agent: "coder", autoRun: false }));
    await desk.advance(60_000);
    expect(desk.delivery(sent).hold?.reason).toBe("offline");
  });

  it("goes past two hundred that cannot, and what is asked for goes past them all", async () => {
    const desk = await deskWith({ ...WORKS, turnsPerHour: 0 }, "coder");
    for (let number = 0; number < 210; number += 1) await desk.send("coder", "x", { raw: true });
    const text = await desk.send("coder", "a text");
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.delivery(text).hold?.release).toContain("budget");
    for (let number = 0; number < 210; number += 1) await desk.send("coder", `waits ${number}`);
    await desk.done(desk.use.turn_trigger({ agent: "coder", messages: ["now"], claims }));
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders.map(({ prompt }) => prompt)).toEqual([expect.stringContaining("now")]);
  });
});

describe("an agent whose turn runs", () => {
  it("keeps its name until it has ended", async () => {
    const desk = await openDesk();
    desk.agent("coder", { program: "stashing" });
    say(desk, WORKS);
    await desk.ready();
    const { sessionId } = await desk.done(desk.use.session_add({ agent: "coder", name: "slack" }));
    desk.runner.behaves = undefined;
    await desk.send(`session/${sessionId}`, "work");
    await desk.advance(AFTER_WINDOW_MS);
    const renamed = desk.done(desk.use.name({ who: "coder", name: "writer", claims }));
    await expect(renamed).rejects.toMatchObject({ code: "agent.busy" });
  });

  it("cannot release what its budget or its owner holds", async () => {
    const desk = await deskWith({ ...WORKS, turnsPerHour: 0 }, "coder");
    const sent = await desk.send("coder", "work");
    await desk.advance(AFTER_WINDOW_MS);
    const change = { id: sent.messageId, change: "now" } as const;
    const byAgent = desk.done(desk.office.useCases.queue_change(change, { user: "dev", agent: "coder" }));
    await expect(byAgent).rejects.toMatchObject({ code: "rights.missing" });
    await desk.done(desk.use.queue_change(change));
    await desk.advance(AFTER_WINDOW_MS);
    expect(desk.runner.orders).toHaveLength(1);
  });
});

it("a message to all reaches an agent whose terminal has ended and who takes turns", async () => {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "stashing" });
  say(desk, { ...WORKS });
  await desk.ready();
  desk.ends(coder);
  await desk.done(desk.office.scan());
  await desk.send("agent/**", "everybody!");
  await desk.advance(AFTER_WINDOW_MS);
  expect(desk.runner.orders).toHaveLength(1);
});
