import { expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../../tests/desk/clock.ts";
import { Doubting, type DoubtingParts } from "./doubting.ts";

const SAYS_WITHIN_MS = 10_000;

function stage() {
  const clock = new FakeClock(new OpenWork());
  const asked: number[] = [];
  const parts = {
    context: { clock, log: { error: () => {} } },
    ...{ to: "b", hosts: { standing: () => "up" }, states: { changed: () => {} } },
  } as unknown as DoubtingParts;
  const doubtful = (before: number) => {
    asked.push(before);
    return [];
  };
  return { clock, asked, doubting: new Doubting(parts, { doubtful }) };
}

it("doubts nothing of a host that is working: it has said something since it was there", async () => {
  const { clock, asked, doubting } = stage();
  doubting.announced();
  await clock.advance(SAYS_WITHIN_MS / 2);
  doubting.heard();
  await clock.advance(SAYS_WITHIN_MS);
  expect(asked).toEqual([]);
});

it("doubts what was sent before a host said something of itself, if it has said nothing since", async () => {
  const { clock, asked, doubting } = stage();
  doubting.heard();
  await clock.advance(1);
  doubting.announced();
  await clock.advance(SAYS_WITHIN_MS);
  expect(asked).toHaveLength(1);
});
