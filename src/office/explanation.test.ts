import { expect, it } from "vitest";
import { aDelivery } from "../../tests/contract/store-samples.ts";
import { whyItWaits } from "./explanation.ts";

it("says once that a program is suspended", () => {
  const because = "suspended: bring it back with fg";
  const delivery = {
    ...aDelivery("m"),
    id: "m.1",
    sequence: 1,
    position: 1,
    attempts: 0,
    possibleDuplicate: false,
  };
  const readiness = { kind: "unknown", because, since: 0 } as const;
  const why = whyItWaits(delivery, {
    sessionId: "08bc57cf",
    readiness,
    reading: { kind: "unknown", why: because },
  });
  expect(why.filter((line) => line.includes(because))).toHaveLength(1);
});

it("says of an unreadable screen what is wrong with it", () => {
  const delivery = {
    ...aDelivery("m"),
    id: "m.1",
    sequence: 1,
    position: 1,
    attempts: 0,
    possibleDuplicate: false,
  };
  const readiness = { kind: "unknown", because: "nobody knows", since: 0 } as const;
  const reading = { kind: "unknown", why: "it does not use the alternate screen" } as const;
  expect(whyItWaits(delivery, { sessionId: "08bc57cf", readiness, reading })).toContain(
    "Its screen cannot be read: it does not use the alternate screen.",
  );
});
