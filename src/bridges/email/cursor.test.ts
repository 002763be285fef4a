import { describe, expect, it } from "vitest";
import { CURSOR_LIMITS, decodeCursor, encodeCursor, firstCursor, moved, renumbered } from "./cursor.ts";

const BEFORE = { uidValidity: "1", uid: 90, seen: ["a", "b", "c"] };

describe("a cursor", () => {
  it("survives being written", () => {
    expect(decodeCursor(encodeCursor(BEFORE))).toEqual(BEFORE);
  });

  it.each([
    undefined,
    "",
    "null",
    "7",
    "[]",
    "{",
    '{"uidValidity":1,"uid":2,"seen":[]}',
    '{"uidValidity":"1","uid":-1,"seen":[]}',
    '{"uidValidity":"1","uid":1,"seen":[3]}',
  ])("that cannot be read is none, never 0: %s", (text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });

  it("starts after what was there at first", () => {
    const newest = [{ uid: 4, id: "x" }, { uid: 7 }, { uid: 9, id: "y" }];
    expect(firstCursor({ uidValidity: "1", newest, lastUid: 12 })).toEqual({
      uidValidity: "1",
      uid: 12,
      seen: ["x", "y"],
    });
  });

  it("remembers a bounded number of mails", () => {
    let cursor = firstCursor({ uidValidity: "1", newest: [], lastUid: 0 });
    for (let uid = 1; uid <= CURSOR_LIMITS.seen + 5; uid += 1) cursor = moved(cursor, uid, `id ${uid}`);
    expect(cursor.uid).toBe(CURSOR_LIMITS.seen + 5);
    expect(cursor.seen).toHaveLength(CURSOR_LIMITS.seen);
    expect(cursor.seen.at(-1)).toBe(`id ${CURSOR_LIMITS.seen + 5}`);
  });
});

describe("in a renumbered mailbox", () => {
  const now = (ids: readonly (string | undefined)[]) => ({
    uidValidity: "2",
    lastUid: ids.length,
    newest: ids.map((id, index) => ({ uid: index + 1, ...(id === undefined ? {} : { id }) })),
  });

  it("what came after the newest known mail is new", () => {
    expect(renumbered(BEFORE, now(["a", "c", undefined, "new"]))).toEqual({
      cursor: { uidValidity: "2", uid: 2, seen: ["a", "b", "c"] },
      lost: false,
    });
  });

  it("without a known mail only what comes from now on is new", () => {
    expect(renumbered(BEFORE, now(["x", "y"]))).toEqual({
      cursor: { uidValidity: "2", uid: 2, seen: ["x", "y"] },
      lost: true,
    });
    expect(renumbered(BEFORE, now([]))).toEqual({
      cursor: { uidValidity: "2", uid: 0, seen: [] },
      lost: false,
    });
  });

  it("all is new if it was empty before, unless there is more than can be seen", () => {
    const empty = { ...BEFORE, seen: [] };
    expect(renumbered(empty, now(["x", "y"])).cursor.uid).toBe(0);
    const many = now(Array.from({ length: CURSOR_LIMITS.searched }, (_, index) => `${index}`));
    expect(renumbered(empty, many)).toMatchObject({ cursor: { uid: CURSOR_LIMITS.searched }, lost: true });
  });
});
