import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { OWNER } from "../../../tests/desk/broker-verbs.ts";
import {
  type Asked,
  came,
  HOUR,
  listed,
  MINUTE,
  pair,
  quietDesk,
  remind,
  remindAs,
} from "../../../tests/desk/reminders.ts";

const asked: Asked = { text: "look", to: "reviewer", afterMs: HOUR, idempotencyKey: "k" };

describe("a reminder that is asked for twice with the same key", () => {
  it("is one, as it stands", async () => {
    const desk = await quietDesk();
    const first = await remind(desk, asked);
    await desk.advance(MINUTE);
    expect(await remind(desk, asked)).toEqual(first);
    await desk.advance(2 * HOUR);
    expect(came(desk)).toHaveLength(1);
  });

  it("is one when both come in the same moment", async () => {
    const desk = await quietDesk();
    const request = { ...asked, claims: { user: "dev" } };
    const [first, second] = await desk.done(
      Promise.all([desk.use.remind(request), desk.use.remind(request)]),
    );
    expect(first).toEqual(second);
    expect(await listed(desk)).toEqual(["look"]);
  });

  it.each<readonly [string, Asked]>([
    ["after a delay", asked],
    ["at a time", { text: "look", to: "reviewer", at: HOUR, idempotencyKey: "k" }],
  ])("and has come by then, %s, does not come again", async (_, { at, ...asking }) => {
    const desk = await quietDesk();
    const once = at === undefined ? asking : { ...asking, at: desk.clock.now() + at };
    const first = await remind(desk, once);
    await desk.advance(2 * HOUR);
    await desk.open();
    expect(await remind(desk, once)).toEqual({ ...first, fired: 1 });
    expect(await listed(desk)).toEqual([]);
    await desk.advance(2 * HOUR);
    expect(came(desk)).toHaveLength(1);
  });

  it("and was cancelled by then is not set again", async () => {
    const desk = await quietDesk();
    const first = await remind(desk, asked);
    await desk.use.reminder_cancel({ id: first.id });
    expect(await remind(desk, asked)).toEqual(first);
    expect(await listed(desk)).toEqual([]);
  });

  it("and repeats is shown with when it comes next", async () => {
    const desk = await quietDesk();
    const again = { text: "look", to: "reviewer", everyMs: HOUR, idempotencyKey: "k" };
    const first = await remind(desk, again);
    await desk.advance(HOUR);
    expect(await remind(desk, again)).toMatchObject({ id: first.id, dueAt: first.dueAt + HOUR, fired: 1 });
  });

  it.each<readonly [string, Partial<Asked>]>([
    ["text", { text: "look elsewhere" }],
    ["recipient", { to: "person/dev" }],
    ["delay", { afterMs: 2 * HOUR }],
    ["repetition", { everyMs: HOUR }],
  ])("and another %s is refused", async (_, other) => {
    const desk = await quietDesk();
    await remind(desk, asked);
    await expect(remind(desk, { ...asked, ...other })).rejects.toMatchObject({
      code: "message.conflict",
      exitCode: 1,
    });
    expect(await listed(desk)).toEqual(["look"]);
  });

  it("by another is another: a key is its setter's own", async () => {
    const { desk, coder, tester } = await pair();
    const own = { text: "look", afterMs: HOUR, idempotencyKey: "k" };
    await remindAs(desk, coder, own);
    await remindAs(desk, tester, own);
    await remind(desk, { ...own, to: "coder" });
    expect(await listed(desk)).toHaveLength(3);
  });

  it("and is written as it was is the same, whatever moment that means by now", async () => {
    const desk = await quietDesk();
    const written = { text: "look", to: "reviewer", atWritten: "14:10", idempotencyKey: "k" };
    const first = await remind(desk, { ...written, at: desk.clock.now() + HOUR });
    await desk.advance(2 * HOUR);
    const again = await remind(desk, { ...written, at: desk.clock.now() + 23 * HOUR });
    expect(again).toEqual({ ...first, fired: 1 });
    await expect(
      remind(desk, { ...written, atWritten: "14:11", at: desk.clock.now() + HOUR }),
    ).rejects.toMatchObject({ code: "message.conflict" });
    expect(await listed(desk)).toEqual([]);
  });

  it.each<readonly [string, Partial<Asked>]>([
    ["without saying for whom", {}],
    ["by name", { to: "web" }],
  ])("by one who has another name by then, %s, is one; not by one who has the old name", async (_, more) => {
    const { desk } = await pair();
    const own = { text: "look", afterMs: HOUR, idempotencyKey: "k" };
    const first = await remind(desk, { ...own, from: "tester", ...(more.to && { to: "tester" }) });
    await desk.done(desk.use.name({ who: "tester", name: "web", claims: OWNER }));
    expect(await remind(desk, { ...own, ...more, from: "web" })).toMatchObject({
      id: first.id,
      to: "agent/web",
    });
    await desk.use.agent_add({ name: "tester" });
    const other = await remind(desk, { ...own, from: "tester", ...(more.to && { to: "tester" }) });
    expect(other).toMatchObject({ to: "agent/tester" });
    expect(other.id).not.toBe(first.id);
    await desk.use.reminder_cancel({ id: first.id });
    expect(await remind(desk, { ...own, ...more, from: "web" })).toMatchObject({
      id: first.id,
      to: "agent/web",
    });
  });

  it("is one also by a digest of the time before", async () => {
    const desk = await quietDesk();
    const content = JSON.stringify(["look", "agent/reviewer", null, null, 9e12, null]);
    await desk.store.write((tx) =>
      tx.putReminderKey({
        key: "person/dev\nk",
        contentDigest: createHash("sha256").update(content).digest("hex"),
        id: "aaaaaa",
        to: "agent/reviewer",
        dueAt: 9e12,
        setAt: 1,
      }),
    );
    const asking = { text: "look", to: "reviewer", at: 9e12, atWritten: "2255-03-14", idempotencyKey: "k" };
    expect(await remind(desk, asking)).toMatchObject({ id: "aaaaaa" });
  });

  it("leaves its key to whoever asks rightly when the first was refused", async () => {
    const desk = await quietDesk();
    const wrong = { text: "look", to: "reviewer", at: desk.clock.now() - 1, idempotencyKey: "k" };
    await expect(remind(desk, wrong)).rejects.toMatchObject({ code: "reminder.invalid" });
    await remind(desk, asked);
    expect(await listed(desk)).toEqual(["look"]);
  });
});
