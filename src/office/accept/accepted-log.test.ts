import { expect, it } from "vitest";
import { aMessage } from "../../../tests/contract/store-samples.ts";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { AcceptedLog, MOST_LINES_A_SECOND } from "./accepted-log.ts";

function logging() {
  const lines: unknown[] = [];
  const clock = new FakeClock(new OpenWork());
  const log = {
    info: (event: string, fields?: Readonly<Record<string, unknown>>) => lines.push([event, fields?.count]),
    warn: () => {},
    error: () => {},
  };
  const acceptedLog = new AcceptedLog({ log, clock });
  const accept = (count: number) => {
    for (let number = 0; number < count; number += 1)
      acceptedLog.add({ message: aMessage(), deliveries: [], unmatched: false });
  };
  return { lines, clock, accept };
}

const ONE = ["message.accepted", undefined];

it("messages that come one by one have a line each", async () => {
  const { lines, clock, accept } = logging();
  for (let second = 0; second < 30; second += 1) {
    accept(1);
    await clock.advance(500);
  }
  expect(lines).toEqual(Array.from({ length: 30 }, () => ONE));
});

it("those of a flood are counted, none is left out, and the next ones have lines again", async () => {
  const { lines, clock, accept } = logging();
  accept(MOST_LINES_A_SECOND + 700);
  await clock.advance(999);
  accept(5);
  expect(lines).toHaveLength(MOST_LINES_A_SECOND);
  await clock.advance(1);
  expect(lines.at(-1)).toEqual(["messages.accepted", 705]);
  accept(1);
  expect(lines.at(-1)).toEqual(ONE);
  expect(clock.waiting).toBe(0);
});
