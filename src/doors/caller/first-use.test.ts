import { expect, it } from "vitest";
import { onFirstUse } from "./first-use.ts";

it("loads when first asked, once for all", async () => {
  let loads = 0;
  const use = onFirstUse(async () => {
    loads += 1;
    return loads;
  });
  expect(loads).toBe(0);
  expect(await Promise.all([use(), use(), use()])).toEqual([1, 1, 1]);
  expect(await use()).toBe(1);
});

it("tells all who waited that it failed, and tries again with the next", async () => {
  let loads = 0;
  const use = onFirstUse(async () => {
    loads += 1;
    if (loads === 1) throw new Error("no such file");
    return loads;
  });
  const waited = await Promise.allSettled([use(), use()]);
  expect(waited.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await Promise.all([use(), use()])).toEqual([2, 2]);
});
