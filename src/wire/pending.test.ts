import { beforeEach, expect, it } from "vitest";
import { type Pending, pendingQuestions } from "./pending.ts";

let pending: Pending<string>;
let now: number;
/** The timers, by the moment at which they are due. */
let armed: Map<number, () => void>;
let sent: number[];

beforeEach(() => {
  now = 0;
  armed = new Map();
  sent = [];
  pending = pendingQuestions({
    now: () => now,
    after(ms, late) {
      const at = now + ms;
      armed.set(at, late);
      return () => armed.delete(at);
    },
  });
});

function passTo(at: number): void {
  now = at;
  const late = armed.get(at);
  armed.delete(at);
  late?.();
}

const ask = (withinMs: number | "never", read: (said: string) => string = (said) => said) =>
  pending.ask((id) => sent.push(id), read, { withinMs, late: () => new Error("late") });

const questionOf = (id: number) => {
  const question = pending.find(id);
  if (typeof question === "string") throw new Error(question);
  return question;
};

it("gives each answer to who asked, in whatever order they come", async () => {
  const [first, second] = [ask(1), ask(2)];
  expect(sent).toEqual([1, 2]);
  questionOf(2).answer("two");
  questionOf(1).refuse(new Error("no"));
  expect(await second).toBe("two");
  await expect(first).rejects.toThrow("no");
  expect(armed.size).toBe(0);
});

it("tells an answer that comes too late from one to what was never asked", async () => {
  const answer = ask(1);
  passTo(1);
  await expect(answer).rejects.toThrow("late");
  expect(pending.find(1)).toBe("settled");
  for (const id of [0, 2, -1, 0.5, Number.NaN, "1", undefined]) expect(pending.find(id)).toBe("never-asked");
});

it("arms one timer for all, and each question still has its own deadline", async () => {
  const [slow, soon, never] = [ask(30), ask(10), ask("never")];
  expect([...armed.keys()]).toEqual([10]);
  now = 5;
  const later = ask(10);
  expect([...armed.keys()]).toEqual([10]);
  passTo(10);
  await expect(soon).rejects.toThrow("late");
  expect([...armed.keys()]).toEqual([15]);
  questionOf(4).answer("four");
  expect(await later).toBe("four");
  passTo(15);
  expect([...armed.keys()]).toEqual([30]);
  passTo(30);
  await expect(slow).rejects.toThrow("late");
  expect(armed.size).toBe(0);
  questionOf(3).answer("three");
  expect(await never).toBe("three");
});

it("arms no timer for longer than one can be set", async () => {
  const month = 30 * 86_400_000;
  const answer = ask(month);
  expect([...armed.keys()]).toEqual([2 ** 31 - 1]);
  passTo(2 ** 31 - 1);
  expect([...armed.keys()]).toEqual([month]);
  passTo(month);
  await expect(answer).rejects.toThrow("late");
});

it("does not wait for a deadline that is no number", async () => {
  const answer = ask(Number.NaN);
  for (const late of armed.values()) late();
  await expect(answer).rejects.toThrow("late");
});

it("loses all that is open with the connection, and nothing twice", async () => {
  const settled = Promise.allSettled([ask("never"), ask(1)]);
  expect(armed.size).toBe(1);
  pending.lose(new Error("gone"));
  pending.lose(new Error("gone again"));
  expect(await settled).toMatchObject([{ reason: { message: "gone" } }, { reason: { message: "gone" } }]);
  expect(armed.size).toBe(0);
});

it("keeps a question whose answer cannot be read, for the loss that follows", async () => {
  const answer = ask(1, () => {
    throw new Error("nonsense");
  });
  expect(() => questionOf(1).answer("?")).toThrow("nonsense");
  pending.lose(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
});

it("refuses what cannot be sent, and arms nothing for what is settled at once", async () => {
  const unsent = pending.ask(
    () => {
      throw new Error("too long");
    },
    (said) => said,
    { withinMs: 1, late: () => new Error("late") },
  );
  await expect(unsent).rejects.toThrow("too long");
  const atOnce = pending.ask(
    (id) => questionOf(id).answer("one"),
    (said) => said,
    { withinMs: 1, late: () => new Error("late") },
  );
  expect(await atOnce).toBe("one");
  expect(armed.size).toBe(0);
  expect([pending.find(1), pending.find(2)]).toEqual(["settled", "settled"]);
});
