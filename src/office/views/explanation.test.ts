import { expect, it } from "vitest";
import { aDelivery } from "../../../tests/contract/store-samples.ts";
import { whatBecame, whyItWaits } from "./explanation.ts";

const delivery = {
  ...aDelivery("m"),
  id: "m.1",
  sequence: 1,
  position: 1,
  attempts: 0,
  possibleDuplicate: false,
};

it("says once that a program is suspended", () => {
  const because = "suspended: bring it back with fg";
  const readiness = { kind: "unknown", because, since: 0 } as const;
  const why = whyItWaits(delivery, "m7k2q9", {
    sessionId: "08bc57cf",
    readiness,
    reading: { kind: "unknown", why: because },
  });
  expect(why.filter((line) => line.includes(because))).toHaveLength(1);
});

it("says of an unreadable screen what is wrong with it", () => {
  const readiness = { kind: "unknown", because: "nobody knows", since: 0 } as const;
  const reading = { kind: "unknown", why: "it does not use the alternate screen" } as const;
  expect(whyItWaits(delivery, "m7k2q9", { sessionId: "08bc57cf", readiness, reading })).toContain(
    "Its screen cannot be read: it does not use the alternate screen.",
  );
});

it.each([
  ['on ws: "it came late."', 'It could not be delivered: on ws: "it came late."'],
  ["is one of them wrong?", "It could not be delivered: is one of them wrong?"],
  ['on ws: "it came late"', 'It could not be delivered: on ws: "it came late".'],
])("ends once what became of it: %s", (note, said) => {
  const last = { at: 0, state: "failed", note } as const;
  expect(whatBecame({ ...delivery, state: "failed" }, last)).toEqual([said]);
});

it("says what became of a delivery as a person would", () => {
  const receipt = { at: 1, state: "read", note: "the agent has ended its turn" } as const;
  expect(whatBecame({ ...delivery, state: "cancelled" }, undefined)).toEqual(["It was cancelled."]);
  expect(whatBecame({ ...delivery, state: "read", transport: "paste", evidence: "screen" }, receipt)).toEqual(
    ["It was read (transport: paste, evidence: screen): the agent has ended its turn."],
  );
});
