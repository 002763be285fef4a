import { describe, expect, it } from "vitest";
import { type Desk, type DeskAgent, openDesk } from "../../tests/office-desk.ts";
import type { RemindRequest, ShownReminder } from "../wire/shapes/reminders.ts";
import { LONGEST_REMINDER_BYTES, MOST_REMINDERS } from "./reminders.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Asked = Omit<RemindRequest, "claims">;

/** `stashing` takes prompts of three lines. */
async function pair(): Promise<{ desk: Desk; coder: DeskAgent; tester: DeskAgent }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "stashing" });
  const tester = desk.agent("tester", { program: "stashing" });
  await desk.ready();
  return { desk, coder, tester };
}

/** Nobody runs there, so that days pass without anybody polling a screen. */
async function quietDesk(): Promise<Desk> {
  const desk = await openDesk();
  await desk.open();
  await desk.use.agent_add({ name: "reviewer" });
  return desk;
}

function remind(desk: Desk, asked: Asked): Promise<ShownReminder> {
  return desk.done(desk.use.remind({ ...asked, claims: { user: "dev" } }));
}

function remindAs(desk: Desk, agent: DeskAgent, asked: Asked): Promise<ShownReminder> {
  const { server, pane } = agent.sighting.identity;
  return desk.done(desk.use.remind({ ...asked, claims: { user: "dev", tmux: { socket: server, pane } } }));
}

