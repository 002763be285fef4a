import { describe, expect, it } from "vitest";
import {
  attended,
  came,
  DAY,
  HOUR,
  listed,
  MINUTE,
  pair,
  quietDesk,
  remind,
  remindAs,
  typedInto,
} from "../../../tests/desk/reminders.ts";
import type { RemindRequest } from "../../wire/verbs/reminders.ts";
import { LONGEST_REMINDER_BYTES, MOST_REMINDERS } from "./reminders.ts";

describe("a reminder comes", () => {
  it("to the agent that set it, in these words, at its time", async () => {
    const { desk, tester } = await pair();
    const set = await remindAs(desk, tester, { text: "check on engineer progress", afterMs: 5 * MINUTE });
    expect(set).toEqual({
      id: expect.stringMatching(/^\w{6}$/u),
      to: "agent/tester",
      sessionId: desk.sessionOf(tester),
      text: "check on engineer progress",
      setBy: "agent/tester",
      dueAt: desk.clock.now() + 5 * MINUTE,
      createdAt: desk.clock.now(),
      fired: 0,
    });
    await desk.advance(5 * MINUTE - 1);
    expect(came(desk)).toEqual([]);
    await desk.advance(10_000);
    expect(typedInto(tester)).toEqual(["[bellhop] Scheduled reminder:\ncheck on engineer progress"]);
    expect(came(desk)).toEqual([[`session/${desk.sessionOf(tester)}`, "check on engineer progress"]]);
    await desk.advance(HOUR);
    expect(came(desk)).toHaveLength(1);
    expect(await listed(desk)).toEqual([]);
  });

  it("to another, with the name of who set it and a way to answer", async () => {
    const { desk, coder, tester } = await pair();
    await remindAs(desk, tester, { text: "send the report", afterMs: MINUTE, to: "coder" });
    await remind(desk, { text: "and the bill", afterMs: 2 * MINUTE, to: "coder" });
    await desk.advance(3 * MINUTE);
    const id = desk.sessionOf(tester);
    expect(typedInto(coder)).toEqual([
      `[bellhop] Scheduled reminder:\nsend the report\n(set by tester (${id}); to answer: bellhop send ${id} "<your reply>")`,
      "[bellhop] Scheduled reminder:\nand the bill\n(set by dev)",
    ]);
  });

  it("typed, or it waits, when a person has set it: an inbox would say that its user did not write it", async () => {
    const { desk, coder, tester } = await pair();
    await desk.hooked(coder);
    desk.inbox.offer = { kind: "offered" };
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    await remind(desk, { text: "from a person", afterMs: MINUTE, to: "coder" });
    await remindAs(desk, tester, { text: "from another", afterMs: MINUTE, to: "coder" });
    await remindAs(desk, coder, { text: "its own", afterMs: MINUTE });
    await desk.advance(2 * MINUTE);
    expect(desk.inbox.received.join("\n")).toMatch(/from another.*its own/su);
    expect(desk.inbox.received.join("\n")).not.toContain("from a person");
    expect(typedInto(coder)).toEqual([]);
    coder.program.becomes({ busy: false });
    await desk.done(desk.hook(coder, { turn: "turn-ended" }));
    await desk.advance(20_000);
    expect(typedInto(coder)).toEqual(["[bellhop] Scheduled reminder:\nfrom a person\n(set by dev)"]);
  });

  it("by any way in where a person's words may take it", async () => {
    const { desk, coder } = await pair();
    desk.settings = { ...desk.settings, personBy: "any" };
    await desk.hooked(coder);
    desk.inbox.offer = { kind: "offered" };
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    await remind(desk, { text: "from a person", afterMs: MINUTE, to: "coder" });
    await desk.advance(2 * MINUTE);
    expect(desk.inbox.received).toEqual([expect.stringContaining("from a person")]);
  });

  it("to a person's inbox", async () => {
    const { desk, tester } = await pair();
    const own = await remind(desk, { text: "go home", afterMs: MINUTE });
    expect(own).toMatchObject({ to: "person/dev", setBy: "person/dev" });
    await remindAs(desk, tester, { text: "answer me", afterMs: MINUTE, to: "person/dev" });
    await desk.advance(2 * MINUTE);
    expect(came(desk)).toEqual([
      ["person/dev", "go home"],
      ["person/dev", expect.stringMatching(/^answer me\n\(set by tester \(/u)],
    ]);
  });

  it("as an ordinary message: held while its reader is busy, and never expired by the settings", async () => {
    const { desk, tester } = await pair();
    desk.settings = { ...desk.settings, defaultTimeoutMs: MINUTE };
    tester.program.becomes({ busy: true });
    await remindAs(desk, tester, { text: "later", afterMs: MINUTE });
    await desk.advance(10 * MINUTE);
    expect(came(desk)).toHaveLength(1);
    expect(tester.program.submitted).toEqual([]);
    tester.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(typedInto(tester)).toEqual(["[bellhop] Scheduled reminder:\nlater"]);
  });

  it("by reference when it has more lines than a prompt may have", async () => {
    const { desk, tester } = await pair();
    await remindAs(desk, tester, { text: "one\ntwo\nthree", afterMs: MINUTE });
    await desk.advance(2 * MINUTE);
    expect(typedInto(tester)).toEqual([expect.stringMatching(/^Read \/.*\.md$/u)]);
  });

  it("at a time, and by a cron line", async () => {
    const desk = await quietDesk();
    await attended(desk);
    await remind(desk, { text: "at", at: desk.clock.now() + HOUR, to: "reviewer" });
    const cron = await remind(desk, { text: "cron", cron: "*/10 * * * *", to: "reviewer" });
    expect(cron.cron).toBe("*/10 * * * *");
    await desk.advance(HOUR + 1_000);
    const texts = came(desk).map(([, body]) => body.split("\n")[0]);
    expect(texts.filter((text) => text === "at")).toHaveLength(1);
    expect(texts.filter((text) => text === "cron")).toHaveLength(6);
    expect((await desk.use.reminders({})).reminders).toMatchObject([{ text: "cron", fired: 6 }]);
  });

  it("again and again, first after its own delay", async () => {
    const desk = await quietDesk();
    await attended(desk);
    await remind(desk, { text: "tea", afterMs: MINUTE, everyMs: 30 * MINUTE, to: "reviewer" });
    await desk.advance(MINUTE);
    expect(came(desk)).toHaveLength(1);
    await desk.advance(30 * MINUTE - 1);
    expect(came(desk)).toHaveLength(1);
    await desk.advance(1);
    expect(came(desk)).toHaveLength(2);
    await desk.advance(10 * 30 * MINUTE);
    expect(came(desk)).toHaveLength(12);
    expect((await desk.use.reminders({})).reminders).toMatchObject([{ fired: 12, everyMs: 30 * MINUTE }]);
  });

  it("sixty days later, and not now", async () => {
    const desk = await quietDesk();
    const delays: number[] = [];
    const after = desk.clock.after.bind(desk.clock);
    desk.clock.after = (delayMs, call) => {
      delays.push(delayMs);
      return after(delayMs, call);
    };
    await remind(desk, { text: "far", afterMs: 60 * DAY, to: "reviewer" });
    await remind(desk, { text: "farther", at: desk.clock.now() + 3_000 * DAY, to: "reviewer" });
    await desk.advance(10 * MINUTE);
    expect(came(desk)).toEqual([]);
    for (let days = 0; days < 59; days += 1) {
      desk.clock.sleeps(DAY);
      await desk.advance(MINUTE);
    }
    expect(came(desk)).toEqual([]);
    desk.clock.sleeps(DAY - 70 * MINUTE);
    await desk.advance(MINUTE - 1);
    expect(came(desk)).toEqual([]);
    await desk.advance(1);
    expect(came(desk)).toHaveLength(1);
    // No timer may be longer than Node supports.
    expect(Math.max(...delays)).toBeLessThan(2 ** 31);
  });
});

describe("the one a reminder is for", () => {
  it("has ended: its agent gets it", async () => {
    const { desk, tester } = await pair();
    await remindAs(desk, tester, { text: "look", afterMs: HOUR });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(HOUR);
    expect(came(desk)).toEqual([["agent/tester", "look"]]);
    const next = desk.agent("elsewhere", { program: "stashing" });
    await desk.done(desk.use.ls({}));
    await desk.done(desk.use.name({ who: desk.sessionOf(next), name: "tester", claims: { user: "dev" } }));
    await desk.advance(30_000);
    expect(typedInto(next)).toEqual(["[bellhop] Scheduled reminder:\nlook"]);
  });

  it("has another name: it comes under the new one, and is listed there", async () => {
    const { desk, coder, tester } = await pair();
    await remindAs(desk, tester, { text: "own", afterMs: HOUR });
    await remindAs(desk, coder, { text: "for the agent", afterMs: HOUR, to: "tester" });
    await desk.done(desk.use.name({ who: "tester", name: "checker", claims: { user: "dev" } }));
    await desk.done(desk.use.name({ who: "coder", name: "writer", claims: { user: "dev" } }));
    expect(await listed(desk, "checker")).toEqual(["own", "for the agent"]);
    expect((await desk.use.reminders({})).reminders.map(({ setBy }) => setBy)).toEqual([
      "agent/checker",
      "agent/writer",
    ]);
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(HOUR);
    expect(came(desk)).toEqual([
      ["agent/checker", "own"],
      ["agent/checker", expect.stringMatching(/^for the agent\n\(set by writer \(/u)],
    ]);
  });

  it("went over to another agent: it comes to that one", async () => {
    const { desk, tester } = await pair();
    await desk.use.agent_add({ name: "reviewer" });
    await remindAs(desk, tester, { text: "look", afterMs: HOUR });
    await desk.done(desk.use.name({ who: "tester", name: "reviewer", claims: { user: "dev" } }));
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(HOUR);
    expect(came(desk)).toEqual([["agent/reviewer", "look"]]);
  });

  it("was removed after its session went over to another: it comes there", async () => {
    const { desk, tester } = await pair();
    await desk.use.agent_add({ name: "reviewer" });
    await remindAs(desk, tester, { text: "look", afterMs: HOUR });
    await desk.done(desk.use.name({ who: "tester", name: "reviewer", claims: { user: "dev" } }));
    expect(await desk.use.agent_remove({ name: "tester" })).toMatchObject({ reminders: 0 });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await expect(desk.use.agent_remove({ name: "reviewer" })).rejects.toMatchObject({ code: "agent.busy" });
    await desk.advance(HOUR);
    expect(came(desk)).toEqual([["agent/reviewer", "look"]]);
  });

  it("was removed: it does not come", async () => {
    const { desk, coder, tester } = await pair();
    await desk.use.agent_add({ name: "reviewer" });
    await remind(desk, { text: "for the agent", afterMs: HOUR, to: "reviewer" });
    await remindAs(desk, tester, { text: "own", everyMs: HOUR });
    await remindAs(desk, coder, { text: "stays", afterMs: HOUR });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    for (const name of ["reviewer", "tester"]) {
      await expect(desk.use.agent_remove({ name })).rejects.toMatchObject({
        code: "agent.busy",
        message: `1 reminder(s) wait for "${name}".`,
      });
      expect(await desk.use.agent_remove({ name, force: true })).toEqual({
        name,
        cancelled: 0,
        reminders: 1,
      });
    }
    expect(await listed(desk)).toEqual(["stays"]);
    await desk.advance(2 * HOUR);
    expect(came(desk).map(([, body]) => body)).toEqual(["stays"]);
  });

  it.each<readonly [string, Partial<RemindRequest>]>([
    ["an agent that does not exist", { to: "agent/nobody" }],
    ["a word that nobody has", { to: "nobody" }],
    ["a session that never was", { to: "session/ffffffff" }],
    [
      "a program we do not know, for itself",
      { claims: { user: "dev", programSessions: { CODEX_THREAD_ID: "x" } } },
    ],
  ])("is %s: refused while somebody hears it", async (_, more) => {
    const desk = await quietDesk();
    const asked = desk.done(
      desk.use.remind({ text: "x", afterMs: MINUTE, claims: { user: "dev" }, ...more }),
    );
    await expect(asked).rejects.toMatchObject({ code: "recipient.unknown" });
    expect(await listed(desk)).toEqual([]);
  });
});

it("lets a reminder to a path wait for whoever subscribes to it by then", async () => {
  const desk = await quietDesk();
  await remind(desk, { text: "stand-up", afterMs: MINUTE, to: "team/mornings" });
  await desk.advance(2 * MINUTE);
  expect(await listed(desk)).toEqual([]);
  expect(desk.store.read.nextTimer()).toBeUndefined();
});

describe("what is refused", () => {
  it.each(["", "  \n\t"])("a reminder without text: %j", async (text) => {
    const desk = await quietDesk();
    await expect(remind(desk, { text, afterMs: 1 })).rejects.toMatchObject({ code: "message.empty" });
  });

  it("one that accept could never take: too long, or half a character", async () => {
    const desk = await quietDesk();
    const longest = "x".repeat(LONGEST_REMINDER_BYTES);
    const longName = `a${"b".repeat(63)}`;
    await desk.use.agent_add({ name: longName });
    await remind(desk, { text: longest, afterMs: MINUTE, to: "reviewer", from: longName });
    await expect(remind(desk, { text: `${longest}x`, afterMs: MINUTE })).rejects.toMatchObject({
      code: "message.too_large",
    });
    await expect(remind(desk, { text: "half \ud83d", afterMs: MINUTE })).rejects.toMatchObject({
      code: "message.invalid_utf8",
    });
    await desk.advance(MINUTE);
    expect(came(desk)).toHaveLength(1);
  });

  it("a time that says nothing, too much, or never", async () => {
    const desk = await quietDesk();
    for (const asked of [
      {},
      { afterMs: 1, cron: "* * * * *" },
      { cron: "0 0 30 2 *" },
      { cron: "soon" },
      { at: 1 },
    ])
      await expect(remind(desk, { text: "x", ...asked })).rejects.toMatchObject({ code: "reminder.invalid" });
  });

  it("one more than the most, and follow-ups do not count among them", async () => {
    const desk = await quietDesk();
    await desk.store.write((tx) => {
      for (let made = 1; made < MOST_REMINDERS; made += 1) {
        const work = { kind: "reminder", to: "agent/reviewer", setBy: "person/dev", text: "x" } as const;
        tx.putTimer({ id: `r${made}`, dueAt: 9e12, createdAt: 1, fired: 0, counts: "wall", work });
      }
      const work = { kind: "follow-up", deliveryId: "d.1", afterMs: 5 } as const;
      tx.putTimer({ id: "f", dueAt: 9e12, createdAt: 1, fired: 0, counts: "elapsed", work });
    });
    const last = await remind(desk, { text: "the last", afterMs: HOUR });
    await expect(remind(desk, { text: "too many", afterMs: HOUR })).rejects.toMatchObject({
      code: "reminder.too_many",
    });
    await desk.use.reminder_cancel({ id: last.id });
    await remind(desk, { text: "again room", afterMs: HOUR });
  });
});
