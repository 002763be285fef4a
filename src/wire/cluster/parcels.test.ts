import { describe, expect, it } from "vitest";
import { FORGED_ID as ID, letter } from "../../../tests/desk/forged-letters.ts";
import { LIMITS } from "../../core/message.ts";
import { LONGEST_DURATION_MS } from "../../core/time/duration.ts";
import { LATEST_INSTANT } from "../verbs/fields.ts";
import { readBag } from "./bags.ts";
import { announcementSchema, letterSchema, newsSchema } from "./parcels.ts";

const NEWS = { kind: "news", delivery: `${ID}.1`, state: "queued", taken: true } as const;
const SAID = { host: "a", version: "1", agents: [], patterns: [] };

describe("a number that another host writes", () => {
  it.each([0, 1, LONGEST_DURATION_MS])("a letter may wait for %d ms", (timeoutMs) => {
    expect(letterSchema.safeParse(letter({ timeoutMs })).success).toBe(true);
  });

  const BAD = [-1, 0.5, Number.MAX_SAFE_INTEGER, 1e300, "1", null];
  it.each([LONGEST_DURATION_MS + 1, ...BAD])("no letter waits for %s ms", (timeoutMs) => {
    expect(letterSchema.safeParse(letter({ timeoutMs })).success).toBe(false);
  });

  it.each(BAD)("%s counts neither news, hops nor what a host says", (number) => {
    expect(newsSchema.safeParse({ ...NEWS, number }).success).toBe(false);
    expect(letterSchema.safeParse(letter({ message: { hops: number } })).success).toBe(false);
    expect(announcementSchema.safeParse({ ...SAID, number }).success).toBe(false);
  });

  it("that is counted honestly is taken", () => {
    expect(newsSchema.safeParse({ ...NEWS, number: 1_000_000 }).success).toBe(true);
    expect(announcementSchema.safeParse({ ...SAID, number: LATEST_INSTANT }).success).toBe(true);
  });
});

describe("the payload of a letter", () => {
  // What walks a large one and finds fault at every level blocks everything else for seconds.
  it("is taken as it was parsed, whatever it holds, and nothing walks it", () => {
    const payload = Array.from({ length: 1_000 }, () => [[[[Number.POSITIVE_INFINITY]]]]);
    Object.defineProperty(payload, 500, { get: () => expect.unreachable("it is walked") });
    const read = letterSchema.parse(letter({ message: { payload } }));
    expect(read.message.payload).toBe(payload);
  });

  it.each([LIMITS.jsonDepth, LIMITS.jsonDepth + 1])("may be nested as deep as at home: %d", (depth) => {
    const payload = JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
    const bag = { from: "a", sentAt: 1, parcels: [letter({ message: { payload } })] };
    const read = readBag(Buffer.from(JSON.stringify(bag)));
    expect(read?.parcels.length).toBe(depth > LIMITS.jsonDepth ? undefined : 1);
  });
});

describe("an id that another host writes", () => {
  const BAD = [
    "",
    "\0",
    `${ID}\0.1`,
    "x.1",
    ID,
    `${ID}.0`,
    `${ID}.1 `,
    `${ID}.123456`,
    `${ID.toUpperCase()}.1`,
  ];
  it.each(BAD)("%j names no delivery", (delivery) => {
    expect(newsSchema.safeParse({ ...NEWS, number: 1, delivery }).success).toBe(false);
    expect(letterSchema.safeParse(letter({ delivery })).success).toBe(false);
    expect(letterSchema.safeParse(letter({ after: { delivery, attempt: 1 } })).success).toBe(false);
  });

  it.each(["", "\0", `${ID}\0`, "x", `${ID}.1`, `${ID} `, ID.toUpperCase()])("%j names no message", (id) => {
    expect(letterSchema.safeParse(letter({ delivery: `${ID}.1`, message: { id } })).success).toBe(false);
    expect(letterSchema.safeParse(letter({ message: { replyTo: id } })).success).toBe(false);
  });

  it("is taken as daemons make them", () => {
    const after = { delivery: `${ID}.65535`, attempt: 1 };
    expect(letterSchema.safeParse(letter({ after, message: { replyTo: ID } })).success).toBe(true);
  });
});

describe("news of a newer host", () => {
  it("are heeded as far as they are understood: that host has told them, and tells them once", () => {
    const newer = {
      evidence: "oath",
      transport: "pigeon",
      hold: { reason: "moon", release: "at dawn", by: 1 },
    };
    const news = newsSchema.parse({ ...NEWS, number: 1, ...newer, mood: "good" });
    expect(news).toEqual({ ...NEWS, number: 1, hold: { reason: "unknown", release: "at dawn" } });
  });

  it("with a reason that nobody here knows say that it was not taken", () => {
    const { taken, ...news } = { ...NEWS, number: 1, state: "failed" } as const;
    for (const why of ["a new one", 7, null])
      expect(newsSchema.parse({ ...news, why })).toEqual({ ...news, why: "other" });
  });

  it("are not heeded if they do not say whether it was taken", () => {
    const { taken, ...news } = { ...NEWS, number: 1, state: "failed" } as const;
    for (const unclear of [{}, { taken: false }, { taken: "yes" }])
      expect(newsSchema.safeParse({ ...news, ...unclear }).success).toBe(false);
    expect(newsSchema.parse({ ...news, taken })).toEqual({ ...news, taken });
  });

  it("with a state that nobody here knows say that it is under way there", () => {
    expect(newsSchema.parse({ ...NEWS, number: 1, state: "framed" })).toMatchObject({ state: "delivering" });
  });
});