/** What was typed into a program, without our header. */
function typedInto({ program }: DeskAgent): readonly string[] {
  return program.submitted.map((prompt) => prompt.replace(/^\[message from: bellhop #\w{6}\] /u, ""));
}

/** Every reminder that came, as mailbox and text. */
function came(desk: Desk): readonly (readonly [to: string, body: string])[] {
  return desk.store.read
    .deliveries({})
    .filter(({ message }) => message.command === "reminder")
    .map(({ message, delivery }) => [
      delivery.to,
      message.body.replace("[bellhop] Scheduled reminder:\n", ""),
    ]);
}

async function listed(desk: Desk, who?: string): Promise<readonly string[]> {
  const { reminders } = await desk.use.reminders(who === undefined ? {} : { who });
  return reminders.map(({ text }) => text);
}

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
    // No timer may be longer than Node can count.
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

  it("was removed: it does not come", async () => {
    const { desk, coder, tester } = await pair();
    await desk.use.agent_add({ name: "reviewer" });
    await remind(desk, { text: "for the agent", afterMs: HOUR, to: "reviewer" });
    await remindAs(desk, tester, { text: "own", everyMs: HOUR });
    await remindAs(desk, coder, { text: "stays", afterMs: HOUR });
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.use.agent_remove({ name: "reviewer" });
    await desk.use.agent_remove({ name: "tester" });
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

describe("a list of reminders", () => {
  it("names the next one first, and those of one recipient", async () => {
    const { desk, coder, tester } = await pair();
    await remindAs(desk, tester, { text: "late", afterMs: 3 * HOUR });
    await remind(desk, { text: "soon", afterMs: HOUR, to: "coder" });
    await remindAs(desk, coder, { text: "middle", afterMs: 2 * HOUR });
    expect(await listed(desk)).toEqual(["soon", "middle", "late"]);
    expect(await listed(desk, "coder")).toEqual(["soon", "middle"]);
    expect(await listed(desk, desk.sessionOf(tester))).toEqual(["late"]);
    expect(await listed(desk, "person/dev")).toEqual([]);
    await expect(desk.use.reminders({ who: "nobody" })).rejects.toMatchObject({ code: "recipient.unknown" });
  });

  it("does not show follow-ups, and they cannot be cancelled by it", async () => {
    const { desk, tester } = await pair();
    await desk.sendAs(tester, "coder", "do it", { notifyAfterMs: HOUR });
    await desk.advance(10_000);
    const [followUp] = desk.store.read.timers({});
    expect(followUp?.work.kind).toBe("follow-up");
    expect(await listed(desk)).toEqual([]);
    await expect(desk.use.reminder_cancel({ id: followUp?.id ?? "" })).rejects.toMatchObject({
      code: "reminder.unknown",
    });
  });
});

describe("cancelling", () => {
  it("takes the id or the beginning of one, and it never comes", async () => {
    const desk = await quietDesk();
    const one = await remind(desk, { text: "one", everyMs: MINUTE, to: "reviewer" });
    const two = await remind(desk, { text: "two", afterMs: HOUR, to: "reviewer" });
    // Ids are given in order here: `m00005`, `m00006`.
    expect(await desk.use.reminder_cancel({ id: ` ${one.id}\n` })).toEqual(one);
    expect(await desk.use.reminder_cancel({ id: two.id.slice(0, 5) })).toEqual(two);
    await desk.advance(2 * HOUR);
    expect(came(desk)).toEqual([]);
  });

  it("refuses what fits several, and names them", async () => {
    const desk = await quietDesk();
    const ids: string[] = [];
    for (const text of ["one", "two"]) ids.push((await remind(desk, { text, afterMs: HOUR })).id);
    await expect(desk.use.reminder_cancel({ id: "m00" })).rejects.toMatchObject({
      code: "message.ambiguous",
      candidates: ids,
    });
    expect(await listed(desk)).toEqual(["one", "two"]);
  });

  it.each(["zzzzzz", "", "m", "m0", "%%%"])("knows no reminder %j", async (id) => {
    const desk = await quietDesk();
    await remind(desk, { text: "one", afterMs: HOUR });
    await expect(desk.use.reminder_cancel({ id })).rejects.toMatchObject({ code: "reminder.unknown" });
  });

  it("says of one that has come that it is not there", async () => {
    const desk = await quietDesk();
    const one = await remind(desk, { text: "one", afterMs: MINUTE });
    await desk.advance(MINUTE);
    await expect(desk.use.reminder_cancel({ id: one.id })).rejects.toMatchObject({
      code: "reminder.unknown",
      next: expect.stringContaining("it may have come already"),
    });
  });

  it("wins when it comes in the step in which the reminder is due", async () => {
    const desk = await quietDesk();
    const one = await remind(desk, { text: "one", everyMs: MINUTE, to: "reviewer" });
    desk.onStep((step) => {
      if (step === "timer.due") void desk.use.reminder_cancel({ id: one.id });
    });
    await desk.advance(10 * MINUTE);
    expect(came(desk)).toEqual([]);
    expect(await listed(desk)).toEqual([]);
  });
});

describe("a reminder and the daemon's life", () => {
  it.each(["timer.due", "timer.fired", "accept.in-transaction", "accept.committed"] as const)(
    "comes once for each of its times, killed at %s",
    async (step) => {
      const desk = await quietDesk();
      await remind(desk, { text: "once", afterMs: MINUTE, to: "reviewer" });
      await remind(desk, { text: "again", everyMs: MINUTE, to: "reviewer" });
      desk.crashAt(step);
      await desk.advance(MINUTE);
      expect(desk.crashed).toBe(true);
      desk.failures.splice(0);
      await desk.open();
      await desk.advance(30_000);
      expect(came(desk).map(([, body]) => body.split("\n")[0])).toEqual(["once", "again"]);
      await desk.advance(MINUTE);
      expect(came(desk)).toHaveLength(3);
    },
  );

  it("comes after a start when its time passed and no daemon ran; ten missed times come once, in phase", async () => {
    const desk = await quietDesk();
    await remind(desk, { text: "once", afterMs: HOUR, to: "reviewer" });
    await remind(desk, { text: "every", everyMs: HOUR, to: "reviewer" });
    await remind(desk, { text: "cron", cron: "* * * * *", to: "reviewer" });
    desk.crash();
    await desk.advance(10 * HOUR + 30 * MINUTE);
    await desk.open();
    await desk.advance(1_000);
    expect(came(desk).map(([, body]) => body.split("\n")[0])).toEqual(["cron", "once", "every"]);
    const [, every] = (await desk.use.reminders({})).reminders;
    expect(every).toMatchObject({ text: "every", fired: 1 });
    expect(((every?.dueAt ?? 0) - (every?.createdAt ?? 0)) % HOUR).toBe(0);
    expect(every?.dueAt).toBeGreaterThan(desk.clock.now());
  });

  it("is set before it is answered, and not at all when the disk is full", async () => {
    const desk = await quietDesk();
    desk.disk.state = "full";
    await expect(remind(desk, { text: "x", afterMs: MINUTE })).rejects.toMatchObject({
      code: "store.disk_full",
    });
    desk.disk.state = "works";
    await remind(desk, { text: "kept", afterMs: MINUTE });
    desk.crash();
    await desk.open();
    expect(await listed(desk)).toEqual(["kept"]);
  });

  it("waits for a disk that is full, and comes then, once", async () => {
    const desk = await quietDesk();
    await remind(desk, { text: "look", afterMs: MINUTE, to: "reviewer" });
    await remind(desk, { text: "tea", everyMs: MINUTE, to: "reviewer" });
    desk.disk.state = "full";
    await desk.advance(5 * MINUTE + 30_000);
    expect(came(desk)).toEqual([]);
    desk.expectFailures("timers.failed");
    desk.disk.state = "works";
    await desk.advance(3_000);
    expect(came(desk).map(([, body]) => body.split("\n")[0])).toEqual(["look", "tea"]);
  });
});

describe("a reminder to a path", () => {
  it("is refused when it is set, if the path could explode", async () => {
    const desk = await quietDesk();
    await expect(remind(desk, { text: "x", afterMs: 1_000, to: "a/**/b/**/c/**" })).rejects.toMatchObject({
      code: "pattern.invalid",
    });
    expect((await desk.use.reminders({})).reminders).toEqual([]);
  });

  it("that cannot be said when it comes does not hold up the next", async () => {
    const desk = await quietDesk();
    const { id } = await remind(desk, { text: "never", afterMs: 1_000, to: "reviewer" });
    const timer = desk.store.read.timer(id);
    if (timer?.work.kind !== "reminder") throw new Error("no reminder");
    const { work } = timer;
    await desk.done(
      desk.store.write((tx) => {
        tx.removeTimer(id);
        tx.putTimer({ ...timer, work: { ...work, to: "a/**/b/**/c/**" } });
      }),
    );
    await remind(desk, { text: "next", afterMs: 2_000, to: "reviewer" });
    await desk.advance(5_000);
    const came = desk.store.read.deliveries({ mailboxes: ["agent/reviewer"] });
    expect(came.map(({ message }) => message.body)).toEqual([expect.stringContaining("next")]);
    expect(desk.failures.splice(0)).toEqual(["timer.given_up"]);
  });
});
