import { describe, expect, it } from "vitest";
import type { ToldEntry } from "./told.ts";
import { FOLDED_CHARACTERS, receiptInWords, shownBody, standingOf } from "./wording.ts";

const now = new Date(2026, 10, 17, 12, 3).getTime();
const entry: ToldEntry = {
  id: "m.1",
  to: "agent/api",
  from: "person/dev",
  state: "delivered",
  message_id: "m",
  short_id: "s",
  priority: "normal",
  queued_at: now,
  preview: "",
  number: 1,
  changed_at: now,
  characters: 1,
  source: "person",
};

describe("what became of a message", () => {
  it("is said with its proof and its time, or with why it waits", () => {
    expect(standingOf({ ...entry, evidence: "submitted" }, now)).toBe("delivered, submitted");
    const later = { ...entry, changed_at: now + 60_000 };
    expect(standingOf({ ...later, state: "unconfirmed" }, now)).toBe("not confirmed 12:04");
    const hold = { reason: "busy", since: now, release: "when its turn ends" } as const;
    expect(standingOf({ ...entry, state: "queued", hold }, now)).toBe("waits: it is working");
    expect(standingOf({ ...entry, state: "queued", hold, release: "withheld" }, now)).toBe("held back");
    expect(standingOf({ ...entry, state: "queued" }, now)).toBe("waits");
    expect(standingOf({ ...entry, state: "queued", hold, to: "person/dev" }, now)).toBe("not read yet");
  });

  it("is told receipt by receipt", () => {
    expect(receiptInWords({ at: now, state: "delivered", transport: "paste", evidence: "submitted" })).toBe(
      "delivered, typed, its prompt was reported as submitted",
    );
    expect(receiptInWords({ at: now, state: "cancelled", note: "by hand" })).toBe("cancelled, by hand");
  });
});

describe("a text", () => {
  it("is folded if it is long, and hides nothing", () => {
    const long = "x".repeat(200_000);
    expect(shownBody(long, false)).toEqual({ text: "x".repeat(FOLDED_CHARACTERS), isCut: true });
    expect(shownBody(long, true).text).toHaveLength(200_000);
    expect(shownBody("a\u202eb\u001b[31mc", false)).toEqual({ text: "abc", isCut: false });
    expect(shownBody(`${"x".repeat(FOLDED_CHARACTERS - 1)}😀`, false).text.isWellFormed()).toBe(true);
  });
});
