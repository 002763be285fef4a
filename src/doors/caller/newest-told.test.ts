import { expect, it } from "vitest";
import type { BoardFrame } from "../../wire/shapes/board.ts";
import { NewestTold } from "./newest-told.ts";

/** A connection that accepts a frame only when it is told to, and a board that always has one more. */
function slowConnection() {
  const written: string[] = [];
  const accepts: (() => void)[] = [];
  let taken = 0;
  const outlet = {
    isOpen: true,
    hasRoom: true,
    drained: async () => {},
    write(chunk: string | Buffer, done?: (outcome: "written" | "gone") => void) {
      written.push(String(chunk));
      accepts.push(() => done?.("written"));
      return "written" as const;
    },
  };
  const told = new NewestTold(outlet, (frame) => JSON.stringify(frame));
  const take = (): BoardFrame => {
    taken += 1;
    return { changes: { seq: taken } };
  };
  return { told, take, written, accept: () => accepts.shift()?.(), taken: () => taken };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("takes the next frame only when the one before has left, however often something changes", async () => {
  const { told, take, written, accept, taken } = slowConnection();
  told.reads({ take, close: () => {} });
  told.ready();
  await turn();
  expect(taken()).toBe(0);
  told.begin();
  for (let count = 0; count < 100; count += 1) told.ready();
  await turn();
  expect(taken()).toBe(1);
  accept();
  await turn();
  expect(written).toEqual(['{"changes":{"seq":1}}', '{"changes":{"seq":2}}']);
});

it("tells nothing more once it is closed, and closes what is opened after that", async () => {
  const { told, take, written, accept } = slowConnection();
  let closed = 0;
  const close = (): void => {
    closed += 1;
  };
  const reading = { take, close };
  told.reads(reading);
  told.begin();
  await turn();
  told.close();
  accept();
  told.ready();
  await turn();
  expect(written).toHaveLength(1);
  told.reads(reading);
  expect(closed).toBe(2);
});
