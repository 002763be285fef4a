import { describe, expect, it } from "vitest";
import {
  attended,
  came,
  HOUR,
  listed,
  MINUTE,
  pair,
  quietDesk,
  remind,
  remindAs,
} from "../../../tests/desk/reminders.ts";

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
    // Ids are assigned in order here: `m00005`, `m00006`.
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
      await attended(desk);
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
