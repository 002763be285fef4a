import { describe, expect, it } from "vitest";
import { SpareDescriptors } from "./spare-descriptors.ts";

/** A system with this many descriptors, some of them held by others. */
function system(limit: number) {
  const open = new Set<number>();
  const state = { others: 0, now: 1_000, shorts: 0 };
  const events: string[] = [];
  let next = 0;
  let due: (() => void) | undefined;
  const note = (event: string) => void events.push(event);
  const spare = new SpareDescriptors({
    clock: {
      now: () => state.now,
      monotonic: () => state.now,
      after(_ms, call) {
        due = call;
        return () => {
          due = undefined;
        };
      },
    },
    log: { info: note, warn: note, error: note },
    onShort: () => {
      state.shorts += 1;
    },
    open() {
      if (open.size + state.others >= limit) throw new Error("EMFILE");
      next += 1;
      open.add(next);
      return next;
    },
    close: (descriptor) => expect(open.delete(descriptor)).toBe(true),
  });
  const look = () => {
    state.now += 1_000;
    due?.();
  };
  return { spare, open, state, events, look, isArmed: () => due !== undefined };
}

describe("spare descriptors", () => {
  it("are kept back while there are enough, and nothing is said", () => {
    const { spare, open, look, events } = system(100);
    look();
    expect(open.size).toBe(16);
    expect(spare.shortSince).toBeUndefined();
    expect(events).toEqual([]);
  });

  it("are let go when there are none, which is said once, and taken again when there are enough", () => {
    const { spare, open, state, events, look } = system(100);
    state.others = 80;
    look();
    expect(open.size).toBe(0);
    expect(spare.shortSince).toBe(2_000);
    look();
    expect([spare.shortSince, state.shorts, events]).toEqual([2_000, 2, ["descriptors.short"]]);
    state.others = 69;
    look();
    expect(spare.shortSince).toBe(2_000);
    state.others = 68;
    look();
    expect([spare.shortSince, open.size]).toEqual([undefined, 16]);
    expect(events).toEqual(["descriptors.short", "descriptors.enough"]);
  });

  it("are short from the start where a system gives too few, and are all closed in the end", () => {
    const { spare, open, isArmed } = system(20);
    expect(spare.shortSince).toBe(1_000);
    spare.close();
    expect(open.size).toBe(0);
    expect(isArmed()).toBe(false);
  });
});
