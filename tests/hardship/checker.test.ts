/** The control arm of the checker: a good history passes, and each spoiled one is found out. */
import { describe, expect, it } from "vitest";
import { faultsOf, type History, type Sent, type Side } from "./checker.ts";

const FROM = "laptop/ann";
const TO = "desk/bob";
const DELIVERED: Side = { state: "delivered", possibleDuplicate: false };
const MARKED: Side = { state: "delivered", possibleDuplicate: true };

const sent = [1, 2, 3].map(
  (number): Sent => ({ mark: `m${number}`, from: FROM, to: TO, number, acknowledged: true }),
);

function history(changes: Partial<History> = {}): History {
  return {
    sent,
    here: new Map(sent.map(({ mark }) => [mark, DELIVERED])),
    there: new Map(sent.map(({ mark }) => [mark, [DELIVERED]])),
    read: new Map([[TO, ["m1", "m2", "m3"]]]),
    ...changes,
  };
}

const kinds = (changes: Partial<History>) => [...new Set(faultsOf(history(changes)).map(({ kind }) => kind))];

describe("the checker", () => {
  it("finds nothing wrong with a good day", () => {
    expect(faultsOf(history())).toEqual([]);
  });

  it("does not ask for what nobody was promised, but for what was typed all the same", () => {
    const unsure = sent.map((one) => ({ ...one, acknowledged: one.number < 3 }));
    expect(kinds({ sent: unsure, read: new Map([[TO, ["m1", "m2"]]]) })).toEqual([]);
    expect(kinds({ sent: unsure })).toEqual([]);
    expect(kinds({ sent: unsure, read: new Map([[TO, ["m1", "m2", "m3", "m3"]]]) })).toEqual(["twice"]);
  });

  it("finds a loss", () => {
    expect(kinds({ read: new Map([[TO, ["m1", "m3"]]]) })).toEqual(["lost"]);
    expect(kinds({ read: new Map() })).toEqual(["lost"]);
  });

  it("finds what was read twice, unless both sides had marked it", () => {
    const read = new Map([[TO, ["m1", "m2", "m2", "m3"]]]);
    expect(kinds({ read })).toEqual(["twice"]);
    const here = new Map([...history().here, ["m2", MARKED]]);
    expect(kinds({ read, here })).toEqual(["twice"]);
    expect(kinds({ read, here, there: new Map([...history().there, ["m2", [MARKED]]]) })).toEqual([]);
  });

  it("finds what is stored twice, even if it was read once", () => {
    expect(kinds({ there: new Map([...history().there, ["m2", [DELIVERED, DELIVERED]]]) })).toEqual([
      "twice",
    ]);
  });

  it("finds a swap, between the same two only", () => {
    expect(kinds({ read: new Map([[TO, ["m1", "m3", "m2"]]]) })).toEqual(["swapped"]);
    const others = sent.map((one) => (one.number === 3 ? { ...one, from: "cloud/cid", number: 1 } : one));
    expect(kinds({ sent: others, read: new Map([[TO, ["m3", "m1", "m2"]]]) })).toEqual([]);
  });

  it("finds sides that disagree, one that never knew of it, and both if it never came", () => {
    const queued: Side = { state: "queued", possibleDuplicate: false };
    expect(kinds({ here: new Map([...history().here, ["m1", queued]]) })).toEqual(["disagreement"]);
    expect(kinds({ there: new Map([...history().there, ["m1", []]]) })).toEqual(["disagreement"]);
    const both = { here: history().here, there: history().there };
    for (const side of Object.values(both)) expect(side.size).toBe(3);
    expect(
      kinds({
        here: new Map([...history().here, ["m1", queued]]),
        there: new Map([...history().there, ["m1", [queued]]]),
      }),
    ).toEqual(["disagreement"]);
  });

  it("finds what somebody else read, and what nobody wrote", () => {
    expect(
      kinds({
        read: new Map([
          [TO, ["m1", "m2", "m3"]],
          ["cloud/cid", ["m1"]],
        ]),
      }),
    ).toEqual(["astray"]);
    expect(kinds({ read: new Map([[TO, ["m1", "m2", "m3", "m4"]]]) })).toEqual(["astray"]);
  });
});
