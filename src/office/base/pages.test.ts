import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { lookAtPages } from "./pages.ts";

function looking(count: number) {
  const clock = new FakeClock(new OpenWork());
  const seen: number[] = [];
  const asked: (number | undefined)[] = [];
  const state = { isOver: false };
  const looked = lookAtPages<number>(
    {
      clock,
      size: 3,
      read: (after = 0) => {
        asked.push(after);
        return Array.from({ length: Math.min(3, count - after) }, (_, at) => after + at + 1);
      },
      isOver: () => state.isOver,
    },
    (row) => seen.push(row),
  );
  return { clock, seen, asked, state, looked };
}

describe("a long list", () => {
  it.each([0, 2])("of one page is looked at at once (%d rows)", async (count) => {
    const { seen, asked, looked } = looking(count);
    expect(seen).toHaveLength(count);
    await looked;
    expect(asked).toEqual([0]);
  });

  it("is looked at page by page, with a turn for others between, and each row once", async () => {
    const { clock, seen, asked, looked } = looking(6);
    expect(seen).toEqual([1, 2, 3]);
    await clock.advance(1);
    await looked;
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([0, 3, 6]);
  });

  it("is left when nobody wants to know any more", async () => {
    const { clock, seen, state, looked } = looking(6);
    state.isOver = true;
    await clock.advance(1);
    await looked;
    expect(seen).toEqual([1, 2, 3]);
  });
});
