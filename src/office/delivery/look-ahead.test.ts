import { expect, it } from "vitest";
import { type Observation, unseen } from "../presence/observation.ts";
import { LookAhead } from "./look-ahead.ts";

/** Every look that begins stays open until the test answers it. */
function looking() {
  const looks: { resolve(seen: Observation): void; reject(cause: Error): void }[] = [];
  const observe = () => new Promise<Observation>((resolve, reject) => looks.push({ resolve, reject }));
  const observeAnew = async (looked: Observation | undefined) => looked ?? observe();
  let now = 0;
  const wait = (ms: number): void => {
    now += ms;
  };
  return { looks, wait, ahead: new LookAhead({ observe, observeAnew }, { monotonic: () => now }) };
}

it("nobody waits for a look that a terminal does not answer", async () => {
  const { looks, wait, ahead } = looking();
  ahead.begin();
  wait(1_000);
  const taken = ahead.taken();
  await expect.poll(() => looks.length).toBe(2);
  const seen = unseen("now");
  looks[1]?.resolve(seen);
  expect(await taken).toBe(seen);
});

it("many messages at once begin one look", async () => {
  const { looks, ahead } = looking();
  for (let message = 0; message < 100; message += 1) ahead.begin();
  expect(looks).toHaveLength(1);
  const seen = unseen("one");
  looks[0]?.resolve(seen);
  expect(await ahead.taken()).toBe(seen);
});

it("what was taken once is not taken again", async () => {
  const { looks, ahead } = looking();
  ahead.begin();
  looks[0]?.resolve(unseen("one"));
  await ahead.taken();
  const next = ahead.taken();
  await expect.poll(() => looks.length).toBe(2);
  const seen = unseen("two");
  looks[1]?.resolve(seen);
  expect(await next).toBe(seen);
});

it("a look that failed is made again by who needs it", async () => {
  const { looks, ahead } = looking();
  ahead.begin();
  looks[0]?.reject(new Error("no answer"));
  const taken = ahead.taken();
  await expect.poll(() => looks.length).toBe(2);
  const seen = unseen("two");
  looks[1]?.resolve(seen);
  expect(await taken).toBe(seen);
});
