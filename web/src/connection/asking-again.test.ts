import { expect, it } from "vitest";
import { AskingAgain } from "./asking-again.ts";

function scene() {
  let asked = 0;
  let answer = () => {};
  const timers: (() => void)[] = [];
  const asking = new AskingAgain({
    ask: () => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    pauseMs: 1,
    after: (_, act) => {
      timers.push(act);
      return () => void timers.splice(0);
    },
  });
  const answered = async () => {
    answer();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { asking, answered, timers, passes: () => timers.shift()?.(), count: () => asked };
}

it("asks once for many changes, and once more for those that came meanwhile", async () => {
  const { asking, answered, passes, count } = scene();
  asking.changed();
  asking.changed();
  asking.changed();
  expect(count()).toBe(1);
  await answered();
  expect(count()).toBe(1);
  passes();
  expect(count()).toBe(2);
  await answered();
  passes();
  expect(count()).toBe(2);
  asking.changed();
  expect(count()).toBe(3);
});

it("lets a pause pass before it asks again", async () => {
  const { asking, answered, passes, count } = scene();
  asking.changed();
  await answered();
  asking.changed();
  expect(count()).toBe(1);
  passes();
  expect(count()).toBe(2);
});

it("asks nothing any more once it has ended", async () => {
  const { asking, answered, timers, count } = scene();
  asking.changed();
  asking.changed();
  asking.end();
  await answered();
  expect(timers).toEqual([]);
  asking.changed();
  expect(count()).toBe(1);
});
