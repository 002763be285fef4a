import { expect, it } from "vitest";
import { readAttended } from "./attended.ts";

const answered = (...lines: readonly string[]) =>
  ({ kind: "answered", blocks: [{ ok: true, lines }] }) as never;

it("counts people, not programs, and the time since the last of their keys", () => {
  expect(readAttended(answered("0/100", "0/130", "1/170"), 190_000)).toEqual({ people: 2, idleMs: 60_000 });
  expect(readAttended(answered("1/170"), 190_000)).toEqual({ people: 0 });
  expect(readAttended(answered("0/"), 190_000)).toEqual({ people: 1 });
  expect(readAttended({ kind: "lost" } as never, 190_000)).toBeUndefined();
});
